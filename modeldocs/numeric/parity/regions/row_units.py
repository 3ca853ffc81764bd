"""Rows of weights that are put in another order together: those of one projection."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace

import numpy as np

from modeldocs.numeric.parity import affine, feature_tracking, packed_rows
from modeldocs.numeric.parity.affine import Expressions
from modeldocs.numeric.parity.expression import Expression
from modeldocs.numeric.parity.matched_group import MatchedGroup
from modeldocs.numeric.parity.runnable_graph import RunnableGraph, Weight
from modeldocs.numeric.parity.transfer import Transfer


@dataclass(frozen=True)
class FeatureRowOrder:
    """An order of features: in each block of `size` of them, the first are a matrix of `axes`, of
    which rows and columns are exchanged, or the elements are reversed along one of them.
    """

    size: int
    axes: tuple[int, int]
    reversed: int | None = None

    def positions(self, count: int) -> np.ndarray:
        """For each of so many features, in whole blocks, its place before."""
        turned = math.prod(self.axes)
        blocks = np.arange(count).reshape(-1, self.size)
        first = blocks[:, :turned].reshape(-1, *self.axes)
        moved = first.swapaxes(1, 2) if self.reversed is None else np.flip(first, self.reversed + 1)
        rest = blocks[:, turned:]
        return np.concatenate([moved.reshape(-1, turned), rest], axis=1).reshape(-1)


@dataclass(frozen=True)
class ProjectionUnit:
    """The weight and bias of one projection: of B, or of A where B holds several in one.

    `part` are the rows that belong to it, where both hold several in one.
    """

    weights: tuple[Weight, ...]
    operator: str
    of_a: bool = False
    part: tuple[int, ...] = ()

    @property
    def rows(self) -> int:
        """The number of its features; 0 where its weight is not A's."""
        if self.part:
            return len(self.part)
        return next(
            (
                one.shape[axis]
                for one in self.weights
                if one.role == "weight" and (axis := _axis(one, self.operator)) is not None
            ),
            0,
        )


def units(transferred: Transfer, group: MatchedGroup, end: MatchedGroup) -> list[ProjectionUnit]:
    """The projections of a group, of the side that has more of them: what leads to each operand of
    the group `end`.
    """
    a, b = transferred.a, transferred.b
    ours, theirs = (
        [name for name in side.ids if graph.weights[name] and _is_linear(graph, name)]
        for graph, side in ((a, group.a), (b, group.b))
    )
    if len(theirs) >= len(ours):
        found = [_unit(transferred, name) for name in theirs]
        if len(found) == 1 and found[0].rows:
            parts = packed_rows.row_sets(b, theirs[0], end.b.ids)
            whole = found[0]
            found = [replace(whole, part=tuple(part.tolist())) for part in parts] or found
    else:
        stored = [
            name
            for name in ours
            if all(transferred.sources[one.name].step.op == "read" for one in a.weights[name])
        ]
        found = [
            ProjectionUnit(tuple(a.weights[n]), a.layers[n].operator, of_a=True) for n in stored
        ]
    return [one for one in found if one.rows]


def parts(
    transferred: Transfer, group: MatchedGroup, readers: tuple[Collection[str], Collection[str]]
) -> list[ProjectionUnit]:
    """Those rows of the projection of a group that layers of A or of B read together, without the
    others: such as the part of each head that a rotary position turns.
    """
    graphs = transferred.a, transferred.b
    made = [
        [name for name in side.ids if graph.weights[name] and _is_linear(graph, name)]
        for graph, side in zip(graphs, (group.a, group.b), strict=True)
    ]
    if any(len(names) != 1 for names in made):
        return []
    whole = _unit(transferred, made[1][0])
    sets = {
        rows
        for graph, names, some in zip(graphs, made, readers, strict=True)
        for rows in packed_rows.rows_read(graph, names[0], some)
        if len(rows) < whole.rows
    }
    largest = [rows for rows in sets if not any(rows < other for other in sets)]
    return [replace(whole, part=tuple(rows)) for rows in sorted(map(sorted, largest))]


def ordered(
    transferred: Transfer,
    chosen: Collection[ProjectionUnit],
    behind: Collection[str],
    order: FeatureRowOrder,
) -> Expressions:
    """B's weights with the rows of some projections in an order.

    `behind` are layers of B that read them: what they have of each feature is in that order too.
    """
    own, sources = dict(transferred.expressions), dict(transferred.sources)
    for unit in (*chosen, *(_unit(transferred, name) for name in behind)):
        (sources if unit.of_a else own).update(_ordered(unit, sources if unit.of_a else own, order))
    moved = {name: one for name, one in sources.items() if one is not transferred.sources[name]}
    return {
        name: _replaced(own[name], moved)
        for name, before in transferred.expressions.items()
        if own[name] is not before or not moved.keys().isdisjoint(before.reads())
    }


def _unit(transferred: Transfer, layer: str) -> ProjectionUnit:
    """The weights of a layer of B that A's give."""
    weights = transferred.b.weights.get(layer, ())
    given = tuple(one for one in weights if one.name in transferred.expressions)
    return ProjectionUnit(given, transferred.b.layers[layer].operator)


def _is_linear(graph: RunnableGraph, name: str) -> bool:
    return graph.layers[name].operator in affine.LINEAR


def _ordered(
    unit: ProjectionUnit, expressions: Mapping[str, Expression], order: FeatureRowOrder
) -> Expressions:
    """Those weights that have features in such blocks, in that order."""
    found: Expressions = {}
    for weight in unit.weights:
        array = weight.normal(expressions[weight.name])
        axis = _axis(weight, unit.operator)
        count = 0 if axis is None else len(unit.part) or array.shape[axis]
        if axis is not None and count % order.size == 0:
            positions = np.arange(array.shape[axis])
            part = np.array(unit.part) if unit.part else positions
            positions[part] = part[order.positions(count)]
            found[weight.name] = weight.stored(_along(array, axis, positions))
    return found


def _axis(weight: Weight, operator: str) -> int | None:
    """The axis of a weight, in normal order, along which its features are; None for several."""
    if operator in affine.LINEAR and weight.role == "weight":
        return len(weight.shape) - 1 if operator == "MatMul" else 0
    wide = [axis for axis, size in enumerate(weight.shape) if size > 1]
    return wide[0] if len(wide) == 1 else None


def _along(array: Expression, axis: int, positions: np.ndarray) -> Expression:
    """An array in another order along an axis."""
    front = [axis, *(one for one in range(array.ndim) if one != axis)]
    moved = feature_tracking.permute_rows(array.transpose(front), positions)
    return moved.transpose([front.index(one) for one in range(array.ndim)])


def _replaced(expression: Expression, parts: Mapping[str, Expression]) -> Expression:
    """An expression in which some stored arrays are others."""
    if expression.step.op == "read":
        return parts.get(str(expression.step.name), expression)
    of = tuple(_replaced(part, parts) for part in expression.of)
    return replace(expression, of=of)
