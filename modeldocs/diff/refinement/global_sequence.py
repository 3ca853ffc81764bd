"""All layers of two graphs aligned as two sequences.

Half or twice each score alone changes no diff of the catalog; of tests/diff some change with half
of `_SURROUNDINGS`, with `_OTHER_INPUT` above `_EQUAL`, and with another `_RADIUS`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Final

import numpy as np
import numpy.typing as npt

from modeldocs.diff.alignment.matching import Matching
from modeldocs.diff.alignment.sequences import ScoreBand, Table, best_path
from modeldocs.diff.function.canonical_op import CanonicalOp
from modeldocs.diff.function.parameter_shapes import (
    output_signature,
    weight_signature,
    window_signature,
)
from modeldocs.diff.indexing.indexed_graph import IndexedGraph
from modeldocs.diff.indexing.node_kinds import ANCHOR_CHANNELS, OPERATOR

_CELLS: Final = 4_000_000
"""Cells of an alignment table: beyond, layers are only compared with those near their place."""

_MOST: Final = 20_000
"""Layers of a graph beyond which no sequence is proposed: the bound on its time."""

_ROWS: Final = 256
"""Layers of A in each band of the table."""

_EQUAL: Final = 8.0
"""What equal parameters count. It is more than `_SURROUNDINGS`, so that the surroundings only
choose between layers with equal parameters."""

_OTHER_INPUT: Final = 7.5
"""The same where parameters only have another size because of what the layer reads. It is only
so much less that a sequence is not shifted by one because a single layer got wider."""

_RESIZED: Final = 2.0
"""The same where the layer makes another number of channels; its surroundings do not count."""

_ATTRIBUTES: Final = 2.0
"""What equal attributes add: a stage's first layer differs from its second by the stride alone."""

_SURROUNDINGS: Final = 6.0
"""What equal surroundings add at most."""

_WITHOUT_PARAMETERS: Final = 0.2
"""The share that a layer without parameters counts of what one with parameters does."""

_RADIUS: Final = 2
"""Radius up to which the surroundings are compared."""

Order = Sequence[int]
"""A place for each node of a graph."""

_Property = Callable[[CanonicalOp], object]
"""What layers are compared by; None for a layer that has nothing of it, and equals no other."""

_Codes = npt.NDArray[np.int64]


def align_orders(matching: Matching, ours: Order, theirs: Order) -> list[tuple[int, int]]:
    """The pairs of nodes, in the given order of both graphs, with the greatest sum of scores.

    Needleman-Wunsch over all layers, in a band for large graphs. Empty for very large ones.
    """
    left = sorted(range(len(matching.a)), key=ours.__getitem__)
    right = sorted(range(len(matching.b)), key=theirs.__getitem__)
    if not left or not right or max(len(left), len(right)) > _MOST:
        return []
    comparison = _SequenceScores(matching, left, right)
    return [(left[x], right[y]) for x, y in best_path(_bands(comparison))]


def _bands(comparison: _SequenceScores) -> Iterator[ScoreBand]:
    """The scores of all pairs that are compared, some of A's layers at a time."""
    rows, columns = comparison.rows, comparison.columns
    around = columns if rows * columns <= _CELLS else _CELLS // rows // 2
    for start in range(0, rows, _ROWS):
        end = min(start + _ROWS, rows)
        low = max(start * columns // rows - around, 0)
        high = columns if end == rows else min(-(-end * columns // rows) + around, columns)
        yield ScoreBand(low, comparison.scores(slice(start, end), slice(low, high)))


class _SequenceScores:
    """The layers of A and of B in an order of each, and the scores of their pairs."""

    def __init__(self, matching: Matching, left: Sequence[int], right: Sequence[int]) -> None:
        self.rows, self.columns = len(left), len(right)
        ops = [matching.a.ops[i] for i in left], [matching.b.ops[j] for j in right]
        properties: tuple[_Property, ...] = (
            weight_signature,
            output_signature,
            window_signature,
            _attributes,
            _operator_alone,
        )
        self.codes = {each: _codes(ops, each) for each in properties}
        self.labels = _surroundings(matching.a)[list(left)], _surroundings(matching.b)[list(right)]

    def scores(self, rows: slice, columns: slice) -> Table:
        """The score of each pair of some rows and columns; 0 where two may not be matched."""

        def same(compared: _Property) -> npt.NDArray[np.bool_]:
            ours, theirs = self.codes[compared]
            equal: npt.NDArray[np.bool_] = ours[rows, None] == theirs[None, columns]
            return equal

        equal, follows = same(weight_signature), same(output_signature)
        weighted = np.where(equal, _EQUAL, np.where(follows, _OTHER_INPUT, 0))
        context = self._surroundings(rows, columns) + _ATTRIBUTES * same(_attributes)
        resized = np.where(same(window_signature), _RESIZED, 0)
        with_parameters = np.where(weighted > 0, weighted + context, resized)
        without = _WITHOUT_PARAMETERS * (_EQUAL + context)
        scores: Table = np.where(same(_operator_alone), without, with_parameters).astype(np.float32)
        return scores

    def _surroundings(self, rows: slice, columns: slice) -> Table:
        """What the surroundings of each pair count, by the share of labels that are equal."""
        ours, theirs = self.labels[0][rows], self.labels[1][columns]
        total = np.zeros((len(ours), len(theirs)), np.float32)
        for one, other in zip(ours.T, theirs.T, strict=True):
            total += one[:, None] == other[None, :]
        return total * np.float32(_SURROUNDINGS / ours.shape[1])


def _surroundings(graph: IndexedGraph) -> npt.NDArray[np.uint64]:
    """Neighbourhood labels, a row a node, at levels at which the size of an operand does not count.

    One layer that makes other channels gives every layer behind it operands of other sizes.
    """
    levels = (graph.labels[OPERATOR], graph.labels[ANCHOR_CHANNELS])
    columns = [column for level in levels for column in level.neighbourhoods[1 : _RADIUS + 1]]
    return np.stack(columns, axis=1)


def _attributes(op: CanonicalOp) -> object:
    return op.attributes


def _operator_alone(op: CanonicalOp) -> object:
    """The operator of a layer without parameters."""
    return None if op.parameters else op.operator


def _codes(
    ops: tuple[Sequence[CanonicalOp], Sequence[CanonicalOp]], compared: _Property
) -> tuple[_Codes, _Codes]:
    """A number for each layer of A and of B, equal where the property is."""
    numbers: dict[object, int] = {}
    ours, theirs = (
        np.array([_code(numbers, compared(op), unlike) for op in each])
        for each, unlike in zip(ops, (-1, -2), strict=True)
    )
    return ours, theirs


def _code(numbers: dict[object, int], value: object, unlike: int) -> int:
    return unlike if value is None else numbers.setdefault(value, len(numbers))
