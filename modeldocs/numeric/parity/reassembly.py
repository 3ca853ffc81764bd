"""Stored weights expressed in the pieces of them that layers read."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import onnx_ir as ir

from modeldocs.normal import affine_weights, values
from modeldocs.normal.data_movement import permutations, tracing
from modeldocs.normal.weight_norm import WeightNorm
from modeldocs.numeric.parity.expression import (
    ARITHMETIC,
    Expression,
    calculated,
    concatenate,
    direction,
    full,
    norm_over,
    same_axis,
)
from modeldocs.numeric.parity.runnable_graph import RunnableGraph
from modeldocs.numeric.parity.weight_slices import Shape, Slice, slices


class Reassembly:
    """Expresses stored weights in the pieces of them that layers read."""

    def __init__(self, graph: RunnableGraph, composed: Mapping[int, Expression]) -> None:
        self.composed = composed
        self.arranged = tracing.arranged_parameters(graph.model.graph)
        self.normed = {
            id(stored): one
            for one in graph.weight_norms.values()
            for stored in (one.direction, one.length)
        }

    def of(self, value: ir.Value) -> Expression | None:
        """A value, of the pieces that are read of it; None where there are none."""
        if id(value) in self.composed:
            return self.composed[id(value)]
        shape = values.shape(value)
        if id(value) in self.normed and shape is not None:
            return self._of_norm(self.normed[id(value)], value, shape)
        pieces: dict[Slice | None, Expression] = {}
        if shape is not None:
            for bounds, piece in self._pieces(value, shape):
                pieces.setdefault(bounds, piece)
        if None in pieces or not pieces or shape is None:
            return pieces.get(None)
        return _concatenated({bounds: part for bounds, part in pieces.items() if bounds}, shape)

    def _of_norm(self, norm: WeightNorm, value: ir.Value, shape: Shape) -> Expression | None:
        """The direction or the length of a normalized weight."""
        weight = self.of(norm.output)
        if weight is None:
            return None
        if value is norm.direction:
            return direction(weight, norm.axes)
        return norm_over(weight, norm.axes).reshape(shape)

    def _pieces(self, value: ir.Value, shape: Shape) -> Iterator[tuple[Slice | None, Expression]]:
        """The pieces that are read of a value, with their place; None stands for all of it."""
        for use in value.uses():
            if id(use.node) not in self.arranged:
                continue
            for output in use.node.outputs:
                expression = self.of(output)
                if expression is not None:
                    yield from self._inverse(use.node, use.idx, output, expression, shape)

    def _inverse(
        self, node: ir.Node, slot: int, output: ir.Value, expression: Expression, shape: Shape
    ) -> Iterator[tuple[Slice | None, Expression]]:
        """The piece of a node's operand that one of its outputs holds, with its place."""
        pieces, affine = slices(node, output, shape), affine_weights.source(node)
        if affine is not None:
            factor, offset = affine[1]
            stored = (expression - full(shape, offset)) / full(shape, factor)
            yield None, stored
        elif node.op_type == "Concat":
            axis = int(values.attribute(node, "axis", 0)) % len(shape)
            before = (values.shape(part) for part in node.inputs[:slot])
            start = sum(
                operand_shape[axis] for operand_shape in before if operand_shape is not None
            )
            yield None, expression.slice(axis, start, start + shape[axis])
        elif pieces is not None:
            expression = expression.flip([axis for axis, _, _, flipped in pieces if flipped])
            proper = [piece for piece in pieces if piece[2] - piece[1] != shape[piece[0]]]
            if len(proper) < 2:
                yield (proper[0] if proper else None), expression
        elif values.is_operator(node, "Transpose"):
            order = permutations.of_node(node)
            if order is not None:
                yield None, expression.transpose(permutations.inverse(order))
        elif full(shape, 0).size == expression.size:
            yield None, expression.reshape(shape)
        elif values.is_operator(node, "Tile", "Expand"):
            yield None, _first_copy(expression, shape)


def _first_copy(expression: Expression, shape: Shape) -> Expression:
    """The array of a shape that an array is copies of."""
    aligned = (*(1,) * (expression.ndim - len(shape)), *shape)
    for axis, size in enumerate(aligned):
        expression = expression.slice(axis, 0, size)
    return expression.reshape(shape)


def _concatenated(pieces: Mapping[Slice, Expression], shape: Shape) -> Expression | None:
    """The pieces along one axis, in order, grown over what no layer reads.

    A table is longer than the inputs that it was traced with: where a piece is cut from a longer
    array, what lies beside it there belongs beside it here. Zeros are for what is left.
    """
    axes = {bounds[0] for bounds in pieces}
    if len(axes) != 1:
        return None
    axis, position = axes.pop(), 0
    parts: list[Expression] = []
    ordered = sorted(pieces.items(), key=lambda item: item[0][1:3])
    for number, ((_, start, stop, _), piece) in enumerate(ordered):
        if start < position:
            return None
        following = ordered[number + 1][0][1] if number + 1 < len(ordered) else shape[axis]
        before, grown, after = _grown(piece, axis, start - position, following - stop)
        parts += _zeros(shape, axis, start - position - before)
        parts.append(grown)
        position = stop + after
    return concatenate([*parts, *_zeros(shape, axis, shape[axis] - position)], axis)


def _grown(piece: Expression, axis: int, before: int, after: int) -> tuple[int, Expression, int]:
    """A piece that is cut from an array, with what lies beside it there: at most so many elements.

    Returns:
        The number of elements more in front of it, the piece, and those more behind it.
    """
    op, inner = piece.step.op, piece.of[0] if piece.of else None
    if op in ARITHMETIC and len(piece.of) == 2 and piece.of[0].shape == piece.shape:
        constant = piece.of[1].constant
        if constant is not None:
            less, grown, more = _grown(piece.of[0], axis, before, after)
            return less, calculated(op, grown, full(grown.shape, constant)), more
    if op == "slice" and inner is not None and piece.step.axis == axis:
        start, stop = piece.step.start or 0, piece.step.stop or 0
        less, more = min(before, start), min(after, inner.shape[axis] - stop)
        return less, inner.slice(axis, start - less, stop + more), more
    place = axis if op != "transpose" else (piece.step.axes or ())[axis]
    if op == "reshape" and inner is not None:
        found = same_axis(piece.shape, inner.shape, axis)
        place = -1 if found is None else found
    if inner is None or op not in ("transpose", "reshape", "slice") or place < 0:
        return 0, piece, 0
    less, grown, more = _grown(inner, place, before, after)
    shape = list(piece.shape)
    shape[axis] += less + more
    if op == "transpose":
        return less, grown.transpose(piece.step.axes), more
    if op == "reshape":
        return less, grown.reshape(tuple(shape)), more
    cut = piece.step
    return less, grown.slice(cut.axis or 0, cut.start or 0, cut.stop or 0), more


def _zeros(shape: Shape, axis: int, size: int) -> list[Expression]:
    return [full((*shape[:axis], size, *shape[axis + 1 :]), 0)] if size else []
