"""Which files are TensorFlow's, told by name and first bytes: no package of its own is needed."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

SAVED_MODEL = ("saved_model.pb", "saved_model.pbtxt")
"""What a SavedModel folder holds: one of these is enough, its variables are not needed."""

LOOK_AT = 2**16
_OPERATOR = re.compile(rb"[A-Za-z_>][A-Za-z0-9_>./-]*")
_NODE, _META_GRAPHS, _GRAPH_DEF, _META_INFO = 1, 2, 2, 1
_TEXT = re.compile(r"^\s*(?:node|graph_def|meta_graphs|meta_info_def)\s*:?\s*[{<]", re.M)
_SCHEMA = re.compile(r"^\s*saved_model_schema_version\s*:", re.M)


def recognises(path: Path) -> bool:
    """Whether a folder is a SavedModel, or a file a graph, a MetaGraph, or Python of TensorFlow."""
    if path.is_dir():
        return saved_model(path) is not None
    if path.suffix == ".py":
        return _is_port(path)
    if path.suffix not in (".pb", ".pbtxt", ".meta"):
        return False
    with path.open("rb") as file:
        data = file.read(LOOK_AT)
    if path.suffix == ".pbtxt":
        text = _without_strings(data.decode("utf-8", "replace"))
        return bool(_SCHEMA.search(text) or (_TEXT.search(text) and not _is_caffe(text)))
    return is_graph(data) or is_saved_model(data) or is_meta_graph(data)


def saved_model(folder: Path) -> Path | None:
    """The file that makes a folder a SavedModel."""
    return next((folder / name for name in SAVED_MODEL if (folder / name).is_file()), None)


def is_graph(data: bytes) -> bool:
    """Whether data starts as a GraphDef does: with a node that has a name and an operator."""
    number, content = next(_fields(data), (0, b""))
    fields = dict(list(_fields(content))[:2]) if number == _NODE else {}
    return bool(fields.get(1)) and _OPERATOR.fullmatch(fields.get(2, b"")) is not None


def is_saved_model(data: bytes) -> bool:
    """Whether data starts as a SavedModel does: version 1 of its schema, then a MetaGraph."""
    return data[:2] == b"\x08\x01" and next(_fields(data[2:]), (0, b""))[0] == _META_GRAPHS


def is_meta_graph(data: bytes) -> bool:
    """Whether data starts as a MetaGraphDef does: with its information, then its graph."""
    for number, content in _fields(data):
        if number == _GRAPH_DEF:
            return is_graph(content)
        if number != _META_INFO:
            return False
    return False


def _fields(data: bytes) -> Iterator[tuple[int, bytes]]:
    """The length-delimited fields at the start of a message; the last may be cut off."""
    place = 0
    while place < len(data):
        tag, place = data[place], place + 1
        length, shift = 0, 0
        while place < len(data) and shift < 35:
            byte, place = data[place], place + 1
            length |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                break
        if tag & 7 != 2:
            return
        yield tag >> 3, data[place : place + length]
        place += length


def _without_strings(text: str) -> str:
    return re.sub(r"#[^\n]*|\"(?:[^\"\\\n]|\\.)*\"", '""', text)


def _is_caffe(text: str) -> bool:
    return re.search(r"^(?:layers?)\s*:?\s*[{<]", text, re.M) is not None


def _is_port(path: Path) -> bool:
    """Whether Python imports TensorFlow, but not Keras: what that builds is the Keras loader's."""
    text = path.read_text(encoding="utf-8", errors="replace")
    if "tensorflow" not in text:
        return False
    try:
        names = set(_imported(ast.parse(text)))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return path.stem == "tensorflow"
    return "tensorflow" in names and ("keras" not in names or path.stem == "tensorflow")


def _imported(tree: ast.Module) -> Iterator[str]:
    """`tensorflow` and `keras`, for each import of one or of the other below it."""
    for node in ast.walk(tree):
        told = []
        if isinstance(node, ast.Import):
            told = [name.name for name in node.names]
        elif isinstance(node, ast.ImportFrom) and not node.level:
            told = [f"{node.module}.{name.name}" for name in node.names]
        for name in told:
            yield from set(name.split(".")) & {"tensorflow", "keras", "tf_keras"}
