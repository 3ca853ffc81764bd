"""`.npz`: archives of arrays, such as Chainer's; no pickles."""

from __future__ import annotations

import contextlib
import zipfile
from collections.abc import Iterator, Mapping
from pathlib import Path

import numpy as np

from modeldocs.checkpoints.tensors import Shape, Tensors

_SUFFIX = ".npy"


@contextlib.contextmanager
def opened(file: Path, _scratch: Path) -> Iterator[Tensors]:
    """The arrays of an archive, each unpacked when it is read; objects are left out."""
    with zipfile.ZipFile(file) as archive:
        headers = {
            name.removesuffix(_SUFFIX): _header(archive, name)
            for name in archive.namelist()
            if name.endswith(_SUFFIX)
        }

        def read(key: str) -> np.ndarray:
            with archive.open(key + _SUFFIX) as stream:
                return np.asarray(np.lib.format.read_array(stream, allow_pickle=False))

        shapes = {key: shape for key, (shape, dtype) in headers.items() if not dtype.hasobject}
        yield Tensors(file.name, shapes, read)


def _header(archive: zipfile.ZipFile, name: str) -> tuple[Shape, np.dtype[np.generic]]:
    """Shape and type of an array, of its first bytes."""
    with archive.open(name) as stream:
        version = np.lib.format.read_magic(stream)
        reads = np.lib.format.read_array_header_1_0
        if version != (1, 0):
            reads = np.lib.format.read_array_header_2_0
        shape, _, dtype = reads(stream)
    return tuple(shape), dtype


class NpzWriter:
    """Writes an archive as `numpy.savez` does, but an array at a time."""

    def __init__(self, file: Path, _tensors: Mapping[str, tuple[Shape, str]]) -> None:
        self._archive = zipfile.ZipFile(file, "w", zipfile.ZIP_STORED)

    def write(self, key: str, array: np.ndarray) -> None:
        """Write an array; one of a type that the format lacks (bfloat16) as float32."""
        array = array.astype(np.float32) if array.dtype.kind == "V" else array
        with self._archive.open(key + _SUFFIX, "w", force_zip64=True) as stream:
            np.lib.format.write_array(stream, np.asarray(array), allow_pickle=False)

    def close(self) -> None:
        """End the archive."""
        self._archive.close()
