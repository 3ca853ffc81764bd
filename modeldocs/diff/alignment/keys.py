"""Keys: labels that identify nodes, and the nodes whose key is unique."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

import numpy as np
import numpy.typing as npt

from modeldocs.diff.alignment.matching import Matching
from modeldocs.diff.indexing.node_kinds import LEVEL_NAMES, RADII, SHAPE

Column = Sequence[int] | npt.NDArray[np.uint64]
Key = tuple[Column, ...]
"""Labels of all nodes of a graph, column by column; a node's key is its row."""

OwnLabels = tuple[Sequence[int], Sequence[int]]
"""The label of each node of A, and of B, by itself."""

KeyPair = tuple[Key, Key, str, float]
"""(A's key, B's key, the reason of pairs that have it in common, their confidence)."""

_PER_LEVEL: Final = 0.02
_BEFORE: Final = 0.96
_AFTER: Final = 0.95
_NEAR: Final = 0.8
_PER_RADIUS: Final = 0.025
_WIDEST: Final = 4
"""Confidences, which fall in the order in which keys are tried: with each level, from both
directions to one, and from one to a neighbourhood, by its radius up to 4. They are shown; and of
layers that read other operands, the least confident ones are the first that may have moved."""


def whole_graph_keys(matching: Matching, levels: Sequence[int]) -> Iterator[KeyPair]:
    """Keys by all ancestors and all descendants of a node."""
    for level in levels:
        a, b = matching.a.labels[level], matching.b.labels[level]
        reason = f"a unique place in the graph by {LEVEL_NAMES[level]}"
        yield (a.upstream, a.downstream), (b.upstream, b.downstream), reason, 1 - _PER_LEVEL * level


def one_way_keys(matching: Matching, levels: Sequence[int]) -> Iterator[KeyPair]:
    """Keys by all ancestors of a node, then by all its descendants."""
    for level in levels:
        a, b = matching.a.labels[level], matching.b.labels[level]
        reason = f"the same layers before it by {LEVEL_NAMES[level]}"
        yield (a.upstream,), (b.upstream,), reason, _BEFORE - _PER_LEVEL * level
    for level in levels:
        a, b = matching.a.labels[level], matching.b.labels[level]
        reason = f"the same layers after it by {LEVEL_NAMES[level]}"
        yield (a.downstream,), (b.downstream,), reason, _AFTER - _PER_LEVEL * level


def anchor_keys(matching: Matching, own: OwnLabels, levels: Sequence[int]) -> Iterator[KeyPair]:
    """Keys of an anchor by its place among the others, and by its own label."""
    a, b = own
    for level in levels:
        for keys in (whole_graph_keys(matching, (level,)), one_way_keys(matching, (level,))):
            for ours, theirs, reason, confidence in keys:
                yield (*ours, a), (*theirs, b), reason, confidence


def own_labels(matching: Matching, level: int) -> OwnLabels:
    """The labels of the nodes by themselves at a level."""
    return matching.a.labels[level].own, matching.b.labels[level].own


def neighbourhood_keys(matching: Matching, levels: Sequence[int]) -> Iterator[KeyPair]:
    """Keys by a node's neighbourhood, the largest first.

    Radius 1 at level SHAPE is left out: direct neighbours by operator and shape are too often
    equal.
    """
    for radius in range(max((RADII[level] for level in levels), default=0), 0, -1):
        for level in levels:
            if radius <= RADII[level] and (radius > 1 or level != SHAPE):
                a, b = matching.a.labels[level], matching.b.labels[level]
                reason = f"unique neighbourhood of radius {radius} by {LEVEL_NAMES[level]}"
                confidence = _NEAR + _PER_RADIUS * min(radius, _WIDEST) - _PER_LEVEL * level
                yield (a.neighbourhoods[radius],), (b.neighbourhoods[radius],), reason, confidence


def unique_nodes(nodes: list[int], key: Key) -> dict[object, int]:
    """The nodes whose key no other of `nodes` has, by key."""
    keys = list(key_values(nodes, key))
    last = dict(zip(keys, nodes, strict=True))
    if len(last) == len(nodes):
        return last
    first = dict(zip(reversed(keys), reversed(nodes), strict=True))
    return {value: node for value, node in last.items() if first[value] == node}


def key_values(nodes: list[int], key: Key) -> Iterable[object]:
    """The key of each of `nodes`."""
    columns = [_column(nodes, column) for column in key]
    return columns[0] if len(columns) == 1 else zip(*columns, strict=True)


def _column(nodes: list[int], column: Column) -> list[int]:
    if isinstance(column, np.ndarray):
        values: list[int] = column[nodes].tolist()
        return values
    return [column[node] for node in nodes]
