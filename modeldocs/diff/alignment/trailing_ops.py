"""Epilogues of matched anchors, aligned from the anchor on."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Final

from modeldocs.diff.alignment.matching import Matching
from modeldocs.diff.alignment.sequences import align_sequences
from modeldocs.diff.alignment.similarity import (
    same_family,
    same_function,
    same_operator,
    similarity,
)
from modeldocs.diff.indexing.indexed_graph import IndexedGraph

_CELLS: Final = 4096
"""Cells of an alignment table beyond which a run is left to the stages that follow."""

_SAME_OPERATOR: Final = 4.0
_SAME_FAMILY: Final = 1.5
"""The score of a pair of one operator, and of two of one family: less than half, so that one pair
of equal operators is preferred to two pairs of different ones. Half or twice each changes none of
the diffs that were tried, 397 of tests/diff and 205 of the catalog."""

_RunOf = Callable[[IndexedGraph, list[int], int], list[int]]
_Align = Callable[[Matching, list[int], list[int]], Iterator[tuple[int, int]]]


def match_epilogues(matching: Matching) -> None:
    """Match the layers that follow matched anchors one after the other.

    First epilogues that are the same in both graphs, then runs of layers that continue through
    unmatched anchors. Where an epilogue has one layer more than its counterpart's, the one of two
    equal layers that is nearer to the anchor is matched.
    """
    _match_runs(matching, _epilogue, _equal)
    _match_runs(matching, _extended_run, _most_similar)


def _match_runs(matching: Matching, run_of: _RunOf, align: _Align) -> None:
    for i in _leading_anchors(matching):
        j = matching.to_b[i]
        if not matching.b.groups.is_anchor(j):
            continue
        ours, theirs = run_of(matching.a, matching.to_b, i), run_of(matching.b, matching.to_a, j)
        reason = f"in order after {matching.a.nodes[i].id} → {matching.b.nodes[j].id}"
        for x, y in _between_pairs(matching, ours, theirs, align):
            matching.match(x, y, reason, 0.9 if same_operator(matching, x, y) else 0.7)


def _leading_anchors(matching: Matching) -> list[int]:
    """The matched anchors of A that are followed by an unmatched node in one run."""
    anchor_of, sources = matching.a.groups.anchor_of, matching.a.sources
    anchors = set()
    for node in matching.unmatched_a():
        at = anchor_of[node]
        while matching.to_b[at] < 0 and len(sources[at]) == 1:
            at = anchor_of[sources[at][0][1]]
        anchors.add(at)
    return sorted(at for at in anchors if matching.to_b[at] >= 0)


def _epilogue(graph: IndexedGraph, _: Sequence[int], anchor: int) -> list[int]:
    """The epilogue of an anchor, as far as it does not branch."""
    anchor_of = graph.groups.anchor_of
    return _run(graph, anchor, lambda node: anchor_of[node] == anchor)


def _extended_run(graph: IndexedGraph, counterpart: Sequence[int], anchor: int) -> list[int]:
    """The epilogue and the layers after it, through unmatched anchors where nothing branches."""
    anchor_of = graph.groups.anchor_of

    def belongs(node: int) -> bool:
        if anchor_of[node] != node:
            return True
        sources = graph.sources[node]
        return counterpart[node] < 0 and len(sources) == 1 == len(graph.users[sources[0][1]])

    return _run(graph, anchor, belongs)


def _run(graph: IndexedGraph, start: int, belongs: Callable[[int], bool]) -> list[int]:
    """The nodes after `start`, each the only user of the one before that belongs to the run."""
    run: list[int] = []
    node = start
    while node >= 0:
        after = -1
        for _, user in graph.users[node]:
            if user != after and belongs(user):
                if after >= 0:
                    return run
                after = user
        if after >= 0:
            run.append(after)
        node = after
    return run


def _between_pairs(
    matching: Matching, ours: list[int], theirs: list[int], align: _Align
) -> Iterator[tuple[int, int]]:
    """Pairs of two runs, aligned between those pairs that are already matched."""
    if not ours or not theirs:
        return
    place = {node: y for y, node in enumerate(theirs)}
    start = y = 0
    for x, node in enumerate(ours):
        at = place.get(matching.to_b[node], -1)
        if at >= y:
            yield from align(matching, ours[start:x], theirs[y:at])
            start, y = x + 1, at + 1
    yield from align(matching, ours[start:], theirs[y:])


def _equal(matching: Matching, ours: list[int], theirs: list[int]) -> Iterator[tuple[int, int]]:
    """All unmatched pairs of two runs that compute the same layer by layer."""
    if len(ours) != len(theirs):
        return
    pairs = list(zip(ours, theirs, strict=True))
    if all(same_function(matching, i, j) for i, j in pairs):
        yield from ((i, j) for i, j in pairs if matching.both_unmatched(i, j))


def _most_similar(
    matching: Matching, ours: list[int], theirs: list[int]
) -> Iterator[tuple[int, int]]:
    """The unmatched pairs, in order of both runs, that are most similar altogether."""
    left = [i for i in ours if matching.to_b[i] < 0]
    right = [j for j in theirs if matching.to_a[j] < 0]
    if len(left) * len(right) <= _CELLS:
        scores = [[_score(matching, i, j) for j in right] for i in left]
        yield from ((left[x], right[y]) for x, y in align_sequences(scores))


def _score(matching: Matching, i: int, j: int) -> float:
    if same_operator(matching, i, j):
        return _SAME_OPERATOR + similarity(matching, i, j)
    return _SAME_FAMILY if same_family(matching, i, j) else 0.0
