"""Propagation: from a matched pair to the nodes at the other ends of their equal edges."""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Iterator
from itertools import count
from typing import Final

from modeldocs.diff.alignment.matching import Matching
from modeldocs.diff.alignment.similarity import (
    Compatible,
    confidence_of,
    conflicts,
    similarity_score,
)
from modeldocs.diff.indexing.edges import Edge
from modeldocs.diff.indexing.indexed_graph import IndexedGraph

_MOST_COMBINATIONS: Final = 256
"""Combinations of neighbours beyond which only those with equal labels are tried."""

_CONFLICT: Final = 3.0
"""What an edge to another pair takes from the similarity score of two nodes. With 1.5 one diff of
tests/diff changes, with 6 three."""

_LEAST_CONFIDENCE: Final = 0.4
"""Confidence of a pair without any similarity. An edge leads to it: more than order alone says."""

_Entry = tuple[float, int, int, int, int, int, int, float]
"""(cost, conflicts, newest first, node of A, node of B, the pair that led here, similarity)."""


def propagate(matching: Matching, pairs: Iterable[tuple[int, int]], compatible: Compatible) -> None:
    """Match neighbours of `pairs`, and theirs in turn, the most similar first.

    Of equally similar pairs the newest goes first, so that one of several equal branches is
    followed to its end before the next is begun.
    """
    heap: list[_Entry] = []
    order = count()
    for i, j in pairs:
        _push(matching, heap, order, (i, j), compatible)
    while heap:
        cost, counted, _, i, j, from_i, from_j, score = entry = heapq.heappop(heap)
        if not matching.both_unmatched(i, j):
            continue
        now = conflicts(matching, i, j)
        if now > counted:
            heapq.heappush(heap, (cost + _CONFLICT * (now - counted), now, *entry[2:]))
            continue
        reason = "by operand slot" if i < from_i else "by the slot of a reader"
        certainty = confidence_of(score, _LEAST_CONFIDENCE)
        matching.match(i, j, reason, certainty, (from_i, from_j))
        _push(matching, heap, order, (i, j), compatible)


def _push(
    matching: Matching,
    heap: list[_Entry],
    order: Iterator[int],
    pair: tuple[int, int],
    compatible: Compatible,
) -> None:
    for i, j in reversed(dict.fromkeys(_neighbours(matching, *pair))):
        if compatible(matching, i, j):
            counted = conflicts(matching, i, j)
            score = similarity_score(matching, i, j)
            cost = _CONFLICT * counted - score
            heapq.heappush(heap, (cost, counted, -next(order), i, j, *pair, score))


def _neighbours(matching: Matching, i: int, j: int) -> Iterator[tuple[int, int]]:
    """Unmatched nodes that edges of one code lead to; between anchors all codes are equal."""
    a, b = matching.a, matching.b
    for ours, theirs in matching.edge_pairs(i, j):
        if len(ours) == 1 == len(theirs):
            (code, x), (other, y) = ours[0], theirs[0]
            if code == other and matching.both_unmatched(x, y):
                yield x, y
            continue
        left = _unmatched_by_code(a, ours, matching.to_b)
        if left:
            right = _unmatched_by_code(b, theirs, matching.to_a)
            for code, nodes in left.items():
                yield from _combinations(matching, nodes, right.get(code, []))


def _unmatched_by_code(
    graph: IndexedGraph, edges: list[Edge], counterpart: list[int]
) -> dict[int, list[int]]:
    """The unmatched nodes at the other ends of `edges`, by the edges' code."""
    by_code: dict[int, list[int]] = {}
    for code, node in edges:
        if counterpart[node] < 0:
            by_code.setdefault(code, []).append(node)
    for nodes in by_code.values():
        if len(nodes) > 1:
            nodes.sort(key=graph.postorder.__getitem__)
    return by_code


def _combinations(
    matching: Matching, ours: list[int], theirs: list[int]
) -> Iterator[tuple[int, int]]:
    if len(ours) * len(theirs) <= _MOST_COMBINATIONS:
        yield from ((i, j) for i in ours for j in theirs)
        return
    for labels_a, labels_b in matching.label_columns():
        waiting: dict[object, list[int]] = {}
        for j in reversed(theirs):
            waiting.setdefault(labels_b[j], []).append(j)
        for i in ours:
            if waiting.get(labels_a[i]):
                yield i, waiting[labels_a[i]].pop()
