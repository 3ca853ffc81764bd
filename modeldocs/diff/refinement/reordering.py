"""Layers of other sizes that stand on the other side of layers which are the same: no counterparts.

A block gone from one stage and one come in the next are alike but for their widths. Between them
stand layers that both sides have, before the one and behind the other: two blocks, not one.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from modeldocs.diff.alignment.matching import Matching
from modeldocs.diff.function.parameter_shapes import weight_signature
from modeldocs.diff.indexing.edges import Edge, connected_components

_MOST: Final = 4_000
"""Nodes of a side beyond which the order is not looked at: the bound on time and memory."""

_FAR: Final = 4
"""Layers of equal weights to stand on the other side of: a gate may move past a layer or two."""


def unmatch_reordered(matching: Matching) -> None:
    """Leave such layers without counterparts, with what hangs on them."""
    if max(len(matching.a), len(matching.b)) > _MOST:
        return
    resized = {i for i, j in matching.pairs() if _has_others(matching, i, j)}
    if not resized:
        return
    turned = _turned(matching, resized)
    for nodes in connected_components(turned, matching.a.neighbours):
        if not resized.isdisjoint(nodes):
            for i in (*nodes, *_read_by(matching, nodes, resized)):
                matching.unmatch(i)


def _read_by(matching: Matching, nodes: Iterable[int], among: set[int]) -> set[int]:
    """Those of some nodes that nothing else reads: the table that a bias is looked up in."""
    users = matching.a.users
    inside = set(nodes)
    read = {x for node in inside for _, x in matching.a.sources[node]} & among
    return {x for x in read if {user for _, user in users[x]} <= inside}


def _has_others(matching: Matching, i: int, j: int) -> bool:
    """Whether a layer with parameters has other ones than its counterpart."""
    ours, theirs = weight_signature(matching.a.ops[i]), weight_signature(matching.b.ops[j])
    return ours is not None and ours != theirs


def _turned(matching: Matching, resized: set[int]) -> set[int]:
    """Nodes of A before a layer of equal weights whose counterparts are behind its, or after it."""
    a, b = matching.a, matching.b
    equal = [(i, j) for i, j in matching.pairs() if a.ops[i].parameters and i not in resized]
    ours = {i: 1 << place for place, (i, _) in enumerate(equal)}
    theirs = {j: 1 << place for place, (_, j) in enumerate(equal)}
    above = _reached(range(len(a)), a.sources, ours), _reached(range(len(b)), b.sources, theirs)
    below = (
        _reached(reversed(range(len(a))), a.users, ours),
        _reached(reversed(range(len(b))), b.users, theirs),
    )
    return {
        i
        for i, j in matching.pairs()
        if i not in ours
        and max(
            (above[0][i] & below[1][j]).bit_count(),
            (below[0][i] & above[1][j]).bit_count(),
        )
        >= _FAR
    }


def _reached(nodes: Iterable[int], edges: list[list[Edge]], bits: dict[int, int]) -> list[int]:
    """The bits of all that each node's edges lead to, at last."""
    found = [0] * len(edges)
    for node in nodes:
        for _, other in edges[node]:
            found[node] |= found[other] | bits.get(other, 0)
    return found
