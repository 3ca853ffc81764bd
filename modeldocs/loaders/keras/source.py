"""Keras' sources: which files they are, and how a request is read."""

from __future__ import annotations

import inspect
import mmap
import re
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from modeldocs.loaders import Inputs, LoadRequest
from modeldocs.loaders.python_source import callables, declared_inputs, python_file

MAX_JSON = 64 * 2**20
_HDF5 = b"\x89HDF\r\n\x1a\n"
_OTHERS = frozenset({"caffe", "chainer", "mxnet", "onnx", "pytorch", "torch", "tensorflow", "tf"})
_THROUGH_TENSORFLOW = re.compile(
    r"^\s*(?:from\s+tensorflow(?:\.python)?\s+import\s+[^#\n]*\bkeras\b"
    r"|(?:import|from)\s+tensorflow\.(?:python\.)?keras\b)"
    r"|\b(?:tf|tensorflow)\.keras\.(?:Model|Sequential|Input|applications|models)\b",
    re.M,
)
_BASES = ("Model", "Sequential", "Functional", "Layer")


def recognises(path: Path) -> bool:
    """Whether a file is a source of Keras', without Keras itself; never raises."""
    check = _BY_SUFFIX.get(path.suffix.lower())
    try:
        return check is not None and path.is_file() and check(path)
    except (OSError, ValueError):
        return False


def _is_port(path: Path) -> bool:
    if path.stem in _OTHERS:
        return False
    if path.stem == "keras" or python_file.mentions_import(path, "keras"):
        return True
    return _THROUGH_TENSORFLOW.search(path.read_text(errors="replace")) is not None


def _is_archive(path: Path) -> bool:
    """Whether a zip contains a model's configuration; HDF5 files may have the same suffix."""
    with path.open("rb") as file:
        if file.read(len(_HDF5)) == _HDF5:
            return _is_saved_model(path)
    try:
        with zipfile.ZipFile(path) as archive:
            return "config.json" in archive.namelist()
    except (zipfile.BadZipFile, RuntimeError, NotImplementedError, EOFError):
        return True  # broken: the loader raises the error


def _is_saved_model(path: Path) -> bool:
    """Whether an HDF5 file contains a model's configuration, not weights alone."""
    with path.open("rb") as file:
        if file.read(len(_HDF5)) != _HDF5:
            return False
        with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
            return content.find(b"model_config") >= 0


def _is_definition(path: Path) -> bool:
    """Whether JSON is an object with a class and its configuration."""
    if path.stat().st_size > MAX_JSON:
        return False
    try:
        content: Any = msgspec.json.decode(path.read_bytes())
    except (msgspec.MsgspecError, RecursionError):
        return False
    if not isinstance(content, dict) or not isinstance(content.get("class_name"), str):
        return False
    return isinstance(content.get("config"), dict | list) and "nodes" not in content


_BY_SUFFIX = {
    ".py": _is_port,
    ".keras": _is_archive,
    ".h5": _is_saved_model,
    ".hdf5": _is_saved_model,
    ".json": _is_definition,
}


class KerasSource(NamedTuple):
    """A model, the inputs that its source declares, and notes for the reader."""

    model: Any
    inputs: Inputs
    notes: tuple[str, ...] = ()


def is_saved(request: LoadRequest) -> bool:
    """Whether a request names a file that Keras saved, not code."""
    return request.path is not None and Path(request.path).suffix.lower() in _BY_SUFFIX.keys() - {
        ".py"
    }


def read(request: LoadRequest) -> KerasSource:
    """The model of a saved file, a Python file or an importable callable.

    Raises:
        ModeldocsError: the file is broken, or the code raises or returns no model.
    """
    if is_saved(request):
        from modeldocs.loaders.keras.saved import configurations, files

        model, notes = configurations.build(files.configuration(request), request)
        return KerasSource(model, Inputs(), tuple(notes))
    return _run(request)


def _run(request: LoadRequest) -> KerasSource:
    from modeldocs.loaders.keras import framework

    layer_class = framework.imported().layers.Layer
    target, own = callables.entry_point(request, _BASES)
    args, notes = _without_downloads(request, target)
    model = target
    if not isinstance(target, layer_class):
        model = callables.call(msgspec.structs.replace(request, args=args), target)
    if not isinstance(model, layer_class):
        raise callables.wrong_result(request, model, "not a keras.Model", "the model")
    example, typed = "{'image': (1, 224, 224, 3)}", "{'ids': ((1, 128), 'int32')}"
    return KerasSource(model, declared_inputs.inputs(request, own, example, typed), notes)


def _without_downloads(
    request: LoadRequest, target: Callable[..., Any]
) -> tuple[dict[str, Any], tuple[str, ...]]:
    """The arguments of the call; a published model gets no weights unless a file is named."""
    published = (request.module or "").startswith(("keras.applications", "tensorflow.keras.app"))
    if not published or "weights" in request.args:
        return request.args, ()
    if "weights" not in inspect.signature(target).parameters:
        return request.args, ()
    note = "built with weights=None: nothing is downloaded"
    return {**request.args, "weights": None}, (note,)
