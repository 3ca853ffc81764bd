"""Shapes of values, which may be known in part behind an operator that is not known."""

from __future__ import annotations

import math
from collections.abc import Sequence

import onnx_ir as ir

from modeldocs.ir import Dim
from modeldocs.loaders.dims import MAX_RANK, Dims, UnknownShapeError, are_known


def shape_of(value: ir.Value) -> Dims:
    """A value's dimensions.

    Raises:
        UnknownShapeError: not even its rank is known.
    """
    if value.shape is None:
        raise UnknownShapeError
    return tuple(dim if isinstance(dim, int) else dim.value for dim in value.shape)


def is_open(value: ir.Value) -> bool:
    """Whether a size of it is not known, or not even how many it has."""
    return value.shape is None or not are_known(shape_of(value))


def impossible(shape: Dims) -> str:
    """Why there is no tensor of a shape, nothing where there may be."""
    known = [dim for dim in shape if isinstance(dim, int)]
    if len(shape) > MAX_RANK:
        return f"more than {MAX_RANK} dimensions"
    if any(dim < 1 for dim in known):
        return "a size below 1"
    return "2³¹ values or more" if math.prod(known) >= 2**31 else ""


def broadcast(first: Dims, second: Dims) -> Dims | None:
    """The shape of an elementwise result, None where the two do not fit."""
    longest = max(len(first), len(second))
    pairs = zip(_padded(first, longest), _padded(second, longest), strict=True)
    made: list[Dim] = []
    for a, b in pairs:
        if a != b and 1 not in (a, b) and None not in (a, b):
            return None
        made.append(b if a == 1 else a)
    return tuple(made)


def _padded(shape: Dims, rank: int) -> Dims:
    return (1,) * (rank - len(shape)) + shape


def permuted(shape: Dims, order: Sequence[int]) -> Dims:
    """The dimensions in another order."""
    return tuple(shape[axis] for axis in order)
