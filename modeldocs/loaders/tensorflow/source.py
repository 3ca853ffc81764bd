"""TensorFlow's sources: which files they are, and how a request is read."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from modeldocs.errors import ModeldocsError
from modeldocs.loaders import LoadRequest, limited_files
from modeldocs.loaders.python_source import python_file
from modeldocs.loaders.tensorflow.graphdef import headers

if TYPE_CHECKING:
    from modeldocs.loaders.tensorflow.program import GraphDefProgram

MAX_BYTES = 2**30
_SAVED_MODEL = ("saved_model.pb", "saved_model.pbtxt")
_TEXT = re.compile(r"^\s*(?:node|graph_def|meta_graphs|meta_info_def)\s*:?\s*[{<]", re.M)
_SCHEMA = re.compile(r"^\s*saved_model_schema_version\s*:", re.M)
_CAFFE = re.compile(r"^(?:layers?)\s*:?\s*[{<]", re.M)
_COMMENTS_AND_STRINGS = re.compile(r"#[^\n]*|\"(?:[^\"\\\n]|\\.)*\"")


def recognises(path: Path) -> bool:
    """Whether a folder is a SavedModel, or a file a graph, a MetaGraph, or Python of TensorFlow.

    TensorFlow itself is not needed for it.
    """
    if path.is_dir():
        return _saved_model(path) is not None
    if path.suffix == ".py":
        return _is_port(path)
    if path.suffix not in (".pb", ".pbtxt", ".meta"):
        return False
    with path.open("rb") as file:
        data = file.read(headers.HEADER_BYTES)
    if path.suffix == ".pbtxt":
        text = _COMMENTS_AND_STRINGS.sub('""', data.decode("utf-8", "replace"))
        return bool(_SCHEMA.search(text) or (_TEXT.search(text) and not _CAFFE.search(text)))
    return headers.is_graph(data) or headers.is_saved_model(data) or headers.is_meta_graph(data)


def _saved_model(folder: Path) -> Path | None:
    """The file that makes a folder a SavedModel; those of its variables are not needed."""
    return next((folder / name for name in _SAVED_MODEL if (folder / name).is_file()), None)


def _is_port(path: Path) -> bool:
    """Whether Python imports TensorFlow but not Keras, whose models its own loader takes."""
    text = path.read_text(encoding="utf-8", errors="replace")
    if "tensorflow" not in text:
        return False
    try:
        tree = python_file.parse(path)
    except ModeldocsError:
        return path.stem == "tensorflow"
    packages = set(_imported_packages(tree))
    return "tensorflow" in packages and ("keras" not in packages or path.stem == "tensorflow")


def _imported_packages(tree: ast.Module) -> Iterator[str]:
    """`tensorflow`, `keras` and `tf_keras`, for each import of one or of a module in it."""
    for node in ast.walk(tree):
        names: list[str] = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and not node.level:
            names = [f"{node.module}.{alias.name}" for alias in node.names]
        for name in names:
            yield from set(name.split(".")) & {"tensorflow", "keras", "tf_keras"}


def read(request: LoadRequest) -> GraphDefProgram:
    """The program of a request: a SavedModel, a graph or MetaGraph, or a Python function.

    Raises:
        ModeldocsError: it cannot be read, or contains no graph.
    """
    from modeldocs.loaders.tensorflow import tracing
    from modeldocs.loaders.tensorflow.graphdef import metagraphs

    if request.module is not None or str(request.path).endswith(".py"):
        return tracing.trace(request)
    path = Path(request.root, request.path or "")
    if path.is_dir():
        saved_model = _saved_model(path)
        if saved_model is None:
            raise ModeldocsError(
                "the folder holds no saved_model.pb",
                file=request.source,
                fix="give the folder that tf.saved_model.save wrote",
            )
        path = saved_model
    file = request.relative(path)
    fix = "save the graph without the values of its variables"
    data = limited_files.read(path, MAX_BYTES, file=file, what="a graph", fix=fix)
    return metagraphs.program(request, file, data, text=path.suffix == ".pbtxt")
