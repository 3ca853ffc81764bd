"""`.params`: MXNet's lists of arrays, read and written without MXNet."""

from __future__ import annotations

import contextlib
import math
import mmap
import struct
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

import numpy as np

from modeldocs.checkpoints.tensors import Shape, Tensors
from modeldocs.errors import ModeldocsError

_LIST: Final = 0x112
_V1, _V2, _V3 = 0xF993FAC8, 0xF993FAC9, 0xF993FACA
_TYPES: Final = {0: "f4", 1: "f8", 2: "f2", 3: "u1", 4: "i4", 5: "i1", 6: "i8", 7: "?"}
_NUMBERS: Final = {np.dtype(kind): number for number, kind in _TYPES.items()}
_CPU: Final = (1, 0)
_MAX_RANK: Final = 32
PREFIXES: Final = ("arg:", "aux:")
"""What stands before the names of arguments and of auxiliary states."""


@contextlib.contextmanager
def opened(file: Path, _scratch: Path) -> Iterator[Tensors]:
    """The arrays of a file by name, without the prefix that tells arguments from states."""
    with file.open("rb") as stream:
        data = mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ)
    at = _Cursor(data, file.name)
    if at.number("Q") != _LIST:
        raise at.error("it does not begin as a list of arrays")
    at.number("Q")
    places = [at.array() for _ in range(at.number("Q"))]
    names = [at.text() for _ in range(at.number("Q"))]
    if len(names) != len(places):
        raise at.error("its arrays have no names")
    arrays = dict(zip(map(_without_prefix, names), places, strict=True))

    def read(key: str) -> np.ndarray:
        shape, dtype, start = arrays[key]
        return np.fromfile(file, dtype, math.prod(shape), offset=start).reshape(shape)

    yield Tensors(file.name, {name: shape for name, (shape, _, _) in arrays.items()}, read)


def _without_prefix(name: str) -> str:
    return name[4:] if name.startswith(PREFIXES) else name


class _Cursor:
    """A place in a file, which moves on with what is read."""

    def __init__(self, data: mmap.mmap, file: str) -> None:
        self.data, self.file, self.place = data, file, 0

    def error(self, reason: str) -> ModeldocsError:
        """The error of a file that is not as MXNet writes it."""
        reason = f"is no whole file of MXNet's parameters: {reason}"
        return ModeldocsError(reason, file=self.file, fix="save it anew with MXNet")

    def number(self, kind: str) -> int:
        """The integer of a type of `struct`."""
        try:
            (value,) = struct.unpack_from(f"<{kind}", self.data, self.place)
        except struct.error:
            raise self.error("it is cut short") from None
        self.place += struct.calcsize(f"<{kind}")
        return int(value)

    def text(self) -> str:
        """A name behind its length."""
        size = self.number("Q")
        text = self.data[self.place : self.place + size]
        if len(text) != size:
            raise self.error("it is cut short")
        self.place += size
        return text.decode("utf-8", "replace")

    def array(self) -> tuple[Shape, str, int]:
        """Shape, type and place of an array's numbers, which are passed."""
        magic = self.number("I")
        if magic in (_V2, _V3) and self.number("i") != 0:
            raise self.error("it has sparse arrays")
        legacy = magic not in (_V1, _V2, _V3)
        rank = magic if legacy else self.number("I")
        if rank > _MAX_RANK:
            raise self.error(f"an array has {rank} axes")
        shape = tuple(self.number("I" if legacy else "q") for _ in range(rank))
        if not shape and magic != _V3:
            return (), "f4", self.place  # an array without values ends here
        self.number("q")  # the device that it lay on
        kind = _TYPES.get(self.number("i"))
        if kind is None:
            raise self.error("an array is of a type that numpy lacks")
        start = self.place
        self.place += math.prod(shape) * np.dtype(kind).itemsize
        if min(shape, default=0) < 0 or self.place > len(self.data):
            raise self.error("it is cut short")
        return shape, f"<{kind}" if kind != "?" else kind, start


class ParamsWriter:
    """Writes a list of arrays, an array at a time; their names follow at the end."""

    def __init__(self, file: Path, tensors: Mapping[str, tuple[Shape, str]]) -> None:
        self._stream, self._names = file.open("wb"), list(tensors)
        self._stream.write(struct.pack("<QQQ", _LIST, 0, len(self._names)))

    def write(self, _key: str, array: np.ndarray) -> None:
        """Write the next array."""
        head = struct.pack("<IiI", _V2, 0, array.ndim)
        head += struct.pack(f"<{array.ndim}q", *array.shape)
        self._stream.write(head + struct.pack("<iii", *_CPU, _NUMBERS[array.dtype]))
        self._stream.write(np.ascontiguousarray(array).data)

    def close(self) -> None:
        """Write the names, and end the file."""
        self._stream.write(struct.pack("<Q", len(self._names)))
        for name in map(str.encode, self._names):
            self._stream.write(struct.pack("<Q", len(name)) + name)
        self._stream.close()
