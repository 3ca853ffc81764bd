"""Queries that may attend to no key: a Where that sets their output to zero is removed."""

from __future__ import annotations

from collections.abc import Iterable

import onnx_ir as ir

from modeldocs.ir import operators
from modeldocs.normal import values
from modeldocs.normal.attention.mask_terms import Mask
from modeldocs.normal.builder import GraphBuilder
from modeldocs.normal.data_movement import reshape_transpose, strided_views
from modeldocs.normal.fusions import matching

_VALUE_PRESERVING = operators.moving("identity", "cast")
_ORDER_PRESERVING = operators.moving("identity", "cast", "reshape")
"""Operators that keep booleans, and the order of their elements."""
_ANY = "ReduceMax"
_ALL = "ReduceMin"


def remove_zeroing(product: ir.Node, masks: Iterable[Mask], builder: GraphBuilder) -> None:
    """Remove a Where behind the product of weights and values that zeroes fully masked queries.

    Its condition is that one of the masks masks all keys of a query, or keeps any.
    """
    value = product.outputs[0]
    reader = values.sole_consumer(value)
    while reader is not None and values.is_operator(reader, *strided_views.MOVES):
        value = reader.outputs[0]
        reader = values.sole_consumer(value)
    if reader is None or not values.is_operator(reader, "Where"):
        return
    condition, first, second = reader.inputs
    keeps_true = first is value and _is_zero(second)
    if condition is None or not (keeps_true or (second is value and _is_zero(first))):
        return
    reduction = _reduction(condition, keeps_true=keeps_true)
    if reduction is None or values.shape(reader.outputs[0]) != values.shape(value):
        return
    if not _is_per_query(value, condition, reduction):
        return
    if any(_reduces(reduction, mask) for mask in masks):
        reshape_transpose.replace(reader.outputs[0], value, builder)
        matching.remove_dead(builder.graph, [reader])


def _is_zero(value: ir.Value | None) -> bool:
    return values.uniform(value) == 0


def _before(value: ir.Value | None, *operators: str) -> ir.Value | None:
    """The value before a chain of nodes of these operators."""
    while (node := matching.producer(value, *operators)) is not None:
        value = node.inputs[0]
    return value


def _reduction(condition: ir.Value, *, keeps_true: bool) -> ir.Node | None:
    """The reduction over keys by which a condition says which queries attend to any, or to none."""
    node = matching.producer(_before(condition, *_ORDER_PRESERVING), _ANY, _ALL)
    rank = values.rank(node.inputs[0]) if node is not None else None
    if node is None or rank is None or matching.reduced_axes(node) != (rank - 1,):
        return None
    keeps_axis = values.attribute(node, "keepdims", 1) == 1
    return node if keeps_axis and node.op_type == (_ANY if keeps_true else _ALL) else None


def _reduces(reduction: ir.Node, mask: Mask) -> bool:
    """Whether a reduction is over the keys of a mask of shape (batch, …, queries, keys)."""
    reduced = _before(reduction.inputs[0], *_VALUE_PRESERVING)
    if reduction.op_type == _ALL:
        reduced = _inverse(reduced)
    reduced = _before(reduced, *_VALUE_PRESERVING)
    source = _before(mask.value, *_ORDER_PRESERVING)
    if reduced is None or source is not _before(reduced, *_ORDER_PRESERVING):
        return False
    dims, mask_dims = values.shape(reduced), values.shape(mask.value)
    if dims is None or mask_dims is None:
        return False
    heads = [dim for dim in mask_dims[1:-2] if dim != 1]
    batch = (mask_dims[0],) if len(mask_dims) > 2 else ()
    return not mask.is_inverted and not heads and (*batch, *mask_dims[-2:]) == dims[-3:]


def _inverse(value: ir.Value | None) -> ir.Value | None:
    """The booleans that a value is the inverse of; None where it is none."""
    node = matching.producer(value, "Not", "Equal")
    if node is None or (node.op_type == "Equal" and not _is_zero(node.inputs[1])):
        return None
    return node.inputs[0]


def _is_per_query(value: ir.Value, condition: ir.Value, reduction: ir.Node) -> bool:
    """Whether a condition broadcasts over the batch and the queries of attention's output."""
    trace = strided_views.trace(value)
    dims, reduced_dims = values.shape(condition), values.shape(reduction.outputs[0])
    if trace is None or dims is None or reduced_dims is None or len(dims) > len(trace[0].axes):
        return False
    view = trace[0]
    strides = strided_views.strides(values.shape(view.root) or ())
    batch, queries = reduced_dims[:-2], reduced_dims[-2]
    expected = [(strides[0], size) for size in batch if size != 1]
    expected += [(strides[-2], queries)] if queries != 1 else []
    axes = view.axes[len(view.axes) - len(dims) :]
    varying = [axis for axis, dim in zip(axes, dims, strict=True) if dim != 1]
    return varying == [(step,) for step in expected]
