"""Cuts: what a Split or a Slice takes of the tensor that it reads."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from typing import Any, Final

import msgspec

from modeldocs.ir import Layer, Operand, Reshape, TensorType

SLICING: Final = frozenset({"Split", "Slice"})
"""Operators that give parts of a tensor."""

Span = tuple[int, int]
"""First channel of a part, and the first behind it; of each period where it has several."""


@dataclass(frozen=True, slots=True)
class TensorSlice:
    """One part of a tensor: what is cut, along which axis, where, and what comes out."""

    operand: Operand
    axis: int
    span: Span
    type: TensorType

    def of_channels(self, made: tuple[Any, ...], axis: int) -> tuple[Span, int] | None:
        """What it takes of each period of a product's channels, and the period; None if others.

        Products that hold queries, keys and values head by head are cut with the heads on an axis
        of their own: a period is a head.
        """
        seen = self.operand.type.shape or ()
        sizes = [dim for dim in seen if isinstance(dim, int)]
        if seen == made:
            return (self.span, sizes[axis]) if self.axis == axis else None
        last = axis == len(made) - 1 and made[:-1] == seen[:axis]
        if len(sizes) < len(seen) or not last or self.axis < axis:
            return None
        inner = prod(sizes[self.axis + 1 :])
        return (self.span[0] * inner, self.span[1] * inner), sizes[self.axis] * inner


def slices_of(layer: Layer) -> list[TensorSlice]:
    """What each output cuts out along one axis; empty where that is not known."""
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
    found = []
    for output, size in zip(layer.outputs, sizes, strict=True):
        end = start + int(size[0] or 0)
        found.append(TensorSlice(operand, axis, (start, end), output))
        start = end
    return found


def _axis(layer: Layer, rank: int) -> int:
    """The only axis that a layer cuts along, -1 where there are several."""
    if layer.operator == "Split":
        return (_sole(layer.attributes.get("axis", 0)) or 0) % rank
    axis = _sole(layer.attributes.get("axes"))
    return -1 if axis is None else axis % rank


def _start(layer: Layer, size: object) -> int | None:
    """Where a Slice begins; None where it is not known, or the Slice takes not all in a row."""
    start, step = _sole(layer.attributes.get("starts")), _sole(layer.attributes.get("steps", 1))
    if start is None or step != 1 or not isinstance(size, int):
        return None
    return max(start + size, 0) if start < 0 else min(start, size)


def _sole(given: Any) -> int | None:
    """The number of an attribute that has one, by itself or in a list."""
    if isinstance(given, list | tuple) and len(given) == 1:
        given = given[0]
    return given if isinstance(given, int) else None


def is_rearranged(layer: Layer, operand: Operand) -> bool:
    """Whether a layer reads a tensor otherwise than it is, or than a cut may see its last axis."""
    plain = all(isinstance(step, Reshape) and step.operator == "Reshape" for step in operand.steps)
    return not plain or bool(operand.steps and layer.operator not in SLICING)


def as_slice(layer: Layer, name: str, cut: TensorSlice) -> Layer:
    """The Slice that takes what one output of a layer takes."""
    start, end = cut.span
    return msgspec.structs.replace(
        layer,
        id=name,
        operator="Slice",
        inputs=(msgspec.structs.replace(cut.operand, slot=0),),
        outputs=(cut.type,),
        attributes={"axes": cut.axis, "starts": start, "ends": end},
    )
