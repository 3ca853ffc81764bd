"""Propagation: from a matched pair to the nodes that the same operand slot leads to."""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Iterator
from itertools import count
from typing import Final

from modeldocs.diff.alignment.digests import Edge
from modeldocs.diff.alignment.pairing import Allowed, Pairing
from modeldocs.diff.alignment.sides import Side

_WIDE: Final = 256
"""Combinations of neighbours beyond which only those of equal colour are tried."""

_CLASH: Final = 3.0
"""What an edge that already leads elsewhere takes from the likeness of two nodes."""

_Entry = tuple[float, int, int, int, int, int, int]
"""(cost, conflicts, newest first, node of A, node of B, the pair that led here)."""


def propagate(pairing: Pairing, pairs: Iterable[tuple[int, int]], allowed: Allowed) -> None:
    """Match neighbours of `pairs`, and theirs in turn, the most alike first.

    Among equally alike ones the newest goes first, so that one of several twin branches is
    walked to its end before the next is begun.
    """
    heap: list[_Entry] = []
    order = count()
    for i, j in pairs:
        _push(pairing, heap, order, (i, j), allowed)
    while heap:
        score, clash, _, i, j, from_i, from_j = entry = heapq.heappop(heap)
        if not pairing.free(i, j):
            continue
        now = pairing.conflicts(i, j)
        if now > clash:
            heapq.heappush(heap, (score + _CLASH * (now - clash), now, *entry[2:]))
            continue
        way = "by operand slot" if i < from_i else "by the slot it is read in"
        trust = round(0.4 + 0.5 * pairing.trust(i, j), 3)
        pairing.match(i, j, way, trust, (from_i, from_j))
        _push(pairing, heap, order, (i, j), allowed)


def _push(
    pairing: Pairing,
    heap: list[_Entry],
    order: Iterator[int],
    pair: tuple[int, int],
    allowed: Allowed,
) -> None:
    for i, j in reversed(dict.fromkeys(_neighbours(pairing, *pair))):
        if allowed(pairing, i, j):
            clash = pairing.conflicts(i, j)
            cost = _CLASH * clash - pairing.likeness(i, j)
            heapq.heappush(heap, (cost, clash, -next(order), i, j, *pair))


def _neighbours(pairing: Pairing, i: int, j: int) -> Iterator[tuple[int, int]]:
    """Free nodes that edges of one code lead to; between principals the code does not count."""
    a, b = pairing.a, pairing.b
    for ours, theirs in pairing.edges(i, j):
        if len(ours) == 1 == len(theirs):
            (code, x), (other, y) = ours[0], theirs[0]
            if code == other and pairing.free(x, y):
                yield x, y
            continue
        left = _free(a, ours, pairing.to_b)
        if left:
            right = _free(b, theirs, pairing.to_a)
            for code, nodes in left.items():
                yield from _combinations(pairing, nodes, right.get(code, []))


def _free(side: Side, edges: list[Edge], counterpart: list[int]) -> dict[int, list[int]]:
    """Nodes without counterpart at the other end of `edges`, by the edges' code."""
    found: dict[int, list[int]] = {}
    for code, node in edges:
        if counterpart[node] < 0:
            found.setdefault(code, []).append(node)
    for nodes in found.values():
        if len(nodes) > 1:
            nodes.sort(key=side.ranks.__getitem__)
    return found


def _combinations(
    pairing: Pairing, ours: list[int], theirs: list[int]
) -> Iterator[tuple[int, int]]:
    if len(ours) * len(theirs) <= _WIDE:
        yield from ((i, j) for i in ours for j in theirs)
        return
    for key_a, key_b in pairing.keys_by_strength():
        waiting: dict[object, list[int]] = {}
        for j in reversed(theirs):
            waiting.setdefault(key_b[j], []).append(j)
        for i in ours:
            if waiting.get(key_a[i]):
                yield i, waiting[key_a[i]].pop()
