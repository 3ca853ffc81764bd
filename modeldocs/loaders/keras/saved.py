"""Files that Keras saved: read as data. No weights are loaded, and no code in them is run."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path
from typing import Any

import msgspec

from modeldocs.errors import ModeldocsError, first_line
from modeldocs.loaders import LoadRequest
from modeldocs.loaders.keras import configurations
from modeldocs.loaders.keras.building import Source

SUFFIXES = (".keras", ".h5", ".hdf5", ".json")
MAX_CONFIG = 64 * 2**20
"""Bytes of the largest configuration that is read."""

_HDF5 = b"\x89HDF"
_AGAIN = "save the model again with model.save"


def is_file(request: LoadRequest) -> bool:
    """Whether a request names a saved file, not code."""
    return request.path is not None and Path(request.path).suffix.lower() in SUFFIXES


def read(request: LoadRequest) -> Source:
    """The model that a file's configuration describes.

    Raises:
        ModeldocsError: the file is broken, or Keras cannot build what it describes.
    """
    path = Path(str(request.path))
    try:
        text = _text(path, request)
    except OSError as error:
        raise ModeldocsError(
            f"the file cannot be read ({error.strerror or error})",
            file=request.source,
            fix="check its path",
        ) from None
    config = _decoded(text, request)
    return configurations.built(config, request)


def _text(path: Path, request: LoadRequest) -> bytes:
    with path.open("rb") as file:
        start = file.read(4)
    if start == _HDF5:
        return _from_hdf5(path, request)
    if path.suffix.lower() == ".json":
        _check_size(path.stat().st_size, request)
        return path.read_bytes()
    if path.suffix.lower() == ".keras":
        return _from_archive(path, request)
    raise ModeldocsError("is not an HDF5 file", file=request.source, fix=_AGAIN)


def _check_size(size: int, request: LoadRequest) -> None:
    if size > MAX_CONFIG:
        raise ModeldocsError(
            f"its configuration has {size:,} bytes, at most {MAX_CONFIG:,} are read",
            file=request.source,
            fix="take large constants out of the layers' settings",
        )


def _from_archive(path: Path, request: LoadRequest) -> bytes:
    try:
        with zipfile.ZipFile(path) as archive:
            entry = archive.getinfo("config.json")
            _check_size(entry.file_size, request)
            with archive.open(entry) as file:
                found = file.read(MAX_CONFIG + 1)
    except KeyError:
        raise ModeldocsError(
            "the archive has no config.json", file=request.source, fix=_AGAIN
        ) from None
    except (zipfile.BadZipFile, RuntimeError, NotImplementedError, EOFError, ValueError) as error:
        raise ModeldocsError(
            f"is not a whole .keras archive: {error}", file=request.source, fix=_AGAIN
        ) from None
    except Exception as error:  # zlib and its kin raise errors of their own
        raise ModeldocsError(
            f"its config.json cannot be unpacked: {error}", file=request.source, fix=_AGAIN
        ) from None
    _check_size(len(found), request)
    return found


def _from_hdf5(path: Path, request: LoadRequest) -> bytes:
    import h5py  # type: ignore[import-not-found]

    _check_size(min(path.stat().st_size, MAX_CONFIG), request)
    try:
        with h5py.File(io.BytesIO(path.read_bytes()), "r") as file:
            found = file.attrs.get("model_config")
    except MemoryError:
        raise
    except Exception as error:
        raise ModeldocsError(
            f"is not a whole HDF5 file: {first_line(error)}", file=request.source, fix=_AGAIN
        ) from None
    if found is None:
        raise ModeldocsError(
            "holds weights alone, no model_config",
            file=request.source,
            fix="save the whole model with model.save, or give the .py file that builds it",
        )
    return found.encode(errors="surrogateescape") if isinstance(found, str) else bytes(found)


def _decoded(text: bytes, request: LoadRequest) -> dict[str, Any]:
    try:
        found = msgspec.json.decode(text)
    except (msgspec.MsgspecError, RecursionError, UnicodeDecodeError) as error:
        raise ModeldocsError(
            f"its configuration is not JSON: {first_line(error)}", file=request.source, fix=_AGAIN
        ) from None
    if not isinstance(found, dict) or not isinstance(found.get("config"), dict | list):
        raise ModeldocsError(
            "its configuration names no class and config of a model",
            file=request.source,
            fix="write it with model.to_json()",
        )
    return found
