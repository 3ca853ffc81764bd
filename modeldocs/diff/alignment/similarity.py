"""The similarity of two nodes as a number, and the conditions for matching them."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Final

import numpy as np

from modeldocs.diff.alignment.matching import Matching, operator_of
from modeldocs.diff.function.canonical_op import CanonicalOp
from modeldocs.diff.indexing.edges import HUB_DEGREE, Edge
from modeldocs.diff.indexing.indexed_graph import IndexedGraph
from modeldocs.diff.indexing.node_kinds import (
    ANCHOR_CHANNELS,
    LAYER_LEVELS,
    OPERATOR,
    RADII,
    SHAPE,
    WEIGHT,
)
from modeldocs.ir.operators import family

Compatible = Callable[[Matching, int, int], bool]
"""Whether a node of A and one of B may be matched at all."""

_WEIGHT: Final = 3.0
"""What weights of the same shape count, against 1 for each neighbourhood label that is the same.
Half or twice as much changes no diff of the catalog or of tests/diff."""

_FEW: Final = 4
"""Edges that are looked through faster than a set of them is made."""

_LABELS: Final = sum(1 + RADII[level] for level in LAYER_LEVELS)
_GREATEST: Final = _LABELS + 1 + _WEIGHT
"""The score of a node and itself."""


def confidence(matching: Matching, i: int, j: int, least: float, span: float = 0.5) -> float:
    """The confidence of a pair, from `least` to `least + span` by its similarity."""
    return confidence_of(similarity_score(matching, i, j), least, span)


def confidence_of(score: float, least: float, span: float = 0.5) -> float:
    """The confidence of a pair of that similarity score."""
    return round(least + span * (score / _GREATEST), 3)


def similarity(matching: Matching, i: int, j: int) -> float:
    """How similar two nodes are, from 0 to 1."""
    return similarity_score(matching, i, j) / _GREATEST


def similarity_score(matching: Matching, i: int, j: int) -> float:
    """The number of equal neighbourhood labels, plus the shares of equal settings and weights."""
    ours, theirs = matching.a.ops[i], matching.b.ops[j]
    labels_a, labels_b = matching.label_bytes
    if labels_a[i] == labels_b[j]:
        labels = _LABELS
    else:
        rows_a, rows_b = matching.label_rows
        labels = int(np.count_nonzero(rows_a[i] == rows_b[j]))
    if ours is theirs:
        return labels + 1.0 + _WEIGHT
    return labels + _shared_settings(ours, theirs) + _WEIGHT * _shared_weight(ours, theirs)


def _shared_settings(a: CanonicalOp, b: CanonicalOp) -> float:
    """The share of attributes and parameter shapes that two layers have in common."""
    if a.attributes == b.attributes and a.parameters == b.parameters:
        return 1.0
    ours, theirs = {*a.attributes, *a.parameters}, {*b.attributes, *b.parameters}
    return len(ours & theirs) / len(ours | theirs)


def _shared_weight(a: CanonicalOp, b: CanonicalOp) -> float:
    """The share of equal sizes in the shapes of two weights; 1 where there are none."""
    ours, theirs = dict(a.parameters).get("weight", ()), dict(b.parameters).get("weight", ())
    if len(ours) != len(theirs):
        return 0.0
    return sum(map(int.__eq__, ours, theirs)) / len(ours) if ours else 1.0


def support(matching: Matching, i: int, j: int) -> int:
    """How many edges of A's node lead to a pair that the same edge of B's node leads to."""
    return sum(_support(x, y, matching.to_b) for x, y in matching.edge_pairs(i, j))


def _support(ours: list[Edge], theirs: list[Edge], to_b: list[int]) -> int:
    if len(ours) > HUB_DEGREE or len(theirs) > HUB_DEGREE:
        return 0
    there = set(theirs)
    return sum((code, to_b[other]) in there for code, other in ours if to_b[other] >= 0)


def conflicts(matching: Matching, i: int, j: int) -> int:
    """How many edges of either node lead to a matched node, but not to the same pair."""
    to_b, to_a = matching.to_b, matching.to_a
    count = 0
    for ours, theirs in matching.edge_pairs(i, j):
        if len(ours) == 1 == len(theirs):
            (code, x), (other, y) = ours[0], theirs[0]
            if code != other or to_b[x] != y:
                count += (to_b[x] >= 0) + (to_a[y] >= 0)
        elif len(ours) <= HUB_DEGREE and len(theirs) <= HUB_DEGREE:
            count += _unshared(ours, theirs, to_b) + _unshared(theirs, ours, to_a)
    return count


def _unshared(ours: list[Edge], theirs: list[Edge], counterpart: list[int]) -> int:
    there = theirs if len(theirs) <= _FEW else set(theirs)
    count = 0
    for code, other in ours:
        found = counterpart[other]
        if found >= 0 and (code, found) not in there:
            count += 1
    return count


def anchors_agree(matching: Matching, i: int, j: int) -> bool:
    """Whether the anchors of two nodes are counterparts, or both are still without one."""
    x, y = matching.a.groups.anchor_of[i], matching.b.groups.anchor_of[j]
    return matching.to_b[x] == y or matching.both_unmatched(x, y)


def same_function(matching: Matching, i: int, j: int) -> bool:
    """Whether both compute the same, given the same parameters."""
    return matching.a.ops[i].same_function(matching.b.ops[j])


def same_operator(matching: Matching, i: int, j: int) -> bool:
    """Whether both have one operator, as it is canonically or as their sources name it."""
    return matching.a.ops[i].operator == matching.b.ops[j].operator or (
        operator_of(matching.a, i) == operator_of(matching.b, j)
    )


def same_family(matching: Matching, i: int, j: int) -> bool:
    """Whether one operator could replace the other (ReLU for sigmoid)."""
    return _same_family(operator_of(matching.a, i), operator_of(matching.b, j))


@cache
def _same_family(a: str, b: str) -> bool:
    return family(a) != "other" and family(a) == family(b)


def interchangeable(matching: Matching, i: int, j: int) -> bool:
    """Whether both have the same operator, or one could replace the other."""
    return same_operator(matching, i, j) or same_family(matching, i, j)


def same_shape_or_weight(matching: Matching, i: int, j: int) -> bool:
    """Whether both have one operator with one output shape, or with one weight and channels."""
    ours, theirs = matching.a.kinds[i].label_digests, matching.b.kinds[j].label_digests
    same = ours[SHAPE] == theirs[SHAPE] or ours[WEIGHT] == theirs[WEIGHT]
    return same and anchors_agree(matching, i, j)


def channels(graph: IndexedGraph, node: int) -> object:
    """Equal for nodes with the same operator that make the same channels."""
    labels = graph.kinds[node].label_digests
    return labels[ANCHOR_CHANNELS], labels[OPERATOR]


def same_channels(matching: Matching, i: int, j: int) -> bool:
    """Whether both have the same operator and make the same channels."""
    same = channels(matching.a, i) == channels(matching.b, j)
    return same and anchors_agree(matching, i, j)


def same_weight(matching: Matching, i: int, j: int) -> bool:
    """Whether both have the same operator with a weight of the same shape, or with none."""
    equal = _shared_weight(matching.a.ops[i], matching.b.ops[j]) == 1
    return equal and same_operator(matching, i, j) and anchors_agree(matching, i, j)
