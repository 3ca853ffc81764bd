"""`model.yml`: what a team says of a model beside its files, with mistakes told by line."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any, Literal, get_args

import msgspec

from modeldocs.catalog import document
from modeldocs.catalog.document import Document, Place, spelt
from modeldocs.errors import ModeldocsError
from modeldocs.isolation import Limits

NAME = "model.yml"
Size = Annotated[int, msgspec.Meta(ge=1, lt=2**40)]
"""One dimension of an input."""

Dtype = Literal[
    "float32",
    "float64",
    "float16",
    "bfloat16",
    "int64",
    "int32",
    "int16",
    "int8",
    "uint8",
    "bool",
    "complex64",
]
"""Element types that an input can be asked to have."""


class Entry(msgspec.Struct, forbid_unknown_fields=True, frozen=True, kw_only=True):
    """Base of what a manifest is made of: a field that it does not know is a mistake."""


class InputEntry(Entry, frozen=True):
    """An input's shape, and its element type where it is not float32."""

    shape: list[Size]
    dtype: Dtype = "float32"


class Paper(Entry, frozen=True):
    """Where the model was published."""

    title: str
    url: str | None = None
    year: int | None = None


class LimitsEntry(Entry, frozen=True):
    """What loading a port may take; see `modeldocs.isolation.Limits`."""

    seconds: Annotated[float, msgspec.Meta(gt=0, le=86_400)] = Limits().seconds
    memory_mb: Annotated[int, msgspec.Meta(ge=64, lt=2**30)] = Limits().memory_mb


class EnvironmentEntry(Entry, frozen=True):
    """An environment of a port's own; see `modeldocs.environments.declared`."""

    requirements: list[str]
    python: Annotated[str, msgspec.Meta(pattern=r"^3\.(1[1-9]|[2-9][0-9])(\.[0-9]+)?$")] | None = (
        None
    )


class PortEntry(Entry, frozen=True):
    """A port: where it is, how it is built, and what to feed it."""

    framework: str | None = None
    file: str | None = None
    module: str | None = None
    entry: str | None = None
    args: dict[str, Any] = {}
    inputs: dict[str, list[Size] | InputEntry] = {}
    limits: LimitsEntry = LimitsEntry()
    environment: EnvironmentEntry | None = None
    notes: str = ""


class Manifest(Entry, frozen=True):
    """All of `model.yml`; every field may be left out."""

    title: str | None = None
    summary: str = ""
    task: str | None = None
    tags: list[str] = []
    paper: Paper | None = None
    licence: str | None = None
    inputs: dict[str, list[Size] | InputEntry] = {}
    ports: dict[str, PortEntry] = {}
    reference: str | None = None
    notes: str = ""


def read(path: Path) -> Manifest:
    """The manifest in a file.

    Raises:
        ModeldocsError: with file, line, the field, and the nearest name that would be valid.
    """
    found = document.read(path)
    if found.data is None:
        return Manifest()
    if not isinstance(found.data, dict):
        raise ModeldocsError(
            "is not a mapping of fields", file=path.name, line=1, mend="start it with `title: …`"
        )
    for place, value, kind in _parts(found.data):
        _check_names(value, kind, place, found)
    made = [_convert(value, kind, place, found) for place, value, kind in _parts(found.data)]
    manifest: Manifest = made[-1]
    return manifest


def line(path: Path, *place: str) -> int | None:
    """The line of a field in a manifest that was read before, None where it cannot be told."""
    try:
        return document.read(path).line(place)
    except ModeldocsError:
        return None


def _parts(data: dict[str, Any]) -> Iterator[tuple[Place, Any, Any]]:
    """The parts of a manifest with their places and types, the inner before the outer."""
    yield from _named(data, (), "paper", Paper)
    yield from _inputs(data, ())
    for name, entry in _entries(data, "ports"):
        here = ("ports", name)
        if isinstance(entry, dict):
            yield from _named(entry, here, "limits", LimitsEntry)
            yield from _named(entry, here, "environment", EnvironmentEntry)
            yield from _inputs(entry, here)
        yield here, entry, PortEntry
    yield (), data, Manifest


def _named(data: dict[str, Any], place: Place, name: str, kind: Any) -> Iterator[Any]:
    if isinstance(data.get(name), dict):
        yield (*place, name), data[name], kind


def _inputs(data: dict[str, Any], place: Place) -> Iterator[tuple[Place, Any, Any]]:
    for name, entry in _entries(data, "inputs"):
        kind = InputEntry if isinstance(entry, dict) else list[Size]
        yield (*place, "inputs", name), entry, kind


def _entries(data: dict[str, Any], name: str) -> list[tuple[str, Any]]:
    held = data.get(name)
    return list(held.items()) if isinstance(held, dict) else []


def _check_names(value: Any, kind: Any, place: Place, found: Document) -> None:
    if not isinstance(value, dict):
        return
    known = [field.name for field in msgspec.structs.fields(kind)]
    for name in value:
        if name not in known:
            here = (*place, name)
            raise ModeldocsError(
                f"unknown field `{spelt(here)}`",
                file=found.file,
                line=found.line(here),
                mend=nearest(name, known),
            )


def nearest(name: str, known: Any) -> str:
    """A mend that names the valid name nearest to a wrong one, or all of them."""
    close = difflib.get_close_matches(str(name), list(known), n=1, cutoff=0.5)
    return f"did you mean `{close[0]}`?" if close else f"use one of: {', '.join(sorted(known))}"


def _convert(data: Any, kind: Any, place: Place, found: Document) -> Any:
    try:
        return msgspec.convert(data, kind)
    except msgspec.ValidationError as error:
        said, _, where = str(error).partition(" - at `$")
        here = (*place, *_steps(where))
        raise ModeldocsError(
            f"`{spelt(here) or NAME}`: {said[0].lower()}{said[1:]}",
            file=found.file,
            line=found.line(here),
            mend=_mend(said, here),
        ) from None


def _steps(where: str) -> Iterator[str | int]:
    """The path that msgspec tells an error by, as far as it names fields and indices."""
    for name, index in re.findall(r"\.(\w+)|\[(\d+)\]", where):
        yield int(index) if index else name


def _mend(said: str, place: Place) -> str:
    wrong = re.search(r"Invalid enum value '(.*)'", said)
    if wrong is not None and place[-1] == "dtype":
        return nearest(wrong.group(1), get_args(Dtype))
    if place[-1] == "python":
        return "write a version that modeldocs runs on, 3.11 or newer, in quotes"
    if said.endswith("got `null`"):
        return "give it a value, or leave the field out"
    if said.startswith("Expected `str`"):
        return "put it in quotes"
    return "give it a value of that kind"
