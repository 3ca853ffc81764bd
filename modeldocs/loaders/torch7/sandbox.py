"""Definitions run in Lua, with stand-ins for Torch's packages that record the modules.

No Python object goes into the interpreter, and only text comes out of it. The definition has no
`os`, `io`, `package`, `load`, `debug` or coroutines; its instructions are counted and its memory
is limited. Of the files beside it, it sees those that it asks for by name: it is run again with
their text.
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
from modeldocs.loaders.torch7 import interpreter
from modeldocs.loaders.torch7.arguments import ALTERNATIVES, DEFAULTS, Lookups
from modeldocs.loaders.torch7.interpreter import chunk_name, to_lua
from modeldocs.loaders.torch7.program import ModuleProgram
from modeldocs.loaders.torch7.source import LuaSource, code

_EXHAUSTED = re.compile(r"^runs too long|^needed more than")
_CONVENTIONS = (
    "let it return the network, a function that does, or `{model = …}`, or define `createModel`"
)

Shapes = list[tuple[str, tuple[int, ...]]]


@dataclass(frozen=True)
class SandboxRun:
    """What a run of a definition left: its network, its `INPUTS`, and what it looked up."""

    program: ModuleProgram
    inputs: Shapes
    lookups: Lookups
    code: bytes = b""

    def line(self, number: int | None) -> str:
        """The text of a line of the definition."""
        return _line(self.code, number)


def run(request: LoadRequest) -> SandboxRun:
    """Run the definition, again while it asks for files beside it or refuses assumed arguments.

    Raises:
        ModeldocsError: it fails, or builds no network, with its line.
    """
    source = LuaSource(request)
    choices = _choices()
    defaults, first_error, tried = DEFAULTS | next(choices), None, []
    while True:
        attempt = _Attempt(request, source, defaults)
        result: SandboxRun | ModeldocsError
        try:
            result = attempt.run()
        except ModeldocsError as error:
            result = error
        if isinstance(result, ModeldocsError) and _EXHAUSTED.search(result.reason):
            raise result
        # A run that succeeded may have caught the error of a file that it lacked.
        added = [source.add(*wanted) for wanted in attempt.lookups.wanted]
        if any(added):
            continue
        if isinstance(result, SandboxRun):
            return result
        first_error = first_error or result
        assumed = attempt.lookups.plain & ALTERNATIVES.keys()
        tried.append({name: defaults[name] for name in assumed})
        others = (one for one in choices if not any(old.items() <= one.items() for old in tried))
        choice = next(others, None)
        if choice is None:
            raise first_error
        defaults = DEFAULTS | choice


def _choices() -> Iterator[dict[str, Any]]:
    """Combinations of the values to assume, the usual ones first."""
    for values in itertools.product(*ALTERNATIVES.values()):
        yield dict(zip(ALTERNATIVES, values, strict=True))


def _line(text: bytes, number: int | None) -> str:
    lines = text.splitlines()
    known = number is not None and 0 < number <= len(lines)
    return lines[(number or 1) - 1].decode("utf-8", "replace") if known else ""


class _Attempt:
    """One run of a definition, in an interpreter of its own."""

    def __init__(
        self, request: LoadRequest, source: LuaSource, defaults: Mapping[str, Any]
    ) -> None:
        self.request = request
        self.source = source
        self.code = code(source.path)
        self.lookups = Lookups()
        lua, self.host = interpreter.start()
        for key, value in request.args.items():
            self.host[b"argument"](key.encode(), to_lua(lua, value))
        for key, value in defaults.items():
            self.host[b"default"](key.encode(), to_lua(lua, value))
        shapes = list(request.inputs.values())
        if shapes and "inputShape" not in request.args:
            self.host[b"argument"](b"inputShape", to_lua(lua, list(shapes[0][1:])))
        for (asker, wanted), (name, text) in source.files.items():
            self.host[b"file"](chunk_name(asker), wanted.encode(), chunk_name(name), text)

    def run(self) -> SandboxRun:
        """The network that the definition builds."""
        program, inputs, kind, defined = self._execute()
        if program is None:
            raise self._no_network(kind, defined)
        return SandboxRun(
            self._decoded(
                program,
                ModuleProgram,
                "what it recorded of its modules cannot be read",
                "set fields of modules to what Torch sets them to",
            ),
            self._decoded(
                inputs,
                Shapes | None,
                "its INPUTS are no shapes by name",
                "write them as `INPUTS = {image = {1, 3, 224, 224}}`",
            )
            or [],
            self.lookups,
            self.code,
        )

    def _execute(self) -> tuple[Any, Any, str, list[str]]:
        """The network and the inputs as JSON, what kind of value came back, and global names."""
        from lupa import lua52

        entry = self.request.entry.encode() if self.request.entry else None
        name, error = self.source.name, None
        try:
            program, inputs, kind, defined = self.host[b"run"](self.code, chunk_name(name), entry)
        except MemoryError:
            raise ModeldocsError(
                f"needed more than the {interpreter.MEMORY // 2**20} MiB of memory that a "
                "definition has",
                file=name,
                fix="look for a table or a string that grows without end",
            ) from None
        except lua52.LuaError as lua_error:
            error = interpreter.failure(str(lua_error), name, self.host[b"line"])
        finally:
            self._read_lookups()
        if error is not None:
            raise self.lookups.explain(error, _line(self._code(error.file), error.line))
        names = [name for name in bytes(defined).decode("utf-8", "replace").split("\n") if name]
        return program, inputs, bytes(kind).decode(), names

    def _code(self, file: str | None) -> bytes:
        """The text of the definition, or of a file beside it."""
        return dict(self.source.files.values()).get(file or "", self.code)

    def _read_lookups(self) -> None:
        """Read what the definition printed and looked up, also where it failed."""
        from lupa import lua52

        try:
            for line in self.host[b"printed"].values():
                print(bytes(line).decode("utf-8", "replace"))  # noqa: T201
            self.lookups = msgspec.json.decode(bytes(self.host[b"told"]()), type=Lookups)
        except (MemoryError, lua52.LuaError, msgspec.MsgspecError):
            self.lookups = Lookups()

    def _no_network(self, kind: str, defined: list[str]) -> ModeldocsError:
        """Why there is no network: a file of helpers, or one of no known convention."""
        name = self.source.name
        if not defined:
            return ModeldocsError(
                f"makes no network ({kind} came back)", file=name, fix=_CONVENTIONS
            )
        shown = ", ".join(defined[:6]) + (" …" if len(defined) > 6 else "")
        return ModeldocsError(
            f"builds no network by itself, it defines {shown}",
            file=name,
            fix="load the file that uses it, or name the function that makes a network: "
            f"{Path(name).name}:FUNCTION",
        )

    def _decoded(self, text: Any, kind: Any, reason: str, fix: str) -> Any:
        """A value that the stand-ins wrote as JSON."""
        try:
            return msgspec.json.decode(bytes(text), type=kind)
        except msgspec.MsgspecError as error:
            raise ModeldocsError(f"{reason}: {error}", file=self.source.name, fix=fix) from None
