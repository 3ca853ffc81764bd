"""Configurations in the files that Keras saved: `.keras`, HDF5 and JSON."""

from __future__ import annotations

import zipfile
from pathlib import Path
from typing import Any

import msgspec

from modeldocs.errors import ModeldocsError, first_line
from modeldocs.loaders import LoadRequest, limited_files

MAX_CONFIG = 64 * 2**20
"""Bytes of the largest configuration that is read."""

_HDF5 = b"\x89HDF"
_AGAIN = "save the model again with model.save"
_SMALLER = "take large constants out of the layers' settings"


def configuration(request: LoadRequest) -> dict[str, Any]:
    """The configuration of the model in a file.

    Raises:
        ModeldocsError: the file is broken, or contains no configuration.
    """
    try:
        text = _text(Path(str(request.path)), request)
    except OSError as error:
        raise ModeldocsError(
            f"the file cannot be read ({error.strerror or error})",
            file=request.source,
            fix="check its path",
        ) from None
    return _decoded(text, request)


def _text(path: Path, request: LoadRequest) -> bytes:
    with path.open("rb") as file:
        start = file.read(len(_HDF5))
    if start == _HDF5:
        return _from_hdf5(path, request)
    suffix = path.suffix.lower()
    if suffix == ".json":
        file_name = request.source or path.name
        return limited_files.read(
            path, MAX_CONFIG, file=file_name, what="a configuration", fix=_SMALLER
        )
    if suffix == ".keras":
        return _from_archive(path, request)
    raise ModeldocsError("is not an HDF5 file", file=request.source, fix=_AGAIN)


def _from_archive(path: Path, request: LoadRequest) -> bytes:
    try:
        with zipfile.ZipFile(path) as archive:
            entry = archive.getinfo("config.json")
            if entry.file_size > MAX_CONFIG:
                raise ModeldocsError(
                    f"its configuration has {entry.file_size:,} bytes, "
                    f"at most {MAX_CONFIG:,} are read",
                    file=request.source,
                    fix=_SMALLER,
                )
            with archive.open(entry) as file:
                return file.read(MAX_CONFIG)
    except ModeldocsError:
        raise
    except KeyError:
        reason = "the archive has no config.json"
    except (zipfile.BadZipFile, RuntimeError, NotImplementedError, EOFError, ValueError) as error:
        reason = f"is a broken .keras archive: {error}"
    except Exception as error:  # zlib and others raise errors of their own
        reason = f"its config.json cannot be unpacked: {error}"
    raise ModeldocsError(reason, file=request.source, fix=_AGAIN)


def _from_hdf5(path: Path, request: LoadRequest) -> bytes:
    import h5py

    try:
        with h5py.File(path, "r", locking=False) as file:
            text = file.attrs.get("model_config")
    except MemoryError:
        raise
    except Exception as error:
        raise ModeldocsError(
            f"is a broken HDF5 file: {first_line(error)}", file=request.source, fix=_AGAIN
        ) from None
    if text is None:
        raise ModeldocsError(
            "contains only weights, no model_config",
            file=request.source,
            fix="save the whole model with model.save, or give the .py file that builds it",
        )
    return text.encode(errors="surrogateescape") if isinstance(text, str) else bytes(text)


def _decoded(text: bytes, request: LoadRequest) -> dict[str, Any]:
    try:
        content = msgspec.json.decode(text)
    except (msgspec.MsgspecError, RecursionError, UnicodeDecodeError) as error:
        raise ModeldocsError(
            f"its configuration is not JSON: {first_line(error)}", file=request.source, fix=_AGAIN
        ) from None
    if not isinstance(content, dict) or not isinstance(content.get("config"), dict | list):
        raise ModeldocsError(
            "its configuration names no class and config of a model",
            file=request.source,
            fix="write it with model.to_json()",
        )
    return content
