"""A `model.yml` read: what is right in it, and its mistakes, told by line and field."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple, get_args

import msgspec

from modeldocs.catalog import document
from modeldocs.catalog.document import Document, Place, spelt
from modeldocs.catalog.manifest import (
    NAME,
    Dtype,
    EnvironmentEntry,
    InputEntry,
    LimitsEntry,
    Manifest,
    Paper,
    PortEntry,
    Size,
)
from modeldocs.errors import ModeldocsError

MAX_MISTAKES = 20
"""A file with more is no manifest."""


class Mistake(NamedTuple):
    """What is wrong with a manifest, and the place of the field that is left out for it."""

    place: Place
    error: ModeldocsError

    @property
    def port(self) -> str | None:
        """The port whose entry it is in, None where it is in no port's."""
        inside = len(self.place) > 1 and self.place[0] == "ports"
        return str(self.place[1]) if inside else None


class Read(NamedTuple):
    """What a manifest says without the fields that are mistakes, and those mistakes."""

    manifest: Manifest
    mistakes: tuple[Mistake, ...] = ()


def read(path: Path) -> Read:
    """The manifest in a file. A field with a mistake is left out, and the others hold.

    Raises:
        ModeldocsError: it is no YAML, or no mapping of fields; with file, line and fix.
    """
    found = document.read(path)
    if found.data is None:
        return Read(Manifest())
    if not isinstance(found.data, dict):
        raise ModeldocsError(
            "is not a mapping of fields", file=path.name, line=1, fix="start it with `title: …`"
        )
    mistakes: list[Mistake] = []
    while (mistake := _first(found)) is not None:
        mistakes.append(mistake)
        if len(mistakes) > MAX_MISTAKES or not _drop(found.data, mistake.place):
            raise mistake.error
    return Read(msgspec.convert(found.data, Manifest), tuple(mistakes))


def _first(found: Document) -> Mistake | None:
    """The first mistake in a document: names of fields before what they hold."""
    parts = list(_parts(found.data))
    checks = (*((_misnamed, part) for part in parts), *((_misfit, part) for part in parts))
    made = (check(*part, found) for check, part in checks)
    return next((mistake for mistake in made if mistake is not None), None)


def _drop(data: Any, place: Place) -> bool:
    """Take the field at a place out, the innermost one that is there; whether there was one."""
    holder, name = None, None
    for step in place:
        if not isinstance(data, dict) or step not in data:
            break
        holder, name, data = data, step, data[step]
    if holder is None:
        return False
    del holder[name]
    return True


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


def _misnamed(place: Place, value: Any, kind: Any, found: Document) -> Mistake | None:
    if not isinstance(value, dict) or kind is list[Size]:
        return None
    known = [field.name for field in msgspec.structs.fields(kind)]
    wrong = next((name for name in value if name not in known), None)
    if wrong is None:
        return None
    here = (*place, wrong)
    return _mistake(here, found, f"unknown field `{spelt(here)}`", nearest(wrong, known))


def nearest(name: str, known: Any) -> str:
    """A fix that names the valid name nearest to a wrong one, or all of them."""
    close = difflib.get_close_matches(str(name), list(known), n=1, cutoff=0.5)
    return f"did you mean `{close[0]}`?" if close else f"use one of: {', '.join(sorted(known))}"


def _misfit(place: Place, value: Any, kind: Any, found: Document) -> Mistake | None:
    try:
        msgspec.convert(value, kind)
    except msgspec.ValidationError as error:
        said, _, where = str(error).partition(" - at `$")
        here = (*place, *_steps(where))
        reason = f"`{spelt(here) or NAME}`: {said[0].lower()}{said[1:]}"
        return _mistake(here, found, reason, _fix(said, here))
    return None


def _mistake(place: Place, found: Document, reason: str, fix: str) -> Mistake:
    """A mistake at a place, told with its line."""
    line = found.line(place)
    return Mistake(place, ModeldocsError(reason, file=found.file, line=line, fix=fix))


def _steps(where: str) -> Iterator[str | int]:
    """The path that msgspec tells an error by, as far as it names fields and indices."""
    for name, index in re.findall(r"\.(\w+)|\[(\d+)\]", where):
        yield int(index) if index else name


def _fix(said: str, place: Place) -> str:
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
