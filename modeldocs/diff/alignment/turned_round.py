"""Layers of other sizes that stand on the other side of layers which are the same: no counterparts.

A block gone from one stage and one come in the next are alike but for their widths. Between them
stand layers that both sides have, before the one and behind the other: two blocks, not one.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from modeldocs.diff.alignment.components import components
from modeldocs.diff.alignment.digests import Edge
from modeldocs.diff.alignment.pairing import Pairing
from modeldocs.diff.alignment.sizes import signature

_MOST: Final = 4_000
"""Nodes of a side beyond which the order is not looked at: the bound on time and memory."""

_FAR: Final = 4
"""Layers of equal weights to stand on the other side of: a gate may move past a layer or two."""


def part_turned(pairing: Pairing) -> None:
    """Leave such layers without counterparts, with what hangs on them."""
    if max(len(pairing.a), len(pairing.b)) > _MOST:
        return
    resized = {i for i, j in pairing.pairs() if _has_others(pairing, i, j)}
    if not resized:
        return
    turned = _turned(pairing, resized)
    for nodes in components(turned, pairing.a.beside):
        if not resized.isdisjoint(nodes):
            for i in (*nodes, *_read_by(pairing, nodes, resized)):
                pairing.part(i)


def _read_by(pairing: Pairing, nodes: Iterable[int], among: set[int]) -> set[int]:
    """Those of some nodes that nothing else reads: the table that a bias is looked up in."""
    users = pairing.a.users
    inside = set(nodes)
    read = {x for node in inside for _, x in pairing.a.sources[node]} & among
    return {x for x in read if {user for _, user in users[x]} <= inside}


def _has_others(pairing: Pairing, i: int, j: int) -> bool:
    """Whether a layer with parameters has other ones than its counterpart."""
    ours, theirs = signature(pairing.a.forms[i]), signature(pairing.b.forms[j])
    return ours is not None and ours != theirs


def _turned(pairing: Pairing, resized: set[int]) -> set[int]:
    """Nodes of A before a layer of equal weights whose counterparts are behind its, or after it."""
    a, b = pairing.a, pairing.b
    equal = [(i, j) for i, j in pairing.pairs() if a.forms[i].parameters and i not in resized]
    ours = {i: 1 << place for place, (i, _) in enumerate(equal)}
    theirs = {j: 1 << place for place, (_, j) in enumerate(equal)}
    above = _reached(range(len(a)), a.sources, ours), _reached(range(len(b)), b.sources, theirs)
    below = (
        _reached(reversed(range(len(a))), a.users, ours),
        _reached(reversed(range(len(b))), b.users, theirs),
    )
    return {
        i
        for i, j in pairing.pairs()
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
