"""Shapes and element types of ONNX values, as layer graphs have them."""

from __future__ import annotations

import onnx_ir as ir

from modeldocs.ir import Shape, TensorType

_UNKNOWN_PREFIX = "unk__"
"""The start of names that shape inference gives to unknown dimensions."""

_LONG = {"float": "float32", "double": "float64"}


def tensor_type(value: ir.Value | ir.TensorProtocol) -> TensorType:
    """Shape and element type of a value."""
    return TensorType(shape=shape(value) if value.shape is not None else None, dtype=dtype(value))


def shape(value: ir.Value | ir.TensorProtocol) -> Shape:
    """A value's dimensions, with None for unknown ones; empty where the rank is unknown."""
    own = value.shape if value.shape is not None else ()
    return tuple([dim if isinstance(dim, int) else _named(dim) for dim in own])


def _named(dim: ir.SymbolicDimProtocol) -> str | None:
    """The name of a dimension that is no number; None where it has none of its own."""
    return None if dim.value is None or dim.value.startswith(_UNKNOWN_PREFIX) else dim.value


def dtype(value: ir.Value | ir.TensorProtocol) -> str:
    """A value's element type by numpy's name, as `float32`; `unknown` where it has none."""
    name = value.dtype.name.lower() if value.dtype is not None else "unknown"
    return _LONG.get(name, name)
