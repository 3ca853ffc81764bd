"""The order of the output elements of matched layers, by the rule for their operator."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from modeldocs.diff.changes import order_rules
from modeldocs.diff.changes.order_rules import Layers, OperandOrders, Orders, Range
from modeldocs.diff.function.arrangement import KEPT, Sizes
from modeldocs.diff.function.canonical_op import DENSE, CanonicalOp
from modeldocs.diff.fusion.pointwise import of_single_pixels
from modeldocs.ir import Layer, operators

_ELEMENTWISE: Final = operators.named(elementwise=True)
_FROM_AXIS: Final = operators.named(normalises="from axis")
_ALONG_AXIS: Final = operators.named(normalises="axis")
_PROJECTIONS: Final = operators.named(projection=True)
_SLICING: Final = frozenset({"axis", "axes", "starts", "ends", "steps", "num_outputs", "split"})
"""Attributes that give the place at which a tensor is sliced or joined."""

Elements = tuple[Orders, frozenset[str]]
"""The order of each output of a layer, and the attributes that differ only because of it."""


def rearranges(layer: Layer) -> bool:
    """Whether a layer slices, joins or broadcasts: its attributes depend on the order."""
    return layer.operator in _ELEMENTWISE or layer.operator in ("Concat", "Split", "Slice")


def output_orders(layers: Layers, reads: Sequence[OperandOrders]) -> Elements | None:
    """The output orders of two layers; None where they do not output the same elements."""
    kinds = {layer.operator for layer, _ in layers}
    if reads and kinds <= _ELEMENTWISE:
        return order_rules.elementwise(layers, reads)
    orders = _sliced_or_joined(layers, reads) if len(kinds) == 1 else None
    if orders is None and len(reads) == 1:
        axes = [_axis(*layers[0], reads[0].ours), _axis(*layers[1], reads[0].theirs)]
        if axes[0] is not None and axes[1] is not None and _same_operation(layers):
            orders = order_rules.along(layers, reads[0], axes[0], axes[1])
            if orders is None and reads[0].factors() is not None:
                return None  # along other elements, such as a softmax of C and one of C, H and W
    if orders is not None:
        return orders, _SLICING
    kept = all(read.order == KEPT for read in reads)
    return ([KEPT] * len(layers[0][0].outputs), frozenset()) if kept else None


def _sliced_or_joined(layers: Layers, reads: Sequence[OperandOrders]) -> Orders | None:
    """The output orders of a Concat, Split or Slice."""
    (a, ours), (b, theirs) = layers
    if not reads:
        return None
    if a.operator == "Slice":
        ranges = _range(ours, reads[0].ours), _range(theirs, reads[0].theirs)
        if len(reads) > 1 or ranges[0] is None or ranges[1] is None:
            return None
        return order_rules.sliced(reads[0], ranges[0], ranges[1])
    axes = dict(ours.declared).get("axis"), dict(theirs.declared).get("axis")
    if not isinstance(axes[0], int) or not isinstance(axes[1], int):
        return None
    if a.operator == "Concat":
        return order_rules.joined(layers, reads, axes[0], axes[1])
    if a.operator == "Split" and len(a.outputs) == len(b.outputs) and _in_equal_parts(layers):
        return order_rules.split(reads[0], len(a.outputs), axes[0], axes[1])
    return None


def _in_equal_parts(layers: Layers) -> bool:
    return all(len({part.shape for part in layer.outputs}) == 1 for layer, _ in layers)


def _range(op: CanonicalOp, shape: Sizes) -> Range | None:
    """Axis, start and end of a Slice along one axis in steps of 1."""
    attributes = dict(op.declared)
    bounds = []
    for name in ("axes", "starts", "ends"):
        value = attributes.get(name)
        if isinstance(value, tuple):
            value = value[0] if len(value) == 1 else None
        if not isinstance(value, int):
            return None
        bounds.append(value)
    axis, start, end = bounds
    steps = attributes.get("steps", 1)
    return (axis % len(shape), start, end) if steps in (1, (1,)) and shape else None


def _axis(layer: Layer, op: CanonicalOp, shape: Sizes) -> int | None:
    """The axis that a layer works along, if it does the same at all places of the others."""
    axis = dict(op.declared).get("axis")
    last = len(shape) - 1
    if layer.operator in _ALONG_AXIS:
        return axis if isinstance(axis, int) else None
    if layer.operator in _FROM_AXIS:
        return last if axis in (last, None) else None
    if layer.operator == "BatchNormalization":
        return 1
    if layer.operator == "Conv":
        return 1 if of_single_pixels(dict(op.declared)) else None
    return last if op.operator == DENSE else None


def _same_operation(layers: Layers) -> bool:
    """Whether both do the same along their axes: a Conv of single pixels is a Gemm of each."""
    (a, _), (b, _) = layers
    return a.operator == b.operator or {a.operator, b.operator} <= _PROJECTIONS
