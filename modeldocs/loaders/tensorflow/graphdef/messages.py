"""Messages of TensorFlow parsed from binary and from text format."""

from __future__ import annotations

import re
from typing import Any

from modeldocs.errors import ModeldocsError, first_line
from modeldocs.loaders.tensorflow.graphdef import headers

_SAVED_MODEL_FIELDS = {"saved_model_schema_version", "meta_graphs"}
_META_GRAPH_FIELDS = {"graph_def", "meta_info_def"}
_TOKEN = re.compile(r"""#[^\n]*|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|[{}<>\n]|[A-Za-z_]\w*""")


def message_types() -> tuple[Any, Any, Any]:
    """The classes SavedModel, MetaGraphDef and GraphDef."""
    from tensorflow.core.framework import graph_pb2
    from tensorflow.core.protobuf import meta_graph_pb2, saved_model_pb2

    return saved_model_pb2.SavedModel, meta_graph_pb2.MetaGraphDef, graph_pb2.GraphDef


def from_binary(file: str, data: bytes) -> Any:
    """The SavedModel, MetaGraphDef or GraphDef in binary data, recognised by its start.

    Raises:
        ModeldocsError: the data is broken.
    """
    saved_model, meta_graph, graph = message_types()
    message_type = graph
    if headers.is_saved_model(data[: headers.HEADER_BYTES]):
        message_type = saved_model
    elif headers.is_meta_graph(data):
        message_type = meta_graph
    message = message_type()
    try:
        message.ParseFromString(data)
    except Exception as error:
        raise ModeldocsError(
            f"is a broken or incomplete {message_type.DESCRIPTOR.name}: {first_line(error)}",
            file=file,
            fix="save it again, or fetch it whole",
        ) from None
    return message


def from_text(file: str, data: bytes) -> tuple[Any, dict[str, int]]:
    """The message in text format, and the line of each node by name.

    Raises:
        ModeldocsError: the text is no such message.
    """
    from google.protobuf import text_format

    text = data.decode("utf-8", "replace")
    saved_model, meta_graph, graph = message_types()
    fields = _top_fields(text)
    message_type = graph
    if fields & _SAVED_MODEL_FIELDS:
        message_type = saved_model
    elif fields & _META_GRAPH_FIELDS:
        message_type = meta_graph
    message = message_type()
    line, fix = None, "write it again"
    try:
        text_format.Parse(text, message, allow_unknown_field=True)
        return message, _node_lines(text)
    except text_format.ParseError as error:
        reason, fix, line = first_line(error), "correct it there", error.GetLine()
    except (RecursionError, ValueError, UnicodeError, TypeError) as error:
        reason = first_line(error)
    raise ModeldocsError(
        f"is no {message_type.DESCRIPTOR.name} in text format: {reason}",
        file=file,
        line=line if isinstance(line, int) and line > 0 else None,
        fix=fix,
    )


def _top_fields(text: str) -> set[str]:
    depth, fields = 0, set()
    for token in _TOKEN.findall(text):
        if token in "{<":
            depth += 1
        elif token in "}>":
            depth -= 1
        elif depth == 0 and token[0] not in "#\"'\n":
            fields.add(token)
    return fields


def _node_lines(text: str) -> dict[str, int]:
    """The line at which each `node { name: "…"` starts, by name; without functions' nodes."""
    lines: dict[str, int] = {}
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
                lines.setdefault(token[1:-1], opened[1])
        elif token[0] != "#":
            field = last = token
    return lines
