"""Weights that a network slices, concatenates or transposes before a layer reads them.

A `MultiheadAttention` stores q, k and v in one array and slices it; an LSTM's gates are joined.
Here a layer's weight is expressed in stored ones, and a stored one in the pieces that layers read.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np
import onnx_ir as ir

from modeldocs.normal import permutations, plumbing, values
from modeldocs.parity.evaluation import evaluate
from modeldocs.parity.expression import Expression, concatenate, full, read, same_axis
from modeldocs.parity.runnable_graph import RunnableGraph

_END = 2**31 - 1
Shape = tuple[int, ...]
Slice = tuple[int, int, int, bool]
"""An axis, the start and stop of a piece along it, and whether the piece is flipped."""


def sources(graph: RunnableGraph) -> dict[str, Expression]:
    """Every weight that a layer reads, by name, as an expression of stored ones."""
    expressions = _as_read(graph)
    known = stored(graph, expressions)
    for name, value in graph.composed.items():
        expression = _composed(value)
        if (
            name in expressions
            and expression is not None
            and all(part in known for part in expression.reads())
        ):
            expressions[name] = expression
    return expressions


def rebuilt(graph: RunnableGraph) -> dict[str, Expression]:
    """Stored weights by name, as expressions of those that layers read; without those of which
    layers read only a part.
    """
    return stored(graph, _as_read(graph))


def _as_read(graph: RunnableGraph) -> dict[str, Expression]:
    every = (weight for weights in graph.weights.values() for weight in weights)
    return {weight.name: read(weight.name, weight.stored_shape) for weight in every}


def stored_arrays(graph: RunnableGraph, arrays: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Stored weights as arrays, computed from the arrays that layers read."""
    expressions = {name: read(name, array.shape) for name, array in arrays.items()}
    return {
        name: evaluate(expression, arrays)
        for name, expression in stored(graph, expressions).items()
    }


def consistent(graph: RunnableGraph, arrays: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
    """The arrays that layers read, as one checkpoint gives them.

    Constants among a composed weight keep their values, and what is stored once has one value.
    """
    if not graph.composed:
        return dict(arrays)
    result = dict(arrays)
    checkpoint = result | stored_arrays(graph, arrays)
    for name, expression in sources(graph).items():
        if name in graph.composed and name not in expression.reads():
            result[name] = np.ascontiguousarray(
                evaluate(expression, checkpoint), arrays[name].dtype
            )
    return result


def stored(graph: RunnableGraph, expressions: Mapping[str, Expression]) -> dict[str, Expression]:
    """Stored weights by name, as expressions of the weights that layers read."""
    composed = {
        id(graph.composed[name]): expression
        for name, expression in expressions.items()
        if name in graph.composed
    }
    reassembly = _Reassembly(graph, composed)
    result = {
        name: expression for name, expression in expressions.items() if name not in graph.composed
    }
    for value in graph.model.graph.initializers.values():
        name = str(value.name)
        if values.is_parameter(value) and name not in result and name not in graph.composed:
            rebuilt = reassembly.of(value)
            if rebuilt is not None:
                result[name] = rebuilt
    return result


def _composed(value: ir.Value) -> Expression | None:
    """A value as an expression of stored weights; None where more is done than moving elements."""
    shape = values.shape(value)
    if shape is None:
        return None
    if values.is_parameter(value):
        return read(str(value.name), shape)
    node = value.producer()
    if node is None:
        return _constant(value)
    parts = [_composed(operand) for operand in _operands(node)]
    if not parts or any(part is None for part in parts):
        return None
    known = [part for part in parts if part is not None]
    if node.op_type == "Concat":
        return concatenate(known, int(values.attribute(node, "axis", 0)) % len(shape))
    pieces = slices(node, value, known[0].shape)
    if pieces is not None:
        return _sliced(known[0], pieces)
    return _rearranged(known[0], node, shape)


def _constant(value: ir.Value) -> Expression | None:
    """A constant of one number, such as the zeros beside the only bias of an LSTM."""
    array = values.constant(value)
    if array is None or array.dtype.kind not in "fiu" or not array.size:
        return None
    first = array.reshape(-1)[0]
    return full(array.shape, float(first)) if bool((array == first).all()) else None


def _sliced(part: Expression, pieces: list[Slice]) -> Expression:
    """The piece of an array that some slices give."""
    for axis, start, stop, flipped in pieces:
        part = part.slice(axis, start, stop)
        part = part.flip([axis]) if flipped else part
    return part


def _rearranged(part: Expression, node: ir.Node, shape: Shape) -> Expression | None:
    """What a Transpose, Reshape or Expand gives; None for other operators."""
    if values.is_operator(node, "Transpose"):
        order = permutations.of_node(node)
        return part.transpose(order) if order is not None else None
    fits = plumbing.is_move(node) or values.is_operator(node, "Expand")
    return part.reshape(shape) if fits and full(shape, 0).size == part.size else None


def _operands(node: ir.Node) -> list[ir.Value]:
    """All inputs of a Concat, else the first one: further ones are shapes and indices."""
    inputs = node.inputs if node.op_type == "Concat" else node.inputs[:1]
    return [value for value in inputs if value is not None]


def slices(node: ir.Node, value: ir.Value, shape: Shape | None) -> list[Slice] | None:
    """The piece that a Slice (of steps ±1) or Split takes of a shape; None for others."""
    if shape is None:
        return None
    if values.is_operator(node, "Split"):
        axis = int(values.attribute(node, "axis", 0)) % len(shape)
        sizes = [(values.shape(part) or (0,) * len(shape))[axis] for part in node.outputs]
        start = sum(sizes[: value.index() or 0])
        return [(axis, start, start + sizes[value.index() or 0], False)]
    if not values.is_operator(node, "Slice"):
        return None
    operands = [values.constant(values.operand(node, slot)) for slot in range(1, 5)]
    starts, ends, axes, steps = ([int(n) for n in g] if g is not None else [] for g in operands)
    pieces: list[Slice] = []
    for position, (start, end) in enumerate(zip(starts, ends, strict=False)):
        axis = (axes[position] if axes else position) % len(shape)
        step = steps[position] if steps else 1
        if step not in (1, -1):
            return None
        low, high, _ = slice(start, end if abs(end) < _END else None, step).indices(shape[axis])
        pieces.append((axis, low, high, False) if step == 1 else (axis, high + 1, low + 1, True))
    return pieces


class _Reassembly:
    """Expresses stored weights in the pieces of them that layers read."""

    def __init__(self, graph: RunnableGraph, composed: Mapping[int, Expression]) -> None:
        self.composed = composed
        self.arranged = plumbing.arranged_parameters(graph.model.graph)

    def of(self, value: ir.Value) -> Expression | None:
        """A value, of the pieces that are read of it; None where there are none."""
        if id(value) in self.composed:
            return self.composed[id(value)]
        shape = values.shape(value)
        pieces: dict[Slice | None, Expression] = {}
        if shape is not None:
            for bounds, piece in self._pieces(value, shape):
                pieces.setdefault(bounds, piece)
        if None in pieces or not pieces or shape is None:
            return pieces.get(None)
        return _concatenated({bounds: part for bounds, part in pieces.items() if bounds}, shape)

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
        pieces = slices(node, output, shape)
        if node.op_type == "Concat":
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


def names(graph: RunnableGraph) -> list[str]:
    """Names of the stored weights that layers read, in the model's order."""
    read = {weight.name for stored in graph.weights.values() for weight in stored}
    read |= {root for name in graph.composed if name in read for root in roots(graph, name)}
    stored = (str(value.name) for value in graph.model.graph.initializers.values())
    return [name for name in stored if name in read and name not in graph.composed]


def roots(graph: RunnableGraph, name: str) -> list[str]:
    """Names of the stored weights that a composed one is computed from."""
    names: list[str] = []
    waiting = [graph.composed[name]]
    while waiting:
        value = waiting.pop()
        if values.is_parameter(value):
            names.append(str(value.name))
        node = value.producer()
        waiting += reversed(_operands(node)) if node is not None else []
    return list(dict.fromkeys(names))
