"""Lookups in several steps, or by products with matrices of zeros and ones, as one Gather."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import onnx_ir as ir

from modeldocs.ir import origin
from modeldocs.normal import affine_weights, prepare, values
from modeldocs.normal.affine_weights import AS_STORED
from modeldocs.normal.builder import GraphBuilder
from modeldocs.normal.data_movement import permutations, reshape_transpose, strided_views, tracing
from modeldocs.normal.fusions import matching

Array = np.ndarray[Any, Any]


def selection_product(node: ir.Node, builder: GraphBuilder) -> bool:
    """A product with a constant matrix that has one 1 in each column, or row, as a Gather."""
    if not values.is_operator(node, "MatMul"):
        return False
    for slot, axis in ((1, -1), (0, -2)):
        source, matrix = node.inputs[1 - slot], _constant(node.inputs[slot])
        rank = values.rank(source)
        if source is None or matrix is None or matrix.ndim != 2 or rank is None or rank < 2:
            continue
        ones = matrix.T if slot else matrix
        if not np.isin(ones, (0, 1)).all() or not (ones.sum(axis=1) == 1).all():
            continue
        indices = builder.constant(ones.argmax(axis=1).astype(np.int64), "selected/places")
        settings = [ir.AttrInt64("axis", rank + axis)]
        matching.replace([node], "Gather", [source, indices], settings)
        return True
    return False


def nested_gather(node: ir.Node, builder: GraphBuilder) -> bool:
    """Gathers by constants in the result of a Gather from a parameter, as one Gather."""
    if not values.is_operator(node, "Gather") or _previous_gather(node) is None:
        return False
    last = node
    while values.is_operator(reader := values.sole_consumer(last.outputs[0]), *strided_views.MOVES):
        assert reader is not None
        last = reader
    reader = values.sole_consumer(last.outputs[0])
    if reader is not None and values.is_operator(reader, "Gather") and _indices(reader) is not None:
        return False  # the chain is replaced from its last Gather
    lookup = _lookup(last.outputs[0])
    if lookup is None:
        return False
    _replace(last, *lookup, builder)
    return True


def scaled_rows(node: ir.Node, builder: GraphBuilder) -> bool:
    """A multiple of rows at constant places of a parameter, as those rows of its multiple."""
    found = affine_weights.source(node)
    if found is None or node.outputs[0].is_graph_output():
        return False
    gather = found[0].producer()
    while gather is not None and tracing.is_move(gather):
        if values.sole_consumer(gather.outputs[0]) is None or gather.inputs[0] is None:
            return False
        gather = gather.inputs[0].producer()
    if not values.is_operator(gather, "Gather") or gather is None or _indices(gather) is None:
        return False
    table, is_alone = gather.inputs[0], values.sole_consumer(gather.outputs[0]) is not None
    if not is_alone or table is None or affine_weights.stored(table) is None:
        return False
    for name, number, neutral in zip(("Mul", "Add"), found[1], AS_STORED, strict=True):
        if number != neutral:
            scalar = builder.constant(np.array(number, np.float32), "number")
            made = builder.node(name, [table, scalar], [], like=table, shape=values.shape(table))
            origin.merge(made, node)
            table = builder.before(gather, made)
    gather.replace_input_with(0, table)
    reshape_transpose.replace(node.outputs[0], found[0], builder)
    return True


def _replace(
    last: ir.Node, table: ir.Value, positions: Array, gathers: list[ir.Node], builder: GraphBuilder
) -> None:
    """Replace the chain that ends in `last` by one Gather of rows, transposed and reshaped.

    A row has the leading axes of the table that the lookup keeps as they are.
    """
    dims = values.shape(table) or ()
    kept = _kept_axes(positions, dims)
    row, back = dims[:kept], (*range(1, kept + 1), 0)
    row_indices = positions.reshape(math.prod(row), -1)[0]
    rows = builder.before(last, builder.reshape(table, (*row, math.prod(dims[kept:]))))
    rows = builder.before(last, builder.transpose(rows, permutations.inverse(back)))
    indices = builder.constant(row_indices, "selected/places")
    settings = [ir.AttrInt64("axis", 0)]
    shape = (row_indices.size, *row)
    gather = builder.node("Gather", [rows, indices], settings, like=table, shape=shape)
    origin.merge(gather, *gathers)
    result = builder.before(last, builder.transpose(builder.before(last, gather), back))
    result = builder.before(last, builder.reshape(result, positions.shape))
    reshape_transpose.replace(last.outputs[0], result, builder)
    matching.remove_dead(builder.graph, [last])


def _kept_axes(positions: Array, dims: tuple[int, ...]) -> int:
    """The number of leading axes of a table that a lookup keeps as they are."""
    for kept in range(len(dims) - 1, 0, -1):
        if positions.shape[:kept] != dims[:kept]:
            continue
        inner = math.prod(dims[kept:])
        rows = positions.reshape(math.prod(dims[:kept]), -1)
        if np.array_equal(rows, rows[:1] + np.arange(len(rows))[:, None] * inner):
            return kept
    return 0


_Lookup = tuple[ir.Value, Array, list[ir.Node]]
"""A parameter, the position in it of each element of a lookup, and the Gathers."""


def _lookup(value: ir.Value) -> _Lookup | None:
    """A value as a lookup in a parameter by constants; None for other values."""
    if values.is_parameter(value):
        dims = values.shape(value)
        if dims is None or math.prod(dims) > prepare.MAX_FOLDED:
            return None
        return value, np.arange(math.prod(dims), dtype=np.int64).reshape(dims), []
    node = value.producer()
    source = node.inputs[0] if node is not None and node.inputs else None
    if (
        node is None
        or source is None
        or not values.is_operator(node, "Gather", *strided_views.MOVES)
    ):
        return None
    lookup = _lookup(source)
    if lookup is None:
        return None
    table, positions, gathers = lookup
    if node.op_type != "Gather":
        moved = _through(positions, node)
        return None if moved is None else (table, moved, gathers)
    indices, dims = _indices(node), values.shape(value)
    axis = int(values.attribute(node, "axis", 0))
    if indices is None or dims is None or math.prod(dims) > prepare.MAX_FOLDED:
        return None
    if not bool(((indices >= 0) & (indices < positions.shape[axis])).all()):
        return None
    return table, positions.take(indices, axis), [*gathers, node]


def _indices(node: ir.Node) -> Array | None:
    """The constant indices of a Gather."""
    return values.constant(values.operand(node, 1))


def _previous_gather(node: ir.Node) -> ir.Node | None:
    """The Gather whose result a Gather reads, where nothing else reads the values between."""
    value = node.inputs[0]
    while value is not None and values.sole_consumer(value) is not None:
        producer = value.producer()
        if values.is_operator(producer, "Gather") or producer is None:
            return producer
        if not values.is_operator(producer, *strided_views.MOVES):
            return None
        value = producer.inputs[0]
    return None


def _constant(value: ir.Value | None) -> Array | None:
    """The array of a constant, behind any Reshapes and Transposes."""
    array = values.constant(value)
    node = value.producer() if value is not None else None
    if array is not None or node is None or not values.is_operator(node, *strided_views.MOVES):
        return array
    source = _constant(node.inputs[0])
    return None if source is None else _through(source, node)


def _through(array: Array, node: ir.Node) -> Array | None:
    """An array behind a Reshape, Transpose or Identity."""
    if node.op_type == "Transpose":
        order = permutations.of_node(node)
        return None if order is None else array.transpose(order)
    dims = values.shape(node.outputs[0])
    return None if dims is None or math.prod(dims) != array.size else array.reshape(dims)
