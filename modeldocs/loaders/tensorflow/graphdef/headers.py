"""How TensorFlow's binary messages begin, read without TensorFlow."""

from __future__ import annotations

import re
from collections.abc import Iterator

HEADER_BYTES = 2**16
"""Enough of a file's start to recognise it."""

_OPERATOR = re.compile(rb"[A-Za-z_>][A-Za-z0-9_>./-]*")
_NODE, _META_GRAPHS, _GRAPH_DEF, _META_INFO = 1, 2, 2, 1


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
    """The length-delimited fields at the start of a message; the last may be incomplete."""
    position = 0
    while position < len(data):
        tag, position = data[position], position + 1
        length, shift = 0, 0
        while position < len(data) and shift < 35:
            byte, position = data[position], position + 1
            length |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                break
        if tag & 7 != 2:
            return
        yield tag >> 3, data[position : position + length]
        position += length
