"""Shapes of blobs, which may be known in part."""

from __future__ import annotations

import onnx_ir as ir

from modeldocs.loaders.dims import Dims


def shape_of(value: ir.Value) -> Dims:
    """A value's dimensions."""
    shape = value.shape if value.shape is not None else ()
    return tuple(dim if isinstance(dim, int) else dim.value for dim in shape)
