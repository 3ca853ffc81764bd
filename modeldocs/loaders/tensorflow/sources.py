"""Sources read: SavedModels, graphs and MetaGraphs, as binary or as text, and Python files."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from modeldocs.errors import ModeldocsError, first_line
from modeldocs.loaders import LoadRequest, capped
from modeldocs.loaders.tensorflow import ends, metagraphs, recognition
from modeldocs.loaders.tensorflow.program import Program

MAX_BYTES = 2**30
_TEXT_MARKS = ("saved_model_schema_version", "meta_graphs")


def read(request: LoadRequest) -> Program:
    """The program of a request.

    Raises:
        ModeldocsError: it cannot be read, or what it holds is no graph.
    """
    if request.module is not None or str(request.path).endswith(".py"):
        from modeldocs.loaders.tensorflow import tracing

        return tracing.trace(request)
    path = Path(request.root, request.path or "")
    if path.is_dir():
        found = recognition.saved_model(path)
        if found is None:
            raise ModeldocsError(
                "the folder holds no saved_model.pb",
                file=request.source,
                fix="give the folder that tf.saved_model.save wrote",
            )
        path = found
    file, data = request.relative(path), _bytes(request, path)
    if path.suffix == ".pbtxt":
        return _program(request, file, *_parsed_text(file, data))
    return _program(request, file, _parsed(file, data), {})


def _bytes(request: LoadRequest, path: Path) -> bytes:
    fix = "save the graph without the values of its variables"
    file = request.relative(path)
    return capped.read(path, MAX_BYTES, file=file, what="a graph", fix=fix)


def _kinds() -> tuple[Any, Any, Any]:
    from tensorflow.core.framework import graph_pb2
    from tensorflow.core.protobuf import meta_graph_pb2, saved_model_pb2

    return saved_model_pb2.SavedModel, meta_graph_pb2.MetaGraphDef, graph_pb2.GraphDef


def _parsed(file: str, data: bytes) -> Any:
    """The message that binary data holds, told by how it starts."""
    saved_model, meta_graph, graph = _kinds()
    kind = graph
    if recognition.is_saved_model(data[: recognition.LOOK_AT]):
        kind = saved_model
    elif recognition.is_meta_graph(data):
        kind = meta_graph
    message = kind()
    try:
        message.ParseFromString(data)
    except Exception as error:
        raise ModeldocsError(
            f"is not whole as a {kind.DESCRIPTOR.name}: {first_line(error)}",
            file=file,
            fix="save it again, or fetch it whole",
        ) from None
    return message


def _parsed_text(file: str, data: bytes) -> tuple[Any, dict[str, int]]:
    """The message that text holds, and the line of each node by name."""
    from google.protobuf import text_format

    text = data.decode("utf-8", "replace")
    saved_model, meta_graph, graph = _kinds()
    fields = _top_fields(text)
    kind = graph
    if any(mark in fields for mark in _TEXT_MARKS):
        kind = saved_model
    elif "graph_def" in fields or "meta_info_def" in fields:
        kind = meta_graph
    message = kind()
    try:
        text_format.Parse(text, message, allow_unknown_field=True)
    except text_format.ParseError as error:
        line = error.GetLine()
        raise ModeldocsError(
            f"is no {kind.DESCRIPTOR.name} in text format: {first_line(error)}",
            file=file,
            line=line if isinstance(line, int) and line > 0 else None,
            fix="correct it there",
        ) from None
    except (RecursionError, ValueError, UnicodeError, TypeError) as error:
        raise ModeldocsError(
            f"is no {kind.DESCRIPTOR.name} in text format: {first_line(error)}",
            file=file,
            fix="write it again",
        ) from None
    return message, _lines(text)


_TOKEN = re.compile(r"""#[^\n]*|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|[{}<>\n]|[A-Za-z_]\w*""")


def _top_fields(text: str) -> set[str]:
    """Names of the fields at the top level."""
    depth, found = 0, set()
    for token in _TOKEN.findall(text):
        if token in "{<":
            depth += 1
        elif token in "}>":
            depth -= 1
        elif depth == 0 and token[0] not in "#\"'\n":
            found.add(token)
    return found


def _lines(text: str) -> dict[str, int]:
    """The line that each `node { name: "…"` starts at, by name; functions' nodes left out."""
    found: dict[str, int] = {}
    line, depth, opened, field, last = 1, 0, (0, 0), "", ""
    for token in _TOKEN.findall(text):
        if token == "\n":
            line += 1
        elif token in "{<":
            depth += 1
            opened = (depth, line) if last == "node" else opened
        elif token in "}>":
            depth -= 1
        elif token[0] in "\"'":
            if field == "name" and depth == opened[0]:
                found.setdefault(token[1:-1], opened[1])
        elif token[0] != "#":
            field = last = token
    return found


def _program(request: LoadRequest, file: str, message: Any, lines: dict[str, int]) -> Program:
    saved_model, meta_graph, graph = _kinds()
    places: dict[str, tuple[str | None, int | None]] = {n: (file, at) for n, at in lines.items()}
    if isinstance(message, saved_model):
        message = metagraphs.serving(request, file, message)
    held = message.graph_def if isinstance(message, meta_graph) else message
    assert isinstance(held, graph)
    program = Program(file, held, [], [], places=places, name=request.name)
    if isinstance(message, meta_graph):
        metagraphs.read(request, program, message)
    else:
        ends.find(program, request.args.get("outputs"))
    return program
