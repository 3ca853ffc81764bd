"""The Lua that runs a definition: a sandbox of its own with stand-ins for Torch's packages.

No Python object goes in, and only text comes out. The definition has no `os`, `io`, `package`,
`load`, `debug` or coroutines; its instructions are counted and its memory is limited. Of files it
sees those beside it that it asks for by name: it is run again with their text.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from modeldocs.errors import ModeldocsError
from modeldocs.loaders import LoadRequest
from modeldocs.loaders.torch7.given import ALTERNATIVES, DEFAULTS, Given
from modeldocs.loaders.torch7.neighbours import Neighbours, code
from modeldocs.loaders.torch7.recording import Recording

HOST = (
    "specs", "tensors", "classes", "modules", "graphs", "given", "packages", "files", "writer",
    "entry", "host",
)  # fmt: skip
MEMORY = 512 * 2**20
"""Bytes that a definition may use in Lua."""

FIRST_LINE = 100_000
"""Where lines of the host's own code begin: any below is the definition's."""

_PLACE = re.compile(r"^(?P<file>[^:\n]*):(?P<line>\d+): (?P<reason>.*)", re.S)
_EXHAUSTED = re.compile(r"^runs too long|^needed more than")
_LUA = Path(__file__).parent / "lua"
_CONVENTIONS = (
    "let it return the network, a function that does, or `{model = …}`, or define `createModel`"
)

Shapes = list[tuple[str, tuple[int, ...]]]


@dataclass(frozen=True)
class Ran:
    """What came of a definition: its network, the inputs that it names, what it was given."""

    recording: Recording
    inputs: Shapes
    given: Given
    code: bytes = b""

    def line(self, number: int | None) -> str:
        """The text of a line of the definition."""
        return _line(self.code, number)


def run(request: LoadRequest) -> Ran:
    """Run the definition, again while it asks for files beside it or refuses what was assumed.

    Raises:
        ModeldocsError: it does not run, or makes no network, with its line.
    """
    neighbours = Neighbours(request)
    choices = _choices()
    defaults, first, tried = DEFAULTS | next(choices), None, []
    while True:
        attempt = _Attempt(request, neighbours, defaults)
        try:
            made: Ran | ModeldocsError = attempt.run()
        except ModeldocsError as error:
            made = error
        if isinstance(made, ModeldocsError) and _EXHAUSTED.search(made.reason):
            raise made
        added = [neighbours.add(*wanted) for wanted in attempt.given.wanted]
        if any(added):
            continue
        if isinstance(made, Ran):
            return made
        first = first or made
        tried.append({name: defaults[name] for name in attempt.given.plain & ALTERNATIVES.keys()})
        others = (one for one in choices if not any(old.items() <= one.items() for old in tried))
        chosen = next(others, None)
        if chosen is None:
            raise first
        defaults = DEFAULTS | chosen


def _choices() -> Iterator[dict[str, Any]]:
    """Values to assume of the names that have several, the usual ones first."""
    for values in itertools.product(*ALTERNATIVES.values()):
        yield dict(zip(ALTERNATIVES, values, strict=True))


def _line(text: bytes, number: int | None) -> str:
    lines = text.splitlines()
    known = number is not None and 0 < number <= len(lines)
    return lines[(number or 1) - 1].decode("utf-8", "replace") if known else ""


class _Attempt:
    """One run of a definition, in a Lua of its own."""

    def __init__(
        self, request: LoadRequest, neighbours: Neighbours, defaults: Mapping[str, Any]
    ) -> None:
        self.request = request
        self.neighbours = neighbours
        self.name = neighbours.name
        self.code = code(neighbours.path)
        self.given = Given()
        self.lua = _runtime()
        self.host = _host(self.lua)
        for key, value in request.args.items():
            self.host[b"argument"](key.encode(), _lua(self.lua, value))
        for key, value in defaults.items():
            self.host[b"default"](key.encode(), _lua(self.lua, value))
        shapes = list(request.inputs.values())
        if shapes and "inputShape" not in request.args:
            self.host[b"argument"](b"inputShape", _lua(self.lua, list(shapes[0][1:])))
        for (asked, wanted), (told, text) in neighbours.found.items():
            self.host[b"file"](_chunk(asked), wanted.encode(), _chunk(told), text)

    def run(self) -> Ran:
        """The network that the definition makes."""
        told, inputs, kind, defined = self._executed()
        if told is None:
            raise self._nothing(kind, defined)
        recording = _decoded(told, Recording, self.name, "what it recorded of its modules")
        return Ran(recording, _shapes(inputs, self.name), self.given, self.code)

    def _executed(self) -> tuple[Any, Any, str, list[str]]:
        from lupa import lua52

        wanted = self.request.entry.encode() if self.request.entry else None
        failed: ModeldocsError | None = None
        try:
            told, inputs, kind, defined = self.host[b"run"](self.code, _chunk(self.name), wanted)
        except MemoryError:
            raise ModeldocsError(
                f"needed more than the {MEMORY // 2**20} MiB of memory that a definition has",
                file=self.name,
                fix="look for a table or a string that grows without end",
            ) from None
        except lua52.LuaError as error:
            failed = _failure(str(error), self.name, self.host[b"line"])
        finally:
            self._take()
        if failed is not None:
            raise self.given.explained(failed, _line(self._code(failed.file), failed.line))
        names = [name for name in bytes(defined).decode("utf-8", "replace").split("\n") if name]
        return told, inputs, bytes(kind).decode(), names

    def _code(self, file: str | None) -> bytes:
        """The text of the definition, or of a file beside it."""
        return dict(self.neighbours.found.values()).get(file or "", self.code)

    def _take(self) -> None:
        """Take over what the definition printed, assumed and asked for, also where it failed."""
        from lupa import lua52

        try:
            for line in self.host[b"printed"].values():
                print(bytes(line).decode("utf-8", "replace"))  # noqa: T201
            self.given = msgspec.json.decode(bytes(self.host[b"told"]()), type=Given)
        except (MemoryError, lua52.LuaError, msgspec.MsgspecError):
            self.given = Given()

    def _nothing(self, kind: str, defined: list[str]) -> ModeldocsError:
        """Why there is no network: a file of helpers, or one of no convention."""
        if not defined:
            return ModeldocsError(
                f"makes no network ({kind} came back)", file=self.name, fix=_CONVENTIONS
            )
        shown = ", ".join(defined[:6]) + (" …" if len(defined) > 6 else "")
        return ModeldocsError(
            f"builds no network by itself, it defines {shown}",
            file=self.name,
            fix="load the file that uses it, or name the function that makes a network: "
            f"{Path(self.name).name}:FUNCTION",
        )


def _runtime() -> Any:
    from lupa import lua52

    return lua52.LuaRuntime(
        unpack_returned_tuples=False,
        register_eval=False,
        register_builtins=False,
        attribute_filter=_refuse,
        encoding=None,
        max_memory=MEMORY,
    )


def _refuse(_object: object, name: object, _setting: bool) -> str:
    raise AttributeError(name)


def _host(lua: Any) -> Any:
    """The table of the host's functions; what it takes from Lua's libraries it holds itself."""
    host = lua.eval(b"{}")
    lua.execute(b"python = nil")
    load = lua.eval(b"function(code, name) return assert(load(code, name, 't')) end")
    for part in HOST:
        text = b"\n" * FIRST_LINE + (_LUA / f"{part}.lua").read_bytes()
        load(text, b"=" + part.encode())(host)
    return host


def _chunk(name: str) -> bytes:
    """A file as Lua names it in errors."""
    return name.encode("ascii", "replace")


def _lua(lua: Any, value: Any) -> Any:
    """A plain value as Lua has it."""
    if isinstance(value, str):
        return value.encode()
    if isinstance(value, Mapping):
        return lua.table_from({str(k).encode(): _lua(lua, v) for k, v in value.items()})
    if isinstance(value, list | tuple):
        return lua.table_from([_lua(lua, item) for item in value])
    return value


def _failure(said: str, name: str, last: Any) -> ModeldocsError:
    """An error of Lua's with the line that it names, else the last that was run."""
    text = said.split("stack traceback:")[0].strip()
    found = _PLACE.match(text)
    reason = (found["reason"] if found else text).strip() or "raised an error without a message"
    line = int(found["line"]) if found else last
    file = name
    if line is not None and line > FIRST_LINE:
        line = last
    elif found and found["file"].endswith(".lua"):
        file = found["file"]
    fix = "correct it there"
    if "runs too long" in reason:
        fix = "look for an endless loop"
    elif re.match(r"(requires|runs) \S+, which is", reason):
        fix = "keep the Lua file that it asks for beside the definition"
    elif "only Torch7 could" in reason or "torch.load" in reason:
        fix = "take it out: a definition makes modules, and computes nothing with them"
    return ModeldocsError(reason[:500], file=file, line=line, fix=fix)


def _decoded(told: Any, kind: Any, name: str, what: str) -> Any:
    try:
        return msgspec.json.decode(bytes(told), type=kind)
    except msgspec.MsgspecError as error:
        raise ModeldocsError(
            f"{what} cannot be read: {error}",
            file=name,
            fix="set fields of modules to what Torch sets them to",
        ) from None


def _shapes(told: Any, name: str) -> Shapes:
    try:
        return msgspec.json.decode(bytes(told), type=Shapes | None) or []
    except msgspec.MsgspecError as error:
        raise ModeldocsError(
            f"its INPUTS are no shapes by name: {error}",
            file=name,
            fix="write them as `INPUTS = {image = {1, 3, 224, 224}}`",
        ) from None
