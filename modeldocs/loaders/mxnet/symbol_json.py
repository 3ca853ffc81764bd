"""Decoding of MXNet's symbol JSON, in every dialect it has had.

The key of a node's attributes is `param` and `attr` (before 0.9), `attr` (to 0.12) or `attrs`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

import msgspec

from modeldocs.errors import ModeldocsError
from modeldocs.ir import Module
from modeldocs.loaders.mxnet.program import Symbol, SymbolNode
from modeldocs.loaders.mxnet.schema import canonical

MODULES, SOURCE = "__modeldocs_modules__", "__modeldocs_source__"
"""Attributes of a node built by Python: the blocks around it, and the line that created it."""

MAX_NAME = 1000
_OP_KEY = re.compile(r'"op"\s*:')
_NODE_KEYS = {"op", "name", "inputs", "param", "attr", "attrs", "backward_source_id"}
_SAVE = "write the symbol anew with Symbol.save"
_GIVE = "give what Symbol.save wrote"


@dataclass(frozen=True, slots=True)
class _NodeLocation:
    """The place of a node in the file."""

    file: str
    index: int
    line: int | None

    def error(self, reason: str) -> ModeldocsError:
        """The error of a malformed node."""
        return ModeldocsError(
            f"node {self.index} {reason}", file=self.file, line=self.line, fix=_SAVE
        )


def decode(data: bytes, file: str, *, is_source: bool = True) -> Symbol:
    """The symbol in a JSON text; `file` is its name in errors and origins.

    `is_source` is whether the text is the source itself: JSON derived from Python has no lines.

    Raises:
        ModeldocsError: it is no JSON, or no symbol, with the malformed node.
    """
    document = _document(data, file)
    items = _list(document, "nodes", file)
    lines = _lines(data, len(items)) if is_source else [None] * len(items)
    nodes: list[SymbolNode] = []
    for index, (item, line) in enumerate(zip(items, lines, strict=True)):
        nodes.append(_node(item, _NodeLocation(file, index, line)))
        _check_inputs(nodes)
    heads = tuple(_entry(item, "heads", file) for item in _list(document, "heads", file))
    for index, output in heads:
        if not 0 <= index < len(nodes) or output < 0:
            raise ModeldocsError(
                f"its heads name the output {output} of node {index}, it has {len(nodes)} nodes",
                file=file,
                fix=_SAVE,
            )
    if not heads:
        raise ModeldocsError("the symbol has no heads", file=file, fix="save one with outputs")
    attributes = document.get("attrs")
    attributes = attributes if isinstance(attributes, dict) else {}
    return Symbol(file=file, nodes=tuple(nodes), heads=heads, attributes=attributes)


def _document(data: bytes, file: str) -> dict[str, Any]:
    try:
        document = msgspec.json.decode(data.removeprefix(b"\xef\xbb\xbf"))
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise ModeldocsError(f"is not JSON: {error}", file=file, fix=_SAVE) from None
    except RecursionError:
        raise ModeldocsError("is nested too deeply for a symbol", file=file, fix=_GIVE) from None
    if not isinstance(document, dict):
        raise ModeldocsError("is not a symbol: its JSON is not an object", file=file, fix=_GIVE)
    return document


def _list(document: dict[str, Any], key: str, file: str) -> list[Any]:
    items = document.get(key)
    if not isinstance(items, list):
        raise ModeldocsError(f"is not a symbol: it has no list of `{key}`", file=file, fix=_GIVE)
    return items


def _lines(data: bytes, count: int) -> list[int | None]:
    """The line of each node's `op` key; none where the text has another number of such keys."""
    text = data.decode("utf-8", "replace")
    lines: list[int | None] = []
    line, position = 1, 0
    for match in _OP_KEY.finditer(text):
        line += text.count("\n", position, match.start())
        position = match.start()
        lines.append(line)
    return lines if len(lines) == count else [None] * count


def _node(item: Any, location: _NodeLocation) -> SymbolNode:
    if not isinstance(item, dict):
        raise location.error(f"is not an object but {_kind(item)}")
    operator, name = item.get("op"), item.get("name")
    if not isinstance(operator, str) or not operator or len(operator) > MAX_NAME:
        raise location.error("has no `op` that is a name")
    if not isinstance(name, str) or len(name) > MAX_NAME:
        raise location.error(f"has no `name` of at most {MAX_NAME} characters")
    inputs = item.get("inputs", [])
    if not isinstance(inputs, list):
        raise location.error(f"has `inputs` that are not a list but {_kind(inputs)}")
    attributes = _attributes(item, location)
    modules = _modules(attributes.pop(MODULES, ""))
    port_file, port_line = _source(attributes.pop(SOURCE, ""))
    file, line, where = location.file, location.line, f"inputs of node {location.index}"
    return SymbolNode(
        index=location.index,
        op=canonical(operator, attributes),
        source_op=operator,
        name=name or f"{operator.lower()}{location.index}",
        attributes=attributes,
        inputs=tuple(_entry(entry, where, file, line) for entry in inputs),
        modules=modules,
        file=port_file or file,
        line=port_line if port_file else line,
    )


def _attributes(item: dict[str, Any], location: _NodeLocation) -> dict[str, str]:
    """The attributes of all dialects together; the node's other fields, as JSON."""
    attributes: dict[str, str] = {}
    for key in ("param", "attr", "attrs"):
        fields = item.get(key) or {}
        if not isinstance(fields, dict):
            raise location.error(f"has a `{key}` that is not an object but {_kind(fields)}")
        for name, value in fields.items():
            if not isinstance(value, str):
                raise location.error(
                    f"has an attribute {name[:100]!r} that is not a string but {_kind(value)}"
                )
            attributes[name] = value
    if item.get("backward_source_id", -1) != -1:
        attributes["backward_source_id"] = str(item["backward_source_id"])[:100]
    for name in sorted(item.keys() - _NODE_KEYS):
        attributes[name] = msgspec.json.encode(item[name]).decode()[:10_000]
    return attributes


def _entry(item: Any, where: str, file: str, line: int | None = None) -> tuple[int, int]:
    """A node and an output of it, from `[node, output]`, `[node, output, version]` or a node."""
    parts = item if isinstance(item, list) else [item, 0]
    numbers = [part for part in parts[:2] if isinstance(part, int) and not isinstance(part, bool)]
    if len(numbers) != 2:
        raise ModeldocsError(
            f"the {where} contain {_kind(item)} in place of [node, output]",
            file=file,
            line=line,
            fix=_SAVE,
        )
    return numbers[0], numbers[1]


def _check_inputs(nodes: list[SymbolNode]) -> None:
    """Check that the last node reads earlier nodes only: anything else would be a cycle."""
    node = nodes[-1]
    for index, output in node.inputs:
        if index >= node.index:
            raise node.error(
                f"reads node {index}, which does not come before it",
                fix=f"{_SAVE}: it orders the nodes",
            )
        if index < 0 or output < 0 or (nodes[index].is_variable and output):
            raise node.error(
                f"reads the output {output} of node {index}, which does not exist",
                fix="correct its inputs",
            )


def _modules(text: str) -> tuple[Module, ...]:
    try:
        blocks = msgspec.json.decode(text, type=list[tuple[str, str]]) if text else []
    except msgspec.MsgspecError:
        return ()
    return tuple(Module(path=path, kind=kind) for path, kind in blocks)


def _source(text: str) -> tuple[str | None, int | None]:
    file, _, line = text.rpartition(":")
    return (file, int(line)) if file and line.isdecimal() and len(line) < 10 else (None, None)


def _kind(value: Any) -> str:
    names = {dict: "an object", list: "a list", str: "a string", bool: "a truth value"}
    return "null" if value is None else names.get(type(value), "a number")
