"""Moves: layers that are the same in both graphs, at different places."""

from __future__ import annotations

from collections import defaultdict
from typing import Final

from modeldocs.diff.alignment.matching import Matching
from modeldocs.diff.alignment.operand_equivalence import Wiring
from modeldocs.diff.alignment.unmatched_regions import Gap, find_gaps
from modeldocs.diff.indexing.indexed_graph import IndexedGraph

_MOST: Final = 2_000
"""Layers that read others beyond which the graphs are too different to speak of moves."""

_EXPLAINED: Final = 2
"""Layers whose other operands a move must explain, the moved one among them. With 1, which is any
layer by itself, 16 diffs of tests/diff change; with 4 none."""


def find_moves(matching: Matching) -> None:
    """Match unmatched layers that are the same at different places, and mark moved layers."""
    before = set(matching.unmatched_a())
    for gap in find_gaps(matching, loose=True):
        _match_equal(matching, gap)
    wiring = Wiring(matching)
    matched = [i for i in sorted(before) if matching.to_b[i] >= 0]
    matching.moved.update(i for i in matched if not wiring.in_place(i, matching.to_b[i]))
    _mark_explaining(matching, wiring)


def _match_equal(matching: Matching, gap: Gap) -> None:
    """Match layers of a gap that compute the same, in order."""
    ours, theirs = _by_function(matching.a, gap.a), _by_function(matching.b, gap.b)
    for key, members in ours.items():
        for i, j in zip(members, theirs.get(key, ()), strict=False):
            matching.match(i, j, "the same layer, elsewhere between the same matched layers", 0.6)


def _by_function(graph: IndexedGraph, nodes: list[int]) -> dict[object, list[int]]:
    by_function: dict[object, list[int]] = defaultdict(list)
    for node in nodes:
        op = graph.ops[node]
        by_function[op.operator, op.attributes, op.parameters].append(node)
    return by_function


def _mark_explaining(matching: Matching, wiring: Wiring) -> None:
    """Mark a matched layer as moved where that explains other operands of layers around it.

    A pooling before a norm in one graph, and after it in the other, gives three layers other
    operands; that one of the two moved explains all three.
    """
    differing = {i for i, j in matching.pairs() if wiring.differing_operands(i, j)}
    if len(differing) > _MOST:
        return
    for i in sorted(differing, key=lambda node: (matching.reasons[node][1], node)):
        near = {i, *_matched_neighbours(matching, i)} - matching.moved
        before = _count_differing(matching, wiring, near)
        if before < _EXPLAINED or i in matching.moved:
            continue
        matching.moved.add(i)
        after = _count_differing(matching, wiring, near - {i})
        if before - after < _EXPLAINED:
            matching.moved.discard(i)


def _count_differing(matching: Matching, wiring: Wiring, nodes: set[int]) -> int:
    return sum(bool(wiring.differing_operands(x, matching.to_b[x])) for x in nodes)


def _matched_neighbours(matching: Matching, i: int) -> set[int]:
    """Matched nodes of A next to i, or whose counterparts are next to that of i."""
    ours = set(matching.a.neighbours(i))
    theirs = {matching.to_a[node] for node in matching.b.neighbours(matching.to_b[i])}
    return {node for node in ours | theirs if node >= 0 and matching.to_b[node] >= 0}
