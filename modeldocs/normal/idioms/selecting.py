"""Look-ups in several steps, or by products with matrices of zeros and ones, as one Gather."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import onnx_ir as ir

from modeldocs.ir import origin
from modeldocs.normal import permutations, prepare, rearrangements, values, views
from modeldocs.normal.builder import Builder
from modeldocs.normal.idioms import matching

Array = np.ndarray[Any, Any]


def selected(node: ir.Node, builder: Builder) -> bool:
    """A product with a constant matrix that has a single one in each column, or row: a Gather."""
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
        places = builder.constant(ones.argmax(axis=1).astype(np.int64), "selected/places")
        settings = [ir.AttrInt64("axis", rank + axis)]
        matching.replace([node], "Gather", [source, places], settings)
        return True
    return False


def composed(node: ir.Node, builder: Builder) -> bool:
    """A look-up by constants in what was looked up in a parameter: one, in the parameter."""
    if not values.is_operator(node, "Gather") or _above(node) is None:
        return False
    last = node
    while values.is_operator(reader := values.sole_consumer(last.outputs[0]), *views.MOVES):
        assert reader is not None
        last = reader
    reader = values.sole_consumer(last.outputs[0])
    if reader is not None and values.is_operator(reader, "Gather") and _indices(reader) is not None:
        return False  # that one is told with all above it
    found = _places(last.outputs[0])
    if found is None:
        return False
    table, places, gathers = found
    _put(table, places, gathers, last, builder)
    return True


def _put(
    table: ir.Value, places: Array, gathers: list[ir.Node], last: ir.Node, builder: Builder
) -> None:
    """One Gather of rows in place of `last`: a row is what the table's leading axes hold."""
    dims = values.shape(table) or ()
    kept = _kept(places, dims)
    row, back = dims[:kept], (*range(1, kept + 1), 0)
    within = places.reshape(math.prod(row), -1)[0]
    rows = builder.before(last, builder.reshape(table, (*row, math.prod(dims[kept:]))))
    rows = builder.before(last, builder.transpose(rows, permutations.inverse(back)))
    indices = builder.constant(within, "selected/places")
    settings = [ir.AttrInt64("axis", 0)]
    made = builder.node("Gather", [rows, indices], settings, like=table, shape=(within.size, *row))
    origin.merge(made, *gathers)
    result = builder.before(last, builder.transpose(builder.before(last, made), back))
    result = builder.before(last, builder.reshape(result, places.shape))
    rearrangements.replace(last.outputs[0], result, builder)
    matching.remove_dead(builder.graph, [last])


def _kept(places: Array, dims: tuple[int, ...]) -> int:
    """How many leading axes of a table a look-up gives as they are."""
    for kept in range(len(dims) - 1, 0, -1):
        if places.shape[:kept] != dims[:kept]:
            continue
        inner = math.prod(dims[kept:])
        rows = places.reshape(math.prod(dims[:kept]), -1)
        if np.array_equal(rows, rows[:1] + np.arange(len(rows))[:, None] * inner):
            return kept
    return 0


_Found = tuple[ir.Value, Array, list[ir.Node]]


def _places(value: ir.Value) -> _Found | None:
    """The parameter that a value is looked up in, the place of each element, and the Gathers."""
    if values.is_parameter(value):
        dims = values.shape(value)
        if dims is None or math.prod(dims) > prepare.MAX_FOLDED:
            return None
        return value, np.arange(math.prod(dims), dtype=np.int64).reshape(dims), []
    node = value.producer()
    source = node.inputs[0] if node is not None and node.inputs else None
    if node is None or source is None or not values.is_operator(node, "Gather", *views.MOVES):
        return None
    found = _places(source)
    if found is None:
        return None
    table, places, gathers = found
    if node.op_type != "Gather":
        moved = _moved(places, node)
        return None if moved is None else (table, moved, gathers)
    indices, dims = _indices(node), values.shape(value)
    axis = int(values.attribute(node, "axis", 0))
    if indices is None or dims is None or math.prod(dims) > prepare.MAX_FOLDED:
        return None
    if not bool(((indices >= 0) & (indices < places.shape[axis])).all()):
        return None
    return table, places.take(indices, axis), [*gathers, node]


def _indices(node: ir.Node) -> Array | None:
    """The constant places that a Gather looks up."""
    return values.constant(values.operand(node, 1))


def _above(node: ir.Node) -> ir.Node | None:
    """The Gather whose result a Gather looks up in, read by nothing else on the way."""
    value = node.inputs[0]
    while value is not None and values.sole_consumer(value) is not None:
        maker = value.producer()
        if values.is_operator(maker, "Gather") or maker is None:
            return maker
        if not values.is_operator(maker, *views.MOVES):
            return None
        value = maker.inputs[0]
    return None


def _constant(value: ir.Value | None) -> Array | None:
    """The elements of a constant, past nodes that move them."""
    held = values.constant(value)
    node = value.producer() if value is not None else None
    if held is not None or node is None or not values.is_operator(node, *views.MOVES):
        return held
    source = _constant(node.inputs[0])
    return None if source is None else _moved(source, node)


def _moved(array: Array, node: ir.Node) -> Array | None:
    """An array behind a node that only moves what it reads."""
    if node.op_type == "Transpose":
        order = permutations.of_node(node)
        return None if order is None else array.transpose(order)
    dims = values.shape(node.outputs[0])
    return None if dims is None or math.prod(dims) != array.size else array.reshape(dims)
