"""Layers of other sizes that would have changed places with layers that are the same.

A block missing in one stage and a new block in the next are equal up to their widths. Layers that
are the same in both graphs stand between them: after the one, and before the other. So they are
two blocks, and no counterparts.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from modeldocs.diff.alignment.matching import Matching
from modeldocs.diff.function.parameter_shapes import weight_signature
from modeldocs.diff.indexing.edges import Edge, connected_components

_MOST: Final = 4_000
"""Nodes of a graph beyond which the order is not looked at: the bound on time and memory."""

_LEAST_CROSSED: Final = 4
"""Layers of equal weights on the other side: a gate alone may move past one or two of them. With
2 or 8 no diff of the catalog or of tests/diff changes."""


def unmatch_reordered(matching: Matching) -> None:
    """Unmatch such layers, together with the other reordered layers next to them."""
    if max(len(matching.a), len(matching.b)) > _MOST:
        return
    resized = {i for i, j in matching.pairs() if _is_resized(matching, i, j)}
    if not resized:
        return
    reordered = _reordered(matching, resized)
    for nodes in connected_components(reordered, matching.a.neighbours):
        if not resized.isdisjoint(nodes):
            for i in (*nodes, *_read_only_by(matching, nodes, resized)):
                matching.unmatch(i)


def _read_only_by(matching: Matching, nodes: Iterable[int], among: set[int]) -> set[int]:
    """Those of `among` that only these nodes read: the table that a bias is looked up in."""
    users = matching.a.users
    inside = set(nodes)
    read = {x for node in inside for _, x in matching.a.sources[node]} & among
    return {x for x in read if {user for _, user in users[x]} <= inside}


def _is_resized(matching: Matching, i: int, j: int) -> bool:
    """Whether a layer with parameters has other ones than its counterpart."""
    ours, theirs = weight_signature(matching.a.ops[i]), weight_signature(matching.b.ops[j])
    return ours is not None and ours != theirs


def _reordered(matching: Matching, resized: set[int]) -> set[int]:
    """Nodes of A that are above enough pairs of equal weights which are above their counterpart.

    Or below them. The pairs above and below each node are the bits of a number.
    """
    a, b = matching.a, matching.b
    equal = [(i, j) for i, j in matching.pairs() if a.ops[i].parameters and i not in resized]
    ours = {i: 1 << place for place, (i, _) in enumerate(equal)}
    theirs = {j: 1 << place for place, (_, j) in enumerate(equal)}
    above_a = _reachable(range(len(a)), a.sources, ours)
    above_b = _reachable(range(len(b)), b.sources, theirs)
    below_a = _reachable(reversed(range(len(a))), a.users, ours)
    below_b = _reachable(reversed(range(len(b))), b.users, theirs)
    return {
        i
        for i, j in matching.pairs()
        if i not in ours
        and max((above_a[i] & below_b[j]).bit_count(), (below_a[i] & above_b[j]).bit_count())
        >= _LEAST_CROSSED
    }


def _reachable(nodes: Iterable[int], edges: list[list[Edge]], bits: dict[int, int]) -> list[int]:
    """The bits of all nodes that each node's edges lead to, directly or not."""
    reachable = [0] * len(edges)
    for node in nodes:
        for _, other in edges[node]:
            reachable[node] |= reachable[other] | bits.get(other, 0)
    return reachable
