"""The message types that `caffe.proto` declares: their fields, defaults and numbers, and enums."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from importlib import resources
from typing import Any, Final, NamedTuple

_STATEMENT: Final = re.compile(
    r"""//[^\n]*
    |(?P<kind>message|enum)\s+(?P<opened>\w+)\s*\{
    |(?P<label>optional|repeated)\s+(?P<type>\w+)\s+(?P<field>\w+)\s*=\s*(?P<number>\d+)
     \s*(?:\[\s*default\s*=\s*(?P<default>"[^"]*"|[^\]\s]+)\s*\]\s*)?;
    |(?P<value>\w+)\s*=\s*(?P<meaning>-?\d+)\s*;
    |(?P<closed>\})""",
    re.VERBOSE,
)
_SCALARS: Final = {
    "int32": "int",
    "int64": "int",
    "uint32": "uint",
    "float": "float",
    "double": "float",
    "bool": "bool",
    "string": "string",
}
OPEN_ENUMS: Final = frozenset({"V1LayerType", "Engine", "Backend"})
"""Enums that forks add values to: an unknown one is kept as it was written."""


class FieldType(NamedTuple):
    """What a field holds: int, uint, float, bool, string, an enum, a message, or `any` for what is
    not declared; `default` is None where Caffe has none.
    """

    type: str
    repeated: bool
    default: Any


@dataclass
class Declared:
    """The messages and enums of a file, by name; fields have the types of the file."""

    fields: dict[str, dict[str, FieldType]] = field(default_factory=dict)
    numbers: dict[str, dict[int, str]] = field(default_factory=dict)
    enums: dict[str, dict[int, str]] = field(default_factory=dict)


def messages() -> dict[str, dict[str, FieldType]]:
    """Every message type's fields by name."""
    return _own().fields


def numbers() -> dict[str, dict[int, str]]:
    """The name of each field in a binary file, by message type and number.

    A field with another number is kept as `field_123`: most forks took numbers of their own.
    """
    return _own().numbers


def enums() -> dict[str, dict[int, str]]:
    """The values of each enum by number; those of a message's own are called by its name alone."""
    return _own().enums


@functools.cache
def _own() -> Declared:
    return declared(resources.files(__package__).joinpath("caffe.proto").read_text("utf-8"))


def declared(text: str) -> Declared:
    """What the text of a .proto file declares; a message may be in several places."""
    found, opened = Declared(), list[str]()
    for statement in _STATEMENT.finditer(text):
        said = statement.groupdict()
        if said["kind"]:
            opened.append(said["opened"])
            if said["kind"] == "enum":
                found.enums.setdefault(opened[-1], {})
            else:
                found.fields.setdefault(opened[-1], {})
                found.numbers.setdefault(opened[-1], {})
        elif said["closed"]:
            opened.pop()
        elif said["value"]:
            found.enums[opened[-1]][int(said["meaning"])] = said["value"]
        elif said["label"]:
            repeated = said["label"] == "repeated"
            kind = FieldType(said["type"], repeated, said["default"])
            found.fields[opened[-1]][said["field"]] = kind
            if said["number"] != "0":
                found.numbers[opened[-1]][int(said["number"])] = said["field"]
    for fields in found.fields.values():
        fields.update(_typed(fields, found))
    return found


def _typed(fields: dict[str, FieldType], declared: Declared) -> Iterator[tuple[str, FieldType]]:
    """Fields with our names of their types, and defaults as values."""
    for name, one in fields.items():
        is_known = one.type in declared.fields or one.type in declared.enums
        kind = _SCALARS.get(one.type, one.type if is_known else "any")
        default = None if one.default is None else _value(kind, one.default)
        yield name, FieldType(kind, one.repeated, default)


def _value(kind: str, text: str) -> Any:
    """A default as it is written."""
    match kind:
        case "int" | "uint":
            return int(text)
        case "float":
            return float(text)
        case "bool":
            return text == "true"
    return text.strip('"')
