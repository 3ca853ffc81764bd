"""Queries that no key is open to: what they attend to is nothing, and may be put to zero again."""

from __future__ import annotations

from collections.abc import Iterable

import onnx_ir as ir

from modeldocs.normal import rearrangements, values, views
from modeldocs.normal.attention.parts import Mask
from modeldocs.normal.building import Builder
from modeldocs.normal.idioms import algebra, matching

_SAME_TRUTH = ("Cast", "Identity")
_KEPT = (*_SAME_TRUTH, *views.RESHAPES)
"""What keeps booleans, and the order of their axes."""
_ANY, _ALL = "ReduceMax", "ReduceMin"


def skip(product: ir.Node, masks: Iterable[Mask], builder: Builder) -> None:
    """Take out a Where behind the product of weights and values that only makes zeros of nothing.

    Its condition is that a mask shuts all keys to a query, or that it opens any.
    """
    value = product.outputs[0]
    reader = values.sole_consumer(value)
    while reader is not None and values.is_operator(reader, *views.MOVES):
        value = reader.outputs[0]
        reader = values.sole_consumer(value)
    if reader is None or not values.is_operator(reader, "Where"):
        return
    condition, first, second = reader.inputs
    opens = first is value and _is_zero(second)
    if condition is None or not (opens or (second is value and _is_zero(first))):
        return
    reduced = _reduced(condition, opens=opens)
    if reduced is None or values.shape(reader.outputs[0]) != values.shape(value):
        return
    if any(_is_of(mask, reduced) for mask in masks) and _by_query(value, condition, reduced):
        rearrangements.put(value, reader.outputs[0], builder)
        matching.remove_dead(builder.graph, [reader])


def _is_zero(value: ir.Value | None) -> bool:
    return algebra.uniform(value) == 0


def _past(value: ir.Value | None, *operators: str) -> ir.Value | None:
    """A value before nodes of these operators."""
    while (node := matching.producer(value, *operators)) is not None:
        value = node.inputs[0]
    return value


def _reduced(condition: ir.Value, *, opens: bool) -> ir.Node | None:
    """The reduction over keys that tells which queries see any, or see none."""
    node = matching.producer(_past(condition, *_KEPT), _ANY, _ALL)
    rank = values.rank(node.inputs[0]) if node is not None else None
    if node is None or rank is None or matching.reduced_axes(node) != (rank - 1,):
        return None
    kept = values.attribute(node, "keepdims", 1) == 1
    return node if kept and node.op_type == (_ANY if opens else _ALL) else None


def _is_of(mask: Mask, reduced: ir.Node) -> bool:
    """Whether a reduction is over the keys of a mask, or of what it shuts.

    What it reduces is of queries and keys, and of the batch before these.
    """
    told = _past(reduced.inputs[0], *_SAME_TRUTH)
    if reduced.op_type == _ALL:
        told = _inverse(told)
    told = _past(told, *_SAME_TRUTH)
    seen = mask.value
    moved = _past(seen, *_KEPT)
    dims, held = values.shape(told), values.shape(seen)
    if told is None or moved is not _past(told, *_KEPT) or dims is None or held is None:
        return False
    spread = [dim for dim in held[1:-2] if dim != 1]
    batch = (held[0],) if len(held) > 2 else ()
    return not mask.shuts and not spread and (*batch, *held[-2:]) == dims[-3:]


def _inverse(value: ir.Value | None) -> ir.Value | None:
    """What booleans are the inverse of."""
    node = matching.producer(value, "Not", "Equal")
    if node is None or (node.op_type == "Equal" and not _is_zero(node.inputs[1])):
        return None
    return node.inputs[0]


def _by_query(value: ir.Value, condition: ir.Value, reduced: ir.Node) -> bool:
    """Whether a condition is spread over the batch and the queries of what attention gives."""
    seen = views.trace(value)
    dims, told = values.shape(condition), values.shape(reduced.outputs[0])
    if seen is None or dims is None or told is None or len(dims) > len(seen[0].axes):
        return False
    root = values.shape(seen[0].root) or ()
    batch, queries = told[:-2], told[-2]
    wanted = [(views.strides(root)[0], size) for size in batch if size != 1]
    wanted += [(views.strides(root)[-2], queries)] if queries != 1 else []
    behind = seen[0].axes[len(seen[0].axes) - len(dims) :]
    return [axis for axis, dim in zip(behind, dims, strict=True) if dim != 1] == [
        (step,) for step in wanted
    ]
