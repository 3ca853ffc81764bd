"""How to load a port in its own framework, as code to paste."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from modeldocs.catalog import Port
from modeldocs.errors import ModeldocsError
from modeldocs.loaders import LoadRequest
from modeldocs.loaders.python_source import entry_points, python_file

_READERS: Final[Mapping[tuple[str, str], str]] = {
    ("caffe", ".prototxt"): 'import caffe\n\nnet = caffe.Net("{path}", caffe.TEST)',
    ("onnx", ".onnx"): (  # the weights need not be there
        'import onnx\n\nmodel = onnx.load("{path}", load_external_data=False)'
    ),
    ("mxnet", ".json"): 'import mxnet as mx\n\nsymbol = mx.sym.load("{path}")',
    ("keras", ".keras"): 'import keras\n\nmodel = keras.saving.load_model("{path}")',
    ("keras", ".h5"): 'import keras\n\nmodel = keras.saving.load_model("{path}")',
    ("tensorflow", ""): 'import tensorflow as tf\n\nmodel = tf.saved_model.load("{path}")',
    ("pytorch", ".pt2"): 'import torch\n\nprogram = torch.export.load("{path}")',
}
"""What reads a file, by framework and the end of its name; a SavedModel is a folder."""

_RUN = 'import runpy\n\nmodel = runpy.run_path("{path}")["{entry}"]{call}'
_IMPORT = "from {module} import {name}\n\nmodel = {entry}{call}"


_SYMBOL = "get_symbol"
"""The entry point of MXNet's symbol files, whatever helpers stand beside it."""


def usage(port: Port) -> str:
    """Python that gives the model, for the folder of `mkdocs.yml`; empty where none is known."""
    request = port.request
    if request.module:
        return _imported(request)
    if not request.path:
        return ""
    path = Path(request.path)
    if path.suffix == ".py":
        return _run(request, path, takes_tensors=port.framework == "tensorflow")
    return _READERS.get((port.framework, path.suffix), "").format(path=_shown(request, path))


def _imported(request: LoadRequest) -> str:
    entry = request.entry or "model"
    return _IMPORT.format(
        module=request.module, name=entry.partition(".")[0], entry=entry, call=_call(request.args)
    )


def _run(request: LoadRequest, path: Path, *, takes_tensors: bool) -> str:
    entry = request.entry or _found(path, request.name)
    if not entry or not entry.isidentifier():
        return ""
    call = "  # called with tensors" if takes_tensors else _call(request.args)
    if entry in python_file.assigned_names(python_file.parse(path)):
        call = ""  # a variable is the model already
    return _RUN.format(path=_shown(request, path), entry=entry, call=call)


def _found(path: Path, name: str) -> str:
    """The entry point of a file, whatever its classes derive from; empty where it is not clear."""
    try:
        tree = python_file.parse(path)
        if any(isinstance(node, ast.FunctionDef) and node.name == _SYMBOL for node in tree.body):
            return _SYMBOL
        bases = [
            ast.unparse(base).split(".")[-1]
            for node in tree.body
            if isinstance(node, ast.ClassDef)
            for base in node.bases
        ]
        return entry_points.find(path, name, bases)
    except (ModeldocsError, OSError):
        return ""


def _call(args: Mapping[str, Any]) -> str:
    return f"({', '.join(f'{name}={value!r}' for name, value in args.items())})"


def _shown(request: LoadRequest, path: Path) -> str:
    """The path from the folder around that of models, as commands take it."""
    folder = Path(request.root).parent.parent
    return (path.relative_to(folder) if path.is_relative_to(folder) else path).as_posix()
