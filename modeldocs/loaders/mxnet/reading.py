"""A symbol as MXNet writes it to JSON, read without MXNet, in every dialect it has had.

Attributes stand under `param` and `attr` (before 0.9), `attr` (to 0.12) or `attrs` (since).
"""

from __future__ import annotations

import re
from typing import Any

import msgspec

from modeldocs.errors import ModeldocsError
from modeldocs.ir import Module
from modeldocs.loaders.mxnet.operands import canonical
from modeldocs.loaders.mxnet.symbol import Symbol, SymbolNode

MODULES, SOURCE = "__modeldocs_modules__", "__modeldocs_source__"
"""Attributes that a symbol made of Python carries: where its nodes were made."""

MAX_NAME = 1000
_OP_KEY = re.compile(r'"op"\s*:')
_READ = {"op", "name", "inputs", "param", "attr", "attrs", "backward_source_id"}


def read_symbol(data: bytes, file: str, *, written: bool = True) -> Symbol:
    """The symbol in a JSON text. `file` is the name that errors and origins give.

    `written` tells that the text is the source: else it was made of Python, and has no lines.

    Raises:
        ModeldocsError: it is no JSON, or no symbol, with the node that is wrong.
    """
    held = _decoded(data, file)
    listed = _list(held, "nodes", file)
    lines = _lines(data, len(listed)) if written else [None] * len(listed)
    nodes: list[SymbolNode] = []
    for index, item in enumerate(listed):
        nodes.append(_node(index, item, file, lines[index]))
        _check_inputs(nodes)
    heads = tuple(_entry(item, "heads", file) for item in _list(held, "heads", file))
    for index, output in heads:
        if not 0 <= index < len(nodes) or output < 0:
            raise ModeldocsError(
                f"its heads name the output {output} of node {index}, it has {len(nodes)} nodes",
                file=file,
                fix="write the symbol anew with Symbol.save",
            )
    if not heads:
        raise ModeldocsError("the symbol has no heads", file=file, fix="save one with outputs")
    attributes = held.get("attrs")
    told = attributes if isinstance(attributes, dict) else {}
    return Symbol(file=file, nodes=tuple(nodes), heads=heads, attributes=told)


def _decoded(data: bytes, file: str) -> dict[str, Any]:
    try:
        held = msgspec.json.decode(data.removeprefix(b"\xef\xbb\xbf"))
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise ModeldocsError(
            f"is not JSON: {error}", file=file, fix="write the symbol anew with Symbol.save"
        ) from None
    except RecursionError:
        raise ModeldocsError(
            "is nested too deeply for a symbol", file=file, fix="give what Symbol.save wrote"
        ) from None
    if not isinstance(held, dict):
        raise ModeldocsError(
            "is no symbol: its JSON is no object", file=file, fix="give what Symbol.save wrote"
        )
    return held


def _list(held: dict[str, Any], name: str, file: str) -> list[Any]:
    found = held.get(name)
    if not isinstance(found, list):
        raise ModeldocsError(
            f"is no symbol: it has no list of `{name}`",
            file=file,
            fix="give what Symbol.save wrote",
        )
    return found


def _lines(data: bytes, count: int) -> list[int | None]:
    """The line of each node's `op`; none of them where there are others of that name."""
    text = data.decode("utf-8", "replace")
    found: list[int | None] = []
    line, at = 1, 0
    for match in _OP_KEY.finditer(text):
        line, at = line + text.count("\n", at, match.start()), match.start()
        found.append(line)
    return found if len(found) == count else [None] * count


def _node(index: int, item: Any, file: str, line: int | None) -> SymbolNode:
    if not isinstance(item, dict):
        raise _wrong(index, f"is no object but {_kind(item)}", file, line)
    told, name = item.get("op"), item.get("name")
    if not isinstance(told, str) or not told or len(told) > MAX_NAME:
        raise _wrong(index, "has no `op` that is a name", file, line)
    if not isinstance(name, str) or len(name) > MAX_NAME:
        raise _wrong(index, f"has no `name` of at most {MAX_NAME} characters", file, line)
    inputs = item.get("inputs", [])
    if not isinstance(inputs, list):
        raise _wrong(index, f"has as `inputs` no list but {_kind(inputs)}", file, line)
    attributes = _attributes(index, item, file, line)
    modules = _modules(attributes.pop(MODULES, ""))
    made_in, made_at = _source(attributes.pop(SOURCE, ""))
    return SymbolNode(
        index=index,
        op=canonical(told, attributes),
        told=told,
        name=name or f"{told.lower()}{index}",
        attributes=attributes,
        inputs=tuple(_entry(one, f"inputs of node {index}", file, line) for one in inputs),
        modules=modules,
        file=made_in or file,
        line=made_at if made_in else line,
    )


def _attributes(index: int, item: dict[str, Any], file: str, line: int | None) -> dict[str, str]:
    """The attributes of all dialects together; what else the node says, as JSON."""
    found: dict[str, str] = {}
    for key in ("param", "attr", "attrs"):
        held = item.get(key) or {}
        if not isinstance(held, dict):
            raise _wrong(index, f"has as `{key}` no object but {_kind(held)}", file, line)
        for name, value in held.items():
            if not isinstance(value, str):
                reason = f"has as attribute {name[:100]!r} no string but {_kind(value)}"
                raise _wrong(index, reason, file, line)
            found[name] = value
    if item.get("backward_source_id", -1) != -1:
        found["backward_source_id"] = str(item["backward_source_id"])[:100]
    for name in sorted(item.keys() - _READ):
        found[name] = msgspec.json.encode(item[name]).decode()[:10_000]
    return found


def _entry(item: Any, where: str, file: str, line: int | None = None) -> tuple[int, int]:
    """`[node, output]`, or with a version behind; before that, a node alone."""
    parts = item if isinstance(item, list) else [item, 0]
    numbers = [part for part in parts[:2] if isinstance(part, int) and not isinstance(part, bool)]
    if len(numbers) != 2:
        raise ModeldocsError(
            f"the {where} hold {_kind(item)} where [node, output] stands",
            file=file,
            line=line,
            fix="write the symbol anew with Symbol.save",
        )
    return numbers[0], numbers[1]


def _check_inputs(nodes: list[SymbolNode]) -> None:
    """Nodes come after those that they read: anything else would be a cycle."""
    node = nodes[-1]
    for index, output in node.inputs:
        if index >= node.index:
            raise node.error(
                f"reads node {index}, which does not come before it",
                fix="write the symbol anew with Symbol.save: it orders the nodes",
            )
        if index < 0 or output < 0 or (nodes[index].is_variable and output):
            raise node.error(
                f"reads the output {output} of node {index}, which there is not",
                fix="correct its inputs",
            )


def _modules(text: str) -> tuple[Module, ...]:
    try:
        steps = msgspec.json.decode(text, type=list[tuple[str, str]]) if text else []
    except msgspec.MsgspecError:
        return ()
    return tuple(Module(path=path, kind=kind) for path, kind in steps)


def _source(text: str) -> tuple[str | None, int | None]:
    file, _, line = text.rpartition(":")
    return (file, int(line)) if file and line.isdecimal() and len(line) < 10 else (None, None)


def _wrong(index: int, reason: str, file: str, line: int | None) -> ModeldocsError:
    return ModeldocsError(
        f"node {index} {reason}",
        file=file,
        line=line,
        fix="write the symbol anew with Symbol.save",
    )


def _kind(value: Any) -> str:
    names = {dict: "an object", list: "a list", str: "a string", bool: "a truth value"}
    return "null" if value is None else names.get(type(value), "a number")
