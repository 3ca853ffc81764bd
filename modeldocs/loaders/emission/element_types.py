"""Element types by the names that frameworks in Python have for them."""

from __future__ import annotations

import onnx_ir as ir

_NAMED = {
    "float32": ir.DataType.FLOAT,
    "float64": ir.DataType.DOUBLE,
    "float8_e4m3fn": ir.DataType.FLOAT8E4M3FN,
    "float8_e5m2": ir.DataType.FLOAT8E5M2,
}
"""Those whose names in Python are not ONNX's in small letters."""


def element_type(name: str) -> ir.DataType | None:
    """The element type that frameworks call by a name, such as float32; None for other names."""
    return _NAMED.get(name) or ir.DataType.__members__.get(name.upper())


def element_name(dtype: ir.DataType) -> str:
    """The name of an element type in Python."""
    names = {known: name for name, known in _NAMED.items()}
    return names.get(dtype, dtype.name.lower())
