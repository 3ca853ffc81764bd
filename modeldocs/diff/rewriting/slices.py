"""Slices: the part of its operand that each output of a Split or a Slice is."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from typing import Any, Final

import msgspec

from modeldocs.ir import Layer, Operand, Reshape, TensorType, operators

SLICING: Final = operators.named(moves="cut")
"""Operators whose outputs are parts of a tensor."""

Span = tuple[int, int]
"""The first index of a part, and the first behind it; of each period where there are several."""


@dataclass(frozen=True, slots=True)
class TensorSlice:
    """A part of a tensor: the tensor, the axis, the span along it, and the type of the part."""

    operand: Operand
    axis: int
    span: Span
    type: TensorType

    def of_channels(self, shape: tuple[Any, ...], axis: int) -> tuple[Span, int] | None:
        """The span of each period of a projection's channels, and the period.

        The projection's output has `shape`, with its channels on `axis`. Projections that hold
        queries, keys and values head by head are sliced with the heads on an axis of their own:
        then a period is a head. None where other than channels are sliced.
        """
        seen = self.operand.type.shape or ()
        sizes = [dim for dim in seen if isinstance(dim, int)]
        if seen == shape:
            return (self.span, sizes[axis]) if self.axis == axis else None
        reshaped_last = axis == len(shape) - 1 and shape[:-1] == seen[:axis]
        if len(sizes) < len(seen) or not reshaped_last or self.axis < axis:
            return None
        inner = prod(sizes[self.axis + 1 :])
        return (self.span[0] * inner, self.span[1] * inner), sizes[self.axis] * inner


def slices_of(layer: Layer) -> list[TensorSlice]:
    """The slice that each output of a Split or Slice is; empty where a size is not known."""
    if len(layer.inputs) != 1 or layer.inputs[0].slot != 0:
        return []
    (operand,) = layer.inputs
    shape = operand.type.shape
    if not shape or not all(isinstance(dim, int) for dim in shape):
        return []
    axis = _axis(layer, len(shape))
    sizes = [(output.shape or ())[axis : axis + 1] for output in layer.outputs]
    if axis < 0 or not all(len(size) == 1 and isinstance(size[0], int) for size in sizes):
        return []
    start = 0 if layer.operator == "Split" else _start(layer, shape[axis])
    if start is None:
        return []
    slices = []
    for output, size in zip(layer.outputs, sizes, strict=True):
        end = start + int(size[0] or 0)
        slices.append(TensorSlice(operand, axis, (start, end), output))
        start = end
    return slices


def _axis(layer: Layer, rank: int) -> int:
    """The only axis that a layer slices along, -1 where there are several."""
    if layer.operator == "Split":
        return (_single(layer.attributes.get("axis", 0)) or 0) % rank
    axis = _single(layer.attributes.get("axes"))
    return -1 if axis is None else axis % rank


def _start(layer: Layer, size: object) -> int | None:
    """Where a Slice begins; None where that is not known, or the Slice has a step."""
    start = _single(layer.attributes.get("starts"))
    step = _single(layer.attributes.get("steps", 1))
    if start is None or step != 1 or not isinstance(size, int):
        return None
    return max(start + size, 0) if start < 0 else min(start, size)


def _single(value: Any) -> int | None:
    """The number of an attribute that has one, by itself or in a list."""
    if isinstance(value, list | tuple) and len(value) == 1:
        value = value[0]
    return value if isinstance(value, int) else None


def is_rearranged(layer: Layer, operand: Operand) -> bool:
    """Whether a layer reads a tensor through steps other than a reshape before it is sliced."""
    plain = all(isinstance(step, Reshape) and step.operator == "Reshape" for step in operand.steps)
    return not plain or bool(operand.steps and layer.operator not in SLICING)


def as_slice(layer: Layer, name: str, part: TensorSlice) -> Layer:
    """The Slice with the id `name` that gives one output of a layer."""
    start, end = part.span
    return msgspec.structs.replace(
        layer,
        id=name,
        operator="Slice",
        inputs=(msgspec.structs.replace(part.operand, slot=0),),
        outputs=(part.type,),
        attributes={"axes": part.axis, "starts": start, "ends": end},
    )
