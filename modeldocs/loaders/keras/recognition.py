"""Which files are Keras': by name and content, without Keras."""

from __future__ import annotations

import mmap
import re
import zipfile
from pathlib import Path
from typing import Any

import msgspec

from modeldocs.loaders import python_file

MAX_JSON = 64 * 2**20
_HDF5 = b"\x89HDF\r\n\x1a\n"
_OTHERS = frozenset({"caffe", "chainer", "mxnet", "onnx", "pytorch", "torch", "tensorflow", "tf"})
_THROUGH_TENSORFLOW = re.compile(
    r"^\s*(?:from\s+tensorflow(?:\.python)?\s+import\s+[^#\n]*\bkeras\b"
    r"|(?:import|from)\s+tensorflow\.(?:python\.)?keras\b)"
    r"|\b(?:tf|tensorflow)\.keras\.(?:Model|Sequential|Input|applications|models)\b",
    re.M,
)


def is_keras(path: Path) -> bool:
    """Whether a file is a source of Keras'; never raises."""
    found = _BY_SUFFIX.get(path.suffix.lower())
    try:
        return found is not None and path.is_file() and found(path)
    except (OSError, ValueError):
        return False


def _is_port(path: Path) -> bool:
    if path.stem in _OTHERS:
        return False
    if path.stem == "keras" or python_file.mentions_import(path, "keras"):
        return True
    return _THROUGH_TENSORFLOW.search(path.read_text(errors="replace")) is not None


def _is_archive(path: Path) -> bool:
    """A zip with a model's configuration; HDF5 files bear the name, too."""
    with path.open("rb") as file:
        if file.read(len(_HDF5)) == _HDF5:
            return _is_saved_model(path)
    try:
        with zipfile.ZipFile(path) as archive:
            return "config.json" in archive.namelist()
    except (zipfile.BadZipFile, RuntimeError, NotImplementedError, EOFError):
        return True  # broken, which the loader tells


def _is_saved_model(path: Path) -> bool:
    """An HDF5 file with a model's configuration, not one of weights alone."""
    with path.open("rb") as file:
        if file.read(len(_HDF5)) != _HDF5:
            return False
        with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
            return content.find(b"model_config") >= 0


def _is_definition(path: Path) -> bool:
    """JSON of one object with a class and its configuration."""
    if path.stat().st_size > MAX_JSON:
        return False
    try:
        found: Any = msgspec.json.decode(path.read_bytes())
    except (msgspec.MsgspecError, RecursionError):
        return False
    if not isinstance(found, dict) or not isinstance(found.get("class_name"), str):
        return False
    config = found.get("config")
    return isinstance(config, dict | list) and "nodes" not in found


_BY_SUFFIX = {
    ".py": _is_port,
    ".keras": _is_archive,
    ".h5": _is_saved_model,
    ".hdf5": _is_saved_model,
    ".json": _is_definition,
}
