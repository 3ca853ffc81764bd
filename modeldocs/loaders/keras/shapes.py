"""Shapes and types of Keras' tensors as ONNX has them."""

from __future__ import annotations

import onnx_ir as ir

from modeldocs.errors import ModeldocsError
from modeldocs.loaders.emission.element_types import element_type

Dims = tuple[int | None, ...]


def dtype(name: str) -> ir.DataType:
    """The ONNX type of a Keras dtype.

    Raises:
        ModeldocsError: ONNX has none.
    """
    onnx_dtype = element_type(name)
    if onnx_dtype is None:
        raise ModeldocsError(
            f"ONNX has no element type {name!r}", fix="build the model with float32"
        )
    return onnx_dtype


def dims(value: ir.Value) -> Dims:
    """A value's dimensions; None for those that are not numbers."""
    assert value.shape is not None, value.name
    return tuple(dim if isinstance(dim, int) else None for dim in value.shape)
