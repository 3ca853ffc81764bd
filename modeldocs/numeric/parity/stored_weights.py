"""Weights that a network slices, concatenates or transposes before a layer reads them.

A `MultiheadAttention` stores q, k and v in one array and slices it; an LSTM's gates are joined.
Here a layer's weight is expressed in stored ones, and a stored one in the pieces that layers read.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np
import onnx_ir as ir

from modeldocs.normal import affine_weights, values
from modeldocs.normal.data_movement import permutations, tracing
from modeldocs.normal.weight_norm import WeightNorm
from modeldocs.numeric.parity.evaluation import evaluate
from modeldocs.numeric.parity.expression import (
    Expression,
    concatenate,
    full,
    read,
    weight_norm,
)
from modeldocs.numeric.parity.reassembly import Reassembly
from modeldocs.numeric.parity.runnable_graph import RunnableGraph
from modeldocs.numeric.parity.weight_slices import Shape, Slice, slices


def sources(graph: RunnableGraph) -> dict[str, Expression]:
    """Every weight that a layer reads, by name, as an expression of stored ones."""
    expressions = _as_read(graph)
    known = stored(graph, expressions)
    for name, value in graph.composed.items():
        expression = _composed(value, graph.weight_norms)
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


def read_arrays(graph: RunnableGraph, stored: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
    """The arrays that layers read, computed of a checkpoint's, as far as they follow from it."""
    expressions = sources(graph)
    return {
        name: evaluate(expressions[name], stored)
        for name in graph.composed
        if name in expressions and set(expressions[name].reads()) <= set(stored)
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
    reassembly = Reassembly(graph, composed)
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


def _composed(value: ir.Value, normed: Mapping[int, WeightNorm]) -> Expression | None:
    """A value as an expression of stored weights; None where more is done than moving elements and
    normalizing weights.
    """
    shape = values.shape(value)
    if shape is None:
        return None
    if values.is_parameter(value):
        return read(str(value.name), shape)
    node = value.producer()
    if node is None:
        return _constant(value)
    if id(value) in normed:
        return _of_norm(normed[id(value)])
    affine = affine_weights.source(node)
    if affine is not None:
        inner = _composed(affine[0], normed)
        return None if inner is None else inner.affine(*affine[1])
    parts = [_composed(operand, normed) for operand in _operands(node)]
    if not parts or any(part is None for part in parts):
        return None
    known = [part for part in parts if part is not None]
    if node.op_type == "Concat":
        return concatenate(known, int(values.attribute(node, "axis", 0)) % len(shape))
    pieces = slices(node, value, known[0].shape)
    if pieces is not None:
        return _sliced(known[0], pieces)
    return _rearranged(known[0], node, shape)


def _of_norm(norm: WeightNorm) -> Expression:
    """A weight of its direction and its length."""
    direction, length = (
        read(str(value.name), values.shape(value) or ()) for value in (norm.direction, norm.length)
    )
    return weight_norm(direction, length, norm.axes)


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
    """What a Transpose, Reshape, Expand or Tile gives; None for other operators."""
    if values.is_operator(node, "Transpose"):
        order = permutations.of_node(node)
        return part.transpose(order) if order is not None else None
    is_copy = values.is_operator(node, "Expand", "Tile")
    if (tracing.is_move(node) or is_copy) and full(shape, 0).size == part.size:
        return part.reshape(shape)
    return _copied(part, shape) if is_copy else None


def _copied(part: Expression, shape: Shape) -> Expression:
    """An array copied along axes until it has a shape."""
    part = part.reshape((*(1,) * (len(shape) - part.ndim), *part.shape))
    for axis, size in enumerate(shape):
        if part.shape[axis] != size:
            part = part.take([place % part.shape[axis] for place in range(size)], axis)
    return part


def _operands(node: ir.Node) -> list[ir.Value]:
    """All inputs of a Concat, the tensor that a scale and an offset apply to, else the first one:
    further ones are shapes and indices.
    """
    affine = affine_weights.source(node)
    if affine is not None:
        return [affine[0]]
    inputs = node.inputs if node.op_type == "Concat" else node.inputs[:1]
    return [value for value in inputs if value is not None]


def names(graph: RunnableGraph) -> list[str]:
    """Names of the stored weights that layers read, in the model's order."""
    read = {weight.name for stored in graph.weights.values() for weight in stored}
    read |= {root for name in graph.composed if name in read for root in roots(graph, name)}
    stored = (str(value.name) for value in graph.model.graph.initializers.values())
    return [name for name in stored if name in read and name not in graph.composed]


def stored_size(graph: RunnableGraph, name: str) -> int:
    """How many numbers are stored for a weight that a layer reads."""
    stored = graph.model.graph.initializers
    names = roots(graph, name) if name in graph.composed else [name]
    return sum(math.prod(values.shape(stored.get(one)) or ()) for one in names)


def roots(graph: RunnableGraph, name: str) -> list[str]:
    """Names of the stored weights that a composed one is computed from."""
    names: list[str] = []
    waiting, normed = [graph.composed[name]], graph.weight_norms
    while waiting:
        value = waiting.pop()
        if values.is_parameter(value):
            names.append(str(value.name))
        elif id(value) in normed:
            waiting += (normed[id(value)].length, normed[id(value)].direction)
        elif (node := value.producer()) is not None:
            waiting += reversed(_operands(node))
    return list(dict.fromkeys(names))
