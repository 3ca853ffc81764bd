"""`model.yml`: what a team says of a model beside its files, with mistakes told by line."""

from __future__ import annotations

import difflib
from pathlib import Path
from typing import Any

import msgspec
import yaml

from modeldocs.errors import ModeldocsError
from modeldocs.isolation import Limits

NAME = "model.yml"
_Path = tuple[str | int, ...]


class Entry(msgspec.Struct, forbid_unknown_fields=True, frozen=True, kw_only=True):
    """Base of what a manifest is made of: a field that it does not know is a mistake."""


class InputEntry(Entry, frozen=True):
    """An input's shape, and its element type where it is not float32."""

    shape: list[int]
    dtype: str = "float32"


class Paper(Entry, frozen=True):
    """Where the model was published."""

    title: str
    url: str | None = None
    year: int | None = None


class LimitsEntry(Entry, frozen=True):
    """What loading a port may take; see `modeldocs.isolation.Limits`."""

    seconds: float = Limits().seconds
    memory_mb: int = Limits().memory_mb


class PortEntry(Entry, frozen=True):
    """A port: where it is, how it is built, and what to feed it."""

    framework: str | None = None
    file: str | None = None
    module: str | None = None
    entry: str | None = None
    args: dict[str, Any] = {}
    inputs: dict[str, list[int] | InputEntry] = {}
    limits: LimitsEntry = LimitsEntry()
    notes: str = ""


class Manifest(Entry, frozen=True):
    """All of `model.yml`; every field may be left out."""

    title: str | None = None
    summary: str = ""
    task: str | None = None
    tags: list[str] = []
    paper: Paper | None = None
    licence: str | None = None
    inputs: dict[str, list[int] | InputEntry] = {}
    ports: dict[str, PortEntry] = {}
    reference: str | None = None
    notes: str = ""


def read(path: Path) -> Manifest:
    """The manifest in a file.

    Raises:
        ModeldocsError: with file, line, the field, and the nearest name that would be valid.
    """
    document = _compose(path)
    if document is None:
        return Manifest()
    data, places = _Plain(path).convert(document)
    if not isinstance(data, dict):
        raise ModeldocsError(
            "is not a mapping of fields", file=path.name, line=1, mend="start it with `title: …`"
        )
    _check_names(data, Manifest, (), places, path)
    for name, port in (data.get("ports") or {}).items():
        _convert(port, PortEntry, ("ports", name), places, path)
    manifest: Manifest = _convert(data, Manifest, (), places, path)
    return manifest


def _compose(path: Path) -> yaml.Node | None:
    try:
        return yaml.compose(path.read_text(encoding="utf-8"), yaml.SafeLoader)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        raise ModeldocsError(
            f"is not valid YAML: {error.problem or error.context}",
            file=path.name,
            line=mark.line + 1 if mark else None,
            column=mark.column + 1 if mark else None,
            mend="correct it there",
        ) from None
    except (yaml.YAMLError, UnicodeDecodeError, OSError, RecursionError) as error:
        raise ModeldocsError(f"cannot be read: {error}", file=path.name) from None


class _Plain:
    """Turns YAML nodes into plain data, remembering the line of each field."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.places: dict[_Path, int] = {}
        self.scalars = yaml.SafeLoader("")

    def convert(self, node: yaml.Node) -> tuple[Any, dict[_Path, int]]:
        return self._value(node, ()), self.places

    def _value(self, node: yaml.Node, place: _Path) -> Any:
        if len(place) > 20:
            raise ModeldocsError("is nested too deeply", file=self.path.name, line=_line(node))
        self.places.setdefault(place, _line(node))
        if isinstance(node, yaml.MappingNode):
            return self._mapping(node, place)
        if isinstance(node, yaml.SequenceNode):
            return [self._value(item, (*place, i)) for i, item in enumerate(node.value)]
        return self.scalars.construct_object(node)

    def _mapping(self, node: yaml.MappingNode, place: _Path) -> dict[str, Any]:
        made: dict[str, Any] = {}
        for key_node, value_node in node.value:
            key = str(getattr(key_node, "value", key_node))
            if key in made:
                raise ModeldocsError(
                    f"`{'.'.join(map(str, (*place, key)))}` is given twice, "
                    f"first on line {self.places[(*place, key)]}",
                    file=self.path.name,
                    line=_line(key_node),
                    mend="keep one of the two",
                )
            self.places[(*place, key)] = _line(key_node)
            made[key] = self._value(value_node, (*place, key))
        return made


def _line(node: yaml.Node) -> int:
    return int(node.start_mark.line) + 1


def _check_names(
    data: Any, kind: type[msgspec.Struct], place: _Path, places: dict[_Path, int], path: Path
) -> None:
    """Refuse field names that `kind` does not have, wherever they stand."""
    known = {field.name: field.type for field in msgspec.structs.fields(kind)}
    for name, value in data.items():
        here = (*place, name)
        if name not in known:
            raise ModeldocsError(
                f"unknown field `{'.'.join(map(str, here))}`",
                file=path.name,
                line=places.get(here),
                mend=nearest(name, known),
            )
        if name == "ports" and isinstance(value, dict):
            for port, entry in value.items():
                if isinstance(entry, dict):
                    _check_names(entry, PortEntry, (*here, port), places, path)
        elif name == "paper" and isinstance(value, dict):
            _check_names(value, Paper, here, places, path)
        elif name == "limits" and isinstance(value, dict):
            _check_names(value, LimitsEntry, here, places, path)


def nearest(name: str, known: Any) -> str:
    """A mend that names the valid name nearest to a wrong one, or all of them."""
    close = difflib.get_close_matches(str(name), list(known), n=1, cutoff=0.5)
    return f"did you mean `{close[0]}`?" if close else f"use one of: {', '.join(sorted(known))}"


def _convert(data: Any, kind: type[Any], place: _Path, places: dict[_Path, int], path: Path) -> Any:
    try:
        return msgspec.convert(data, kind)
    except msgspec.ValidationError as error:
        said, _, where = str(error).partition(" - at `$")
        parts = [part for part in where.rstrip("`").replace("[", ".[").split(".") if part]
        here: _Path = (*place, *(p for p in parts if not p.startswith("[")))
        raise ModeldocsError(
            f"`{'.'.join(map(str, here)) or NAME}`: {said[0].lower()}{said[1:]}",
            file=path.name,
            line=places.get(here, places.get(place)),
            mend="give the field a value of that type",
        ) from None
