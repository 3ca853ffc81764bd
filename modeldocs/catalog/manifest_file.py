"""Reading `model.yml`: its valid fields, and its mistakes with line and field."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple, get_args

import msgspec

from modeldocs.catalog import document
from modeldocs.catalog.document import ParsedDocument, Place, dotted
from modeldocs.catalog.manifest import (
    NAME,
    Accuracy,
    Dtype,
    EnvironmentEntry,
    InputEntry,
    LimitsEntry,
    Manifest,
    PairPolicy,
    Paper,
    PortEntry,
    Size,
)
from modeldocs.errors import ModeldocsError

MAX_MISTAKES = 20
"""A file with more mistakes is refused."""


class Mistake(NamedTuple):
    """A mistake in a manifest, and the place of the field that is ignored because of it."""

    place: Place
    error: ModeldocsError

    @property
    def port(self) -> str | None:
        """The port whose entry the mistake is in, None where it is elsewhere."""
        inside = len(self.place) > 1 and self.place[0] == "ports"
        return str(self.place[1]) if inside else None


def read(path: Path) -> tuple[Manifest, list[Mistake]]:
    """The manifest in a file without the fields that are mistakes, and those mistakes.

    Raises:
        ModeldocsError: it is not YAML or not a mapping of fields; with file, line and fix.
    """
    source = document.read(path)
    if source.data is None:
        return Manifest(), []
    if not isinstance(source.data, dict):
        raise ModeldocsError(
            "is not a mapping of fields", file=path.name, line=1, fix="start it with `title: …`"
        )
    mistakes: list[Mistake] = []
    while (mistake := _first(source)) is not None:
        mistakes.append(mistake)
        if len(mistakes) > MAX_MISTAKES or not _drop(source.data, mistake.place):
            raise mistake.error
    return msgspec.convert(source.data, Manifest), mistakes


def _first(source: ParsedDocument) -> Mistake | None:
    """The first mistake in a document: unknown fields, then invalid values, then other names."""
    parts = list(_parts(source.data))
    for check in (_unknown_field, _invalid_value, _unknown_target):
        for part in parts:
            mistake = check(*part, source)
            if mistake is not None:
                return mistake
    return None


def _drop(data: Any, place: Place) -> bool:
    """Delete the field at a place, or the innermost that exists around it; False if none does."""
    holder, name = None, None
    for step in place:
        if not isinstance(data, dict) or step not in data:
            break
        holder, name, data = data, step, data[step]
    if holder is None:
        return False
    del holder[name]
    return True


def schema() -> dict[str, Any]:
    """JSON Schema (draft 2020-12) of `model.yml`."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "modeldocs model.yml",
        **msgspec.json.schema(Manifest),
    }


def line(path: Path, *place: str | int) -> int | None:
    """The line of a field in a manifest, None where the file cannot be read."""
    try:
        return document.read(path).line(place)
    except ModeldocsError:
        return None


def _parts(data: dict[str, Any]) -> Iterator[tuple[Place, Any, Any]]:
    """The parts of a manifest as (place, value, type), inner parts before outer ones."""
    yield from _section(data, (), "paper", Paper)
    yield from _section(data, (), "accuracy", Accuracy)
    yield from _inputs(data, ())
    for name, entry in _entries(data, "ports"):
        here = ("ports", name)
        if isinstance(entry, dict):
            yield from _section(entry, here, "limits", LimitsEntry)
            yield from _section(entry, here, "environment", EnvironmentEntry)
            yield from _inputs(entry, here)
        yield here, entry, PortEntry
    yield (), data, Manifest


def _section(data: dict[str, Any], place: Place, name: str, kind: Any) -> Iterator[Any]:
    if isinstance(data.get(name), dict):
        yield (*place, name), data[name], kind


def _inputs(data: dict[str, Any], place: Place) -> Iterator[tuple[Place, Any, Any]]:
    for name, entry in _entries(data, "inputs"):
        kind = InputEntry if isinstance(entry, dict) else list[Size]
        yield (*place, "inputs", name), entry, kind


def _entries(data: dict[str, Any], name: str) -> list[tuple[str, Any]]:
    entries = data.get(name)
    return list(entries.items()) if isinstance(entries, dict) else []


def _unknown_field(place: Place, value: Any, kind: Any, source: ParsedDocument) -> Mistake | None:
    if not isinstance(value, dict) or kind is list[Size]:
        return None
    fields = [field.name for field in msgspec.structs.fields(kind)]
    wrong = next((name for name in value if name not in fields), None)
    if wrong is None:
        return None
    here = (*place, wrong)
    return _mistake(here, source, f"unknown field `{dotted(here)}`", nearest(wrong, fields))


def nearest(name: str, valid: Any) -> str:
    """A fix that names the valid name nearest to a wrong one, or all of them."""
    close = difflib.get_close_matches(str(name), list(valid), n=1, cutoff=0.5)
    return f"did you mean `{close[0]}`?" if close else f"use one of: {', '.join(sorted(valid))}"


def _invalid_value(place: Place, value: Any, kind: Any, source: ParsedDocument) -> Mistake | None:
    try:
        msgspec.convert(value, kind)
    except msgspec.ValidationError as error:
        message, _, path = str(error).partition(" - at `$")
        here = (*place, *_steps(path))
        reason = f"`{dotted(here) or NAME}`: {message[0].lower()}{message[1:]}"
        return _mistake(here, source, reason, _fix(message, here))
    return None


def _unknown_target(place: Place, value: Any, kind: Any, source: ParsedDocument) -> Mistake | None:
    named = value.get("generate") if kind is Manifest else None
    if not isinstance(named, list):
        return None
    from modeldocs.generators import targets  # few manifests name any

    for number, name in enumerate(named):
        if name not in targets():
            here = (*place, "generate", number)
            reason = f"`{dotted(here)}`: no generator for {name!r}"
            return _mistake(here, source, reason, nearest(name, targets()))
    return None


def _mistake(place: Place, source: ParsedDocument, reason: str, fix: str) -> Mistake:
    error = ModeldocsError(reason, file=source.file, line=source.line(place), fix=fix)
    return Mistake(place, error)


def _steps(path: str) -> Iterator[str | int]:
    """The fields and indices in the path of an error of msgspec: `.inputs[1]`."""
    for name, index in re.findall(r"\.(\w+)|\[(\d+)\]", path):
        yield int(index) if index else name


def _fix(message: str, place: Place) -> str:
    """The fix for an invalid value at a place, from the error message of msgspec."""
    wrong = re.search(r"Invalid enum value '(.*)'", message)
    if wrong is not None and place[-1] == "dtype":
        return nearest(wrong.group(1), get_args(Dtype))
    if place[0] == "pairs":
        policies = ", ".join(get_args(PairPolicy))
        return f"write one of {policies}, or a list of pairs of ports: [[caffe, keras]]"
    if place[0] == "generate":
        return "write true, false, or a list of targets: [keras, pytorch]"
    if place[-1] == "python":
        return "write a version that modeldocs supports, 3.11 or newer, in quotes"
    if message.endswith("got `null`"):
        return "give it a value, or leave the field out"
    if message.startswith("Expected `str`"):
        return "put it in quotes"
    return "give it a value of that type"
