"""Layers that stand on the other side of a matched neighbour: a norm before a sum, or behind it."""

from __future__ import annotations

from collections.abc import Iterator

from modeldocs.diff.alignment.pairing import Pairing
from modeldocs.diff.alignment.sides import Side


def find_crossings(pairing: Pairing) -> None:
    """Match a layer left over behind a matched one with one left over before its counterpart.

    Of several that could be meant, those at the end of the longest way from the input.
    """
    found = sorted(_candidates(pairing), key=lambda pair: _order(pairing, *pair))
    for i, j in found:
        if pairing.free(i, j):
            pairing.match(i, j, "the same layer, on the other side of a neighbour", 0.6)
            pairing.moved.add(i)


def _candidates(pairing: Pairing) -> set[tuple[int, int]]:
    a, b = pairing.a, pairing.b
    return {
        (i, j)
        for i in pairing.free_a()
        for x, behind in _neighbours(a, i)
        if (y := pairing.to_b[x]) >= 0
        for j in _across(b, y, behind)
        if pairing.free(i, j) and _alike(pairing, i, j)
    }


def _neighbours(side: Side, node: int) -> Iterator[tuple[int, bool]]:
    """The only node that it reads (True), and the only one that reads it."""
    for edges, behind in ((side.sources[node], True), (side.users[node], False)):
        if len(edges) == 1:
            yield edges[0][1], behind


def _across(side: Side, node: int, behind: bool) -> Iterator[int]:
    """Neighbours of a node on the other side than one that stands behind it, or before it."""
    for _, other in side.sources[node] if behind else side.users[node]:
        if (node, not behind) in _neighbours(side, other):
            yield other


def _alike(pairing: Pairing, i: int, j: int) -> bool:
    ours, theirs = pairing.a.forms[i].parameters, pairing.b.forms[j].parameters
    return ours == theirs and "weight" not in dict(ours) and pairing.same_kind(i, j)


def _order(pairing: Pairing, i: int, j: int) -> tuple[int, int, int]:
    return -pairing.a.depths[i] - pairing.b.depths[j], i, j
