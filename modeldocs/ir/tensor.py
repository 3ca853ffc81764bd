"""Shape and element type of a tensor."""

from __future__ import annotations

import functools

from modeldocs.struct import Struct

Dim = int | str | None
"""A dimension: its size, the name of a symbolic one, or None where it is unknown."""

Shape = tuple[Dim, ...]

_BITS = {
    "float64": 64,
    "float32": 32,
    "float16": 16,
    "bfloat16": 16,
    "complex64": 64,
    "complex128": 128,
    "float4e2m1": 4,
    "float6e2m3": 6,
    "float6e3m2": 6,
}


class TensorType(Struct, frozen=True):
    """Shape and element type of a tensor. `shape` is None where the rank is unknown."""

    shape: Shape | None
    dtype: str
    """ONNX element type in lower case: `float32`, `int64`, `bool` …"""

    @property
    def elements(self) -> int | None:
        """Number of elements, or None where a dimension is symbolic or unknown."""
        return None if self.shape is None else elements(self.shape)

    @property
    def bytes(self) -> int | None:
        """Size in bytes, rounded up to whole bytes; None where it is unknown."""
        return None if self.shape is None else _bytes(self.shape, self.dtype)


@functools.lru_cache(maxsize=4096)
def elements(shape: Shape) -> int | None:
    """Number of elements of a shape, or None where a dimension is symbolic or unknown."""
    count = 1
    for dim in shape:
        if not isinstance(dim, int):
            return None
        count *= dim
    return count


@functools.lru_cache(maxsize=4096)
def _bytes(shape: Shape, dtype: str) -> int | None:
    count, width = elements(shape), bits(dtype)
    return None if count is None or width is None else (count * width + 7) // 8


def bits(dtype: str) -> int | None:
    """Bits of one element of an ONNX element type; None for strings and unknown types."""
    if dtype in _BITS:
        return _BITS[dtype]
    if dtype == "bool" or dtype.startswith("float8"):
        return 8
    digits = dtype.removeprefix("u").removeprefix("int")
    return int(digits) if digits.isdigit() else None
