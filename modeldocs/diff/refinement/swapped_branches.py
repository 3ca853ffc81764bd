"""Branches matched to each other's counterparts: queries to keys, where their widths differ."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from modeldocs.diff.alignment.matching import Matching
from modeldocs.diff.function.parameter_shapes import weight_signature
from modeldocs.diff.indexing.edges import unless_hub
from modeldocs.diff.indexing.indexed_graph import IndexedGraph

_LONGEST: Final = 64
"""Layers that a branch is followed along."""


def unswap_branches(matching: Matching) -> Matching | None:
    """A copy in which the first layers of such branches are swapped back; None if there are none.

    The layers behind them, up to where the branches meet, are unmatched in it.
    """
    swapped = list(_swapped_layers(matching))
    if not swapped:
        return None
    other = matching.restricted(matching.pairs())
    for i, x in swapped:
        j, y = other.to_b[i], other.to_b[x]
        for node in (i, x, *(_descendants(other.a, i) ^ _descendants(other.a, x))):
            other.unmatch(node)
        for ours, theirs in ((i, y), (x, j)):
            other.match(ours, theirs, "the same parameters, read from the same", 0.8)
    return other


def _swapped_layers(matching: Matching) -> Iterator[tuple[int, int]]:
    """Two nodes of A that read the same, each with the parameters of the other's counterpart."""
    a, b = matching.a, matching.b
    resized: dict[tuple[int, tuple[object, ...] | None], list[int]] = {}
    for i, j in matching.pairs():
        ours, theirs = weight_signature(a.ops[i]), weight_signature(b.ops[j])
        if ours != theirs and ours is not None and a.sources[i]:
            resized.setdefault((a.sources[i][0][1], theirs), []).append(i)
    taken: set[int] = set()
    for (source, theirs), nodes in resized.items():
        for i in nodes:
            candidates = resized.get((source, weight_signature(a.ops[i])), [])
            left = [x for x in candidates if x not in taken]
            left = [x for x in left if weight_signature(a.ops[x]) == theirs]
            if left and i not in taken:
                taken |= {i, left[0]}
                yield i, left[0]


def _descendants(graph: IndexedGraph, node: int) -> set[int]:
    """The descendants of a node, as far as it is followed."""
    descendants: set[int] = set()
    waiting = [node]
    for one in waiting:
        for _, user in unless_hub(graph.users[one]):
            if user not in descendants and len(descendants) < _LONGEST:
                descendants.add(user)
                waiting.append(user)
    return descendants
