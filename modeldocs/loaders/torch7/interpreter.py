"""The Lua interpreter of a definition: its limits, and values and errors that cross into Python."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from modeldocs.errors import ModeldocsError

HOST = (
    "specs", "tensors", "classes", "modules", "graphs", "given", "packages", "files", "writer",
    "entry", "host",
)  # fmt: skip
"""The Lua files that stand in for Torch's packages, in the order that they are run."""

MEMORY = 512 * 2**20
"""Bytes that a definition may use in Lua."""

FIRST_LINE = 100_000
"""Lines of the stand-ins count from here, lines of a definition stay below."""

_PLACE = re.compile(r"^(?P<file>[^:\n]*):(?P<line>\d+): (?P<reason>.*)", re.S)
_LUA = Path(__file__).parent / "lua"


def start() -> tuple[Any, Any]:
    """A new interpreter, and its table of the functions that the stand-ins offer to Python."""
    from lupa import lua52

    lua = lua52.LuaRuntime(
        unpack_returned_tuples=False,
        register_eval=False,
        register_builtins=False,
        attribute_filter=_refuse,
        encoding=None,
        max_memory=MEMORY,
    )
    host = lua.eval(b"{}")
    lua.execute(b"python = nil")
    load = lua.eval(b"function(code, name) return assert(load(code, name, 't')) end")
    for part in HOST:
        text = b"\n" * FIRST_LINE + (_LUA / f"{part}.lua").read_bytes()
        load(text, b"=" + part.encode())(host)
    return lua, host


def _refuse(_object: object, name: object, _setting: bool) -> str:
    raise AttributeError(name)


def chunk_name(file: str) -> bytes:
    """The name of a file in Lua's errors."""
    return file.encode("ascii", "replace")


def to_lua(lua: Any, value: Any) -> Any:
    """A plain value of Python as one of Lua."""
    if isinstance(value, str):
        return value.encode()
    if isinstance(value, Mapping):
        return lua.table_from({str(k).encode(): to_lua(lua, v) for k, v in value.items()})
    if isinstance(value, list | tuple):
        return lua.table_from([to_lua(lua, item) for item in value])
    return value


def failure(message: str, file: str, last_line: Any) -> ModeldocsError:
    """The error for a message of Lua's, with the line that it names or else the last one run."""
    text = message.split("stack traceback:")[0].strip()
    match = _PLACE.match(text)
    reason = (match["reason"] if match else text).strip() or "raised an error without a message"
    line = int(match["line"]) if match else last_line
    if line is not None and line > FIRST_LINE:
        line = last_line
    elif match and match["file"].endswith(".lua"):
        file = match["file"]
    fix = "correct it there"
    if "runs too long" in reason:
        fix = "look for an endless loop"
    elif re.match(r"(requires|runs) \S+, which is", reason):
        fix = "keep the Lua file that it asks for beside the definition"
    elif "only Torch7 could" in reason or "torch.load" in reason:
        fix = "take it out: a definition makes modules, and computes nothing with them"
    return ModeldocsError(reason[:500], file=file, line=line, fix=fix)
