"""The Lua that runs a definition: a sandbox of its own with stand-ins for Torch's packages.

No Python object goes in, and only text comes out. The definition has no `os`, `io`, `package`,
`load`, `debug` or coroutines; its instructions are counted and its memory is limited.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec

from modeldocs.errors import ModeldocsError
from modeldocs.loaders import LoadRequest
from modeldocs.loaders.torch7.recording import Recording

HOST = ("specs", "tensors", "classes", "modules", "graphs", "writer", "host")
MEMORY = 512 * 2**20
"""Bytes that a definition may use in Lua."""

MAX_BYTES = 4 * 2**20
FIRST_LINE = 100_000
"""Where lines of the host's own code begin: any below is the definition's."""

_PLACE = re.compile(r"^(?P<file>[^:\n]*):(?P<line>\d+): (?P<reason>.*)", re.S)
_LUA = Path(__file__).parent / "lua"
_CONVENTIONS = (
    "let it return the network, a function that does, or `{model = …}`, or define `createModel`"
)

Shapes = list[tuple[str, tuple[int, ...]]]


def run(request: LoadRequest) -> tuple[Recording, Shapes]:
    """Run the definition; the network that it made, and the inputs that it names.

    Raises:
        ModeldocsError: it does not run, or makes no network, with its line.
    """
    path = Path(request.root, request.path or "")
    name = request.relative(path)
    told, inputs, kind = _executed(_code(path), name, request)
    if told is None:
        raise ModeldocsError(f"makes no network ({kind} came back)", file=name, mend=_CONVENTIONS)
    return _recording(told, name), _shapes(inputs, name)


def _code(path: Path) -> bytes:
    try:
        size = path.stat().st_size
        code = path.read_bytes() if size <= MAX_BYTES else b""
    except OSError as error:
        raise ModeldocsError(
            f"the file cannot be read ({error.strerror})", file=path.name, mend="check its path"
        ) from None
    if size > MAX_BYTES:
        raise ModeldocsError(
            f"the file has {size:,} bytes, a definition has at most {MAX_BYTES:,}",
            file=path.name,
            mend="give the definition, not the weights",
        )
    return b"--" + code if code.startswith(b"#") else code


def _executed(code: bytes, name: str, request: LoadRequest) -> tuple[Any, Any, str]:
    from lupa import lua52

    lua = lua52.LuaRuntime(
        unpack_returned_tuples=False,
        register_eval=False,
        register_builtins=False,
        attribute_filter=_refuse,
        encoding=None,
        max_memory=MEMORY,
    )
    host = _host(lua)
    options = lua.eval(b"{}")
    for key, value in request.args.items():
        host[b"option"](options, key.encode(), _lua(lua, value))
    _tell_shape(lua, host, options, request)
    chunk = name.encode("ascii", "replace")
    wanted = request.entry.encode() if request.entry else None
    try:
        told, inputs, kind = host[b"run"](code, chunk, wanted, options)
    except MemoryError:
        raise ModeldocsError(
            f"needed more than the {MEMORY // 2**20} MiB of memory that a definition has",
            file=name,
            mend="look for a table or a string that grows without end",
        ) from None
    except lua52.LuaError as error:
        raise _failure(str(error), name, request, host[b"line"]) from None
    finally:
        _print(host)
    return told, inputs, bytes(kind).decode()


def _refuse(_object: object, name: object, _setting: bool) -> str:
    raise AttributeError(name)


def _host(lua: Any) -> Any:
    """The table of the host's functions; what it takes from Lua's libraries it holds itself."""
    host = lua.eval(b"{}")
    host[b"first_line"] = FIRST_LINE
    lua.execute(b"python = nil")
    load = lua.eval(b"function(code, name) return assert(load(code, name, 't')) end")
    for part in HOST:
        code = b"\n" * FIRST_LINE + (_LUA / f"{part}.lua").read_bytes()
        load(code, b"=" + part.encode())(host)
    return host


def _tell_shape(lua: Any, host: Any, options: Any, request: LoadRequest) -> None:
    """What the convention of functions with `params` gives them beside their own."""
    shapes = list(request.inputs.values())
    if shapes and "inputShape" not in request.args:
        host[b"option"](options, b"inputShape", _lua(lua, list(shapes[0][1:])))
    for name, value in (("ngpus", 1),):
        if name not in request.args:
            host[b"option"](options, name.encode(), value)


def _lua(lua: Any, value: Any) -> Any:
    """A plain value as Lua has it."""
    if isinstance(value, str):
        return value.encode()
    if isinstance(value, Mapping):
        return lua.table_from({str(k).encode(): _lua(lua, v) for k, v in value.items()})
    if isinstance(value, list | tuple):
        return lua.table_from([_lua(lua, item) for item in value])
    return value


def _print(host: Any) -> None:
    """Say what the definition printed, as if it had."""
    for line in host[b"printed"].values():
        print(bytes(line).decode("utf-8", "replace"))  # noqa: T201


def _failure(said: str, name: str, request: LoadRequest, last: Any) -> ModeldocsError:
    """An error of Lua's with the line that it names, else the last that was run."""
    text = said.split("\nstack traceback:")[0].strip()
    found = _PLACE.match(text)
    reason = (found["reason"] if found else text).strip() or "raised an error without a message"
    line = int(found["line"]) if found else last
    if line is not None and line > FIRST_LINE:
        line = last
    mend = "correct it there"
    if not request.args and "index" in reason and "nil value" in reason:
        mend = "correct it there, or give its options as `args:` of the port in model.yml"
    if "runs too long" in reason:
        mend = "look for an endless loop"
    return ModeldocsError(reason[:500], file=name, line=line, mend=mend)


def _recording(told: Any, name: str) -> Recording:
    try:
        return msgspec.json.decode(bytes(told), type=Recording)
    except msgspec.MsgspecError as error:
        raise ModeldocsError(
            f"what it recorded of its modules cannot be read: {error}",
            file=name,
            mend="set fields of modules to what Torch sets them to",
        ) from None


def _shapes(told: Any, name: str) -> Shapes:
    try:
        return msgspec.json.decode(bytes(told), type=Shapes | None) or []
    except msgspec.MsgspecError as error:
        raise ModeldocsError(
            f"its INPUTS are no shapes by name: {error}",
            file=name,
            mend="write them as `INPUTS = {image = {1, 3, 224, 224}}`",
        ) from None
