"""Shapes of values, which may be known in part behind an operator that is not known."""

from __future__ import annotations

import math

import onnx_ir as ir

from modeldocs.loaders.dims import MAX_RANK, Dims, are_known
from modeldocs.loaders.emission.inference import shape_of


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
