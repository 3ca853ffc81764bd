"""Blobs of a `.caffemodel`: reading them as views of the file, and writing them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import IO

import numpy as np

from modeldocs.loaders.caffe.format import wire
from modeldocs.loaders.caffe.format.wire import Wire, WireField
from modeldocs.loaders.dims import MAX_RANK, as_text

LAYER, NAME, TYPE, BLOBS = 100, 1, 2, 7
_DATA, _SHAPE, _DOUBLES = 5, 7, 8
MAX_PARTS = 2**16
_LEGACY_DIMS = (1, 2, 3, 4)


@dataclass(frozen=True, slots=True)
class Blob:
    """A blob's shape, and its values in float32 or float64 (a view of the file), if it has any."""

    shape: tuple[int, ...]
    values: np.ndarray | None

    def reshaped(self, shape: tuple[int, ...]) -> np.ndarray | None:
        """The values as float32, in another shape of as many elements."""
        if self.values is None:
            return None
        return np.asarray(self.values, np.float32).reshape(shape)

    def fits(self, shape: tuple[int, ...]) -> bool:
        """Whether the shapes are equal but for ones around them: old files have four dimensions."""
        return _inner(self.shape) == _inner(shape)


def _inner(shape: tuple[int, ...]) -> tuple[int, ...]:
    wide = [axis for axis, dim in enumerate(shape) if dim != 1]
    return shape[wide[0] : wide[-1] + 1] if wide else ()


def read_blob(at: Wire) -> Blob:
    """The blob in a BlobProto.

    Raises:
        ModeldocsError: it is cut short, or its number of values does not fit its shape.
    """
    shape: list[int] | None = None
    legacy: dict[int, int] = {}
    parts: list[np.ndarray] = []
    for entry in at.entries():
        if entry.number == _SHAPE and entry.kind == wire.BYTES:
            shape = _dims(at.inside(entry))
        elif entry.number in _LEGACY_DIMS and isinstance(entry.value, int):
            legacy[entry.number] = wire.signed(entry.value)
        elif entry.number in (_DATA, _DOUBLES):
            parts.append(_numbers(at, entry))
            if len(parts) > MAX_PARTS:
                raise at.error(0, "a blob has its values one by one, which no Caffe writes")
    if shape is None:
        shape = [legacy.get(number, 1) for number in _LEGACY_DIMS] if legacy else []
    return _checked(at, tuple(shape), parts)


def _dims(at: Wire) -> list[int]:
    dims: list[int] = []
    for entry in at.entries():
        if entry.number == 1 and isinstance(entry.value, int):
            dims.append(wire.signed(entry.value))
        elif entry.number == 1 and entry.kind == wire.BYTES:
            dims += packed(at.inside(entry))
        if len(dims) > MAX_RANK:
            raise at.error(0, f"a blob has more than {MAX_RANK} dimensions")
    return dims


def packed(at: Wire, limit: int = MAX_RANK + 1) -> list[int]:
    """Up to `limit` numbers that follow each other without headers."""
    numbers: list[int] = []
    place = 0
    while place < len(at.data) and len(numbers) < limit:
        value, place = at.varint(place)
        numbers.append(wire.signed(value))
    return numbers


def _numbers(at: Wire, entry: WireField) -> np.ndarray:
    """Values of `data` or `double_data`: all of them packed, or one of them."""
    width = 4 if entry.number == _DATA else 8
    kinds = (wire.BYTES, wire.FIXED32 if width == 4 else wire.FIXED64)
    if not isinstance(entry.value, memoryview) or entry.kind not in kinds:
        raise at.error(0, "a blob has values that are no floating-point numbers")
    if len(entry.value) % width:
        raise at.error(0, f"a blob has {len(entry.value):,} bytes, which are no whole numbers")
    return np.frombuffer(entry.value, f"<f{width}")


def _checked(at: Wire, shape: tuple[int, ...], parts: list[np.ndarray]) -> Blob:
    if any(dim < 0 for dim in shape) or math.prod(shape) >= 2**31:
        raise at.error(0, f"a blob cannot have the shape {as_text(shape)}")
    values = parts[0] if len(parts) == 1 else np.concatenate(parts) if parts else None
    if values is not None and values.size != math.prod(shape):
        raise at.error(0, f"a blob of {as_text(shape)} has {values.size:,} values")
    return Blob(shape, values)


def write(file: IO[bytes], layers: Iterable[tuple[str, str, Sequence[np.ndarray]]]) -> None:
    """Write a `.caffemodel` with the name, type and float32 blobs of some layers."""
    for name, kind, arrays in layers:
        heads = [_blob_head(array) for array in arrays]
        inner = wire.field(NAME, name) + wire.field(TYPE, kind)
        sizes = [len(head) + array.nbytes for head, array in zip(heads, arrays, strict=True)]
        blobs = [wire.header(BLOBS, wire.BYTES) + wire.varint(size) for size in sizes]
        total = len(inner) + sum(map(len, blobs)) + sum(sizes)
        file.write(wire.header(LAYER, wire.BYTES) + wire.varint(total) + inner)
        for blob, head, array in zip(blobs, heads, arrays, strict=True):
            file.write(blob + head)
            file.write(np.ascontiguousarray(array, "<f4").data)


def _blob_head(array: np.ndarray) -> bytes:
    """A BlobProto up to its values: its shape, and the header of `data`."""
    dims = b"".join(wire.varint(dim) for dim in array.shape)
    shape = wire.field(_SHAPE, wire.field(1, dims))
    return shape + wire.header(_DATA, wire.BYTES) + wire.varint(array.nbytes)
