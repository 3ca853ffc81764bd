"""Shapes and types of Keras' tensors as ONNX has them."""

from __future__ import annotations

import onnx_ir as ir

from modeldocs.errors import ModeldocsError

Dims = tuple[int | None, ...]

_DTYPES = {
    "float16": ir.DataType.FLOAT16,
    "float32": ir.DataType.FLOAT,
    "float64": ir.DataType.DOUBLE,
    "bfloat16": ir.DataType.BFLOAT16,
    "bool": ir.DataType.BOOL,
    "string": ir.DataType.STRING,
    "complex64": ir.DataType.COMPLEX64,
    "complex128": ir.DataType.COMPLEX128,
    "float8_e4m3fn": ir.DataType.FLOAT8E4M3FN,
    "float8_e5m2": ir.DataType.FLOAT8E5M2,
}


def dtype(name: str) -> ir.DataType:
    """The ONNX type of a Keras dtype.

    Raises:
        ModeldocsError: ONNX has none.
    """
    onnx_dtype = _DTYPES.get(name) or getattr(ir.DataType, name.upper(), None)
    if not isinstance(onnx_dtype, ir.DataType):
        raise ModeldocsError(
            f"ONNX has no element type {name!r}", fix="build the model with float32"
        )
    return onnx_dtype


def named(dtype: ir.DataType | None) -> str:
    """Keras' name of an ONNX type; float32 where there is none."""
    names = {onnx_dtype: name for name, onnx_dtype in _DTYPES.items()}
    return "float32" if dtype is None else names.get(dtype, dtype.name.lower())


def dims(value: ir.Value) -> Dims:
    """A value's dimensions; None for those that are not numbers."""
    assert value.shape is not None, value.name
    return tuple(dim if isinstance(dim, int) else None for dim in value.shape)
