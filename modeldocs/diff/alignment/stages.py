"""The stages of a matching: seeds, propagation from them, ties, then the gaps in between."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from modeldocs.diff.alignment.keys import Key, key_values
from modeldocs.diff.alignment.matching import Matching
from modeldocs.diff.alignment.propagation import propagate
from modeldocs.diff.alignment.seeds import match_seeds, match_seeds_by_operator
from modeldocs.diff.alignment.similarity import interchangeable, same_shape_or_weight, same_weight
from modeldocs.diff.alignment.trailing_ops import match_epilogues
from modeldocs.diff.alignment.unmatched_regions import fill_gaps
from modeldocs.diff.function.canonical_op import INPUT
from modeldocs.diff.indexing.node_kinds import EXACT, SHAPE, WEIGHT

_ROUNDS: Final = 3
"""Times that the gaps are filled: each round starts from the pairs of the last one. With 1, 2 diffs
of the catalog change (Inception-BN against Inception-v3), with 2 none."""


def complete(matching: Matching) -> None:
    """Match as many nodes as possible, given the pairs that are already matched."""
    _match_only_inputs(matching)
    stages = (
        match_seeds,
        _propagate,
        _break_ties,
        match_seeds_by_operator,
        _propagate,
        _fill_gaps,
    )
    for stage in stages:
        if matching.exhausted:
            break
        stage(matching)
        match_epilogues(matching)


def _match_only_inputs(matching: Matching) -> None:
    ours = [i for i, op in enumerate(matching.a.ops) if op.operator == INPUT]
    theirs = [j for j, op in enumerate(matching.b.ops) if op.operator == INPUT]
    if len(ours) == len(theirs) == 1:
        matching.match(ours[0], theirs[0], "the only input", 1.0)


def _propagate(matching: Matching) -> None:
    propagate(matching, matching.frontier(), same_shape_or_weight)


def _break_ties(matching: Matching) -> None:
    """Match nodes with equal surroundings: any pair of them, then what propagation adds."""
    if matching.nearly_matched(range(len(matching.a)), range(len(matching.b))):
        return
    for i, j in _ties(matching):
        matching.match(i, j, "one of several layers with equal surroundings", 0.9)
        propagate(matching, [(i, j)], same_shape_or_weight)


def _ties(matching: Matching) -> Iterator[tuple[int, int]]:
    """Pairs of unmatched nodes with equal labels, from the smallest class of such nodes on.

    The caller propagates from a pair before it takes the next.
    """
    for level in (EXACT, SHAPE, WEIGHT):
        a, b = matching.a.labels[level], matching.b.labels[level]
        ours = _classes(matching.unmatched_a(), (a.upstream, a.downstream))
        theirs = _classes(matching.unmatched_b(), (b.upstream, b.downstream))
        shared = [(ours[key], theirs[key]) for key in ours if key in theirs]
        for members, others in sorted(shared, key=lambda pair: (len(pair[0]), pair[0][0])):
            rest = iter(others)
            for i in members:
                if matching.to_b[i] < 0:
                    j = next((j for j in rest if matching.to_a[j] < 0), None)
                    if j is None:
                        break
                    yield i, j


def _classes(nodes: list[int], key: Key) -> dict[object, list[int]]:
    """The nodes by their key."""
    classes: dict[object, list[int]] = {}
    for node, value in zip(nodes, key_values(nodes, key), strict=True):
        classes.setdefault(value, []).append(node)
    return classes


def _fill_gaps(matching: Matching) -> None:
    """First by equal weights, then by interchangeable operators."""
    for compatible in (same_weight, interchangeable):
        for _ in range(_ROUNDS):
            pairs = fill_gaps(matching, compatible)
            propagate(matching, pairs or matching.frontier(), compatible)
            match_epilogues(matching)
            if not pairs or matching.exhausted:
                break
