"""Shapes of blobs, which may be known in part."""

from __future__ import annotations

import onnx_ir as ir

from modeldocs.loaders.dims import Dims, UnknownShapeError


def shape_of(value: ir.Value) -> Dims:
    """A value's dimensions.

    Raises:
        UnknownShapeError: not even their number is known.
    """
    if value.shape is None:
        raise UnknownShapeError
    return tuple(dim if isinstance(dim, int) else dim.value for dim in value.shape)
