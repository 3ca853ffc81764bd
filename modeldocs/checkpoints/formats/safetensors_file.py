"""`.safetensors`: read by the library's memory map, written tensor by tensor."""

from __future__ import annotations

import contextlib
import json
import math
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import IO, Any, Final

import ml_dtypes  # noqa: F401 -- gives numpy the types that it lacks by name
import numpy as np
from safetensors import safe_open

from modeldocs.checkpoints.tensors import Shape, Tensors

_TYPES: Final = {
    "float64": "F64", "float32": "F32", "float16": "F16", "bfloat16": "BF16", "int64": "I64",
    "int32": "I32", "int16": "I16", "int8": "I8", "uint64": "U64", "uint32": "U32",
    "uint16": "U16", "uint8": "U8", "bool": "BOOL",
}  # fmt: skip
"""The format's name of each type of numpy."""


@contextlib.contextmanager
def opened(file: Path, _scratch: Path) -> Iterator[Tensors]:
    """The tensors of a file, each copied out of a memory map when it is read."""
    with safe_open(file, framework="numpy") as archive:
        shapes = {key: tuple(archive.get_slice(key).get_shape()) for key in archive.keys()}  # noqa: SIM118

    def read(key: str) -> np.ndarray:
        # Mapped anew each time: what was read before would stay in memory with the map.
        with safe_open(file, framework="numpy") as archive:
            return np.asarray(archive.get_tensor(key))

    yield Tensors(file.name, shapes, read)


class SafetensorsWriter:
    """Writes a file whose tensors are known beforehand by shape and type, in their order.

    The library writes what is all in memory; the format is a header and the bytes behind it.
    """

    def __init__(self, file: Path, tensors: Mapping[str, tuple[Shape, str]]) -> None:
        header: dict[str, Any] = {"__metadata__": {"format": "pt"}}
        place = 0
        for key, (shape, dtype) in tensors.items():
            size = math.prod(shape) * (2 if dtype == "bfloat16" else np.dtype(dtype).itemsize)
            header[key] = {
                "dtype": _TYPES[dtype],
                "shape": list(shape),
                "data_offsets": [place, place + size],
            }
            place += size
        text = json.dumps(header, separators=(",", ":")).encode()
        text += b" " * (-len(text) % 8)
        self._stream: IO[bytes] = file.open("wb")
        self._stream.write(len(text).to_bytes(8, "little") + text)

    def write(self, _key: str, array: np.ndarray) -> None:
        """Write the next tensor."""
        if array.size:
            self._stream.write(np.ascontiguousarray(array).reshape(-1).view(np.uint8).data)

    def close(self) -> None:
        """End the file."""
        self._stream.close()
