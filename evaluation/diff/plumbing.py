"""Steps on an edge, done again on a tensor of another shape."""

from __future__ import annotations

from math import prod

import msgspec

from modeldocs import ir
from modeldocs.ir import Reshape, Step, TensorType, Transpose

Shape = tuple[int, ...]


class Misfit(Exception):
    """An edit that leaves layers whose shapes do not fit together."""


def seen(source: TensorType, steps: tuple[Step, ...]) -> tuple[TensorType, tuple[Step, ...]]:
    """The tensor that an operand sees through its steps, and the steps as they then are."""
    told: list[Step] = []
    current, dtype = sizes(source), source.dtype
    for step in steps:
        if isinstance(step, Transpose):
            axes = step.permutation or ()
            if sorted(axes) != list(range(len(current))):
                raise Misfit(step)
            current = tuple(current[axis] for axis in axes)
        elif isinstance(step, Reshape):
            before, after = (_known(shape) for shape in (step.before, step.after))
            made = after if before == current else _reshaped(current, after)
            step = msgspec.structs.replace(step, before=current, after=made)
            current = made
        told.append(step)
    return TensorType(shape=current, dtype=dtype), tuple(told)


def sizes(tensor: TensorType) -> Shape:
    """The shape, where all of it is known.

    Raises:
        Misfit: a dimension is symbolic or unknown.
    """
    return _known(tensor.shape)


def _reshaped(current: Shape, wanted: Shape) -> Shape:
    """`wanted` with the last dimension that can make up for another number of elements."""
    total = prod(current)
    for place in reversed(range(len(wanted))):
        rest = prod(wanted[:place] + wanted[place + 1 :])
        if wanted[place] != 1 and rest and total % rest == 0:
            return (*wanted[:place], total // rest, *wanted[place + 1 :])
    raise Misfit(f"{current} cannot be read as {wanted}")


def _known(shape: ir.Shape | None) -> Shape:
    known = tuple(dim for dim in shape or () if isinstance(dim, int))
    if shape is None or len(known) != len(shape):
        raise Misfit(f"unknown dimensions in {shape}")
    return known
