"""A message of the text read by Caffe's schema: typed access, defaults, and errors with places."""

from __future__ import annotations

import difflib
import functools
import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from modeldocs.errors import ModeldocsError
from modeldocs.loaders.caffe.format.enums import ENUMS, OPEN_ENUMS
from modeldocs.loaders.caffe.format.prototxt import Field, Message
from modeldocs.loaders.caffe.format.schema import FieldType, messages
from modeldocs.loaders.caffe.format.tokens import MAX_REASON, Place, Word


class Foreign(str):
    """A value that an enum of Caffe's own lacks: a fork's, or mistyped."""

    __slots__ = ()


_TRUE = frozenset({"true", "True", "t"})
_FALSE = frozenset({"false", "False", "f"})


@dataclass(slots=True)
class Record:
    """One message. `values` holds every value of every field, known to the schema or not.

    `former` is the message that the source gave, where this is what an older dialect means.
    """

    kind: str
    file: str
    place: Place
    values: dict[str, list[Any]] = field(default_factory=dict)
    places: dict[str, Place] = field(default_factory=dict)
    former: Record | None = None
    span: tuple[int, int] = (0, 0)
    """Where it stands in the text; nowhere in a binary file, or where a dialect was translated."""

    @property
    def schema(self) -> dict[str, FieldType]:
        """The fields that Caffe's own schema gives this message; empty for a fork's."""
        return messages().get(self.kind, {})

    def has(self, name: str) -> bool:
        """Whether the source gave the field."""
        return name in self.values

    def all(self, name: str) -> list[Any]:
        """Every value of a field, in order."""
        return self.values.get(name, [])

    def get(self, name: str) -> Any:
        """The field's value, its default where it was not given, else None."""
        given = self.values.get(name)
        if given:
            return given[-1]
        known = self.schema.get(name)
        return known.default if known else None

    def message(self, name: str) -> Record:
        """The message in a field; one with nothing but defaults where it was not given."""
        given = self.values.get(name)
        if given and isinstance(given[-1], Record):
            return given[-1]
        known = self.schema.get(name)
        return Record(known.type if known else "", self.file, self.place)

    def integer(self, name: str) -> int:
        """A whole number that must be there."""
        return int(self._required(name))

    def number(self, name: str) -> float:
        """A number that must be there."""
        return float(self._required(name))

    def flag(self, name: str) -> bool:
        """A truth value, false where neither given nor defaulted."""
        return bool(self.get(name))

    def text(self, name: str) -> str:
        """A text or enum value, empty where neither given nor defaulted."""
        value = self.get(name)
        return "" if value is None else str(value)

    def maybe(self, name: str) -> Any:
        """A field's value, None where neither it nor another that may be meant for it is there."""
        value = self.get(name)
        return self._required(name) if value is None and self._meant(name) else value

    def _required(self, name: str) -> Any:
        value = self.get(name)
        if value is None:
            near = self._meant(name)
            said = f"; is {near!r} meant to be {name!r}?" if near else ""
            raise self.error(f"{name!r} is missing{said}", fix=f"give {name}")
        return value

    def _meant(self, name: str) -> str | None:
        """A field that Caffe has not and that may be meant for one that it has."""
        return nearest(name, [other for other in self.values if other not in self.schema])

    def plain(self) -> dict[str, Any]:
        """Every field that the source gave, as JSON holds it."""
        return {name: self._plain_field(name) for name in self.values}

    def _plain_field(self, name: str) -> Any:
        values = [_plain(value) for value in self.values[name]]
        known = self.schema.get(name)
        return values if len(values) > 1 or (known and known.repeated) else values[0]

    def is_own(self, name: str) -> bool:
        """Whether a field holds the settings of a layer's own type, by its name."""
        stem = name.removesuffix("_param")
        return stem != name and stem.replace("_", "") == self.text("type").lower()

    def unknown(self) -> Iterator[tuple[str, Place, str | None]]:
        """Fields that Caffe's schema lacks, with the name they may be a slip of the pen for."""
        schema = self.schema
        for name, place in self.places.items():
            if schema and name not in schema:
                near = None if self.is_own(name) else _slip(self.kind, name)
                yield name, place, None if near in self.values else near
        for values in self.values.values():
            for value in values:
                if isinstance(value, Record):
                    yield from value.unknown()

    def foreign(self) -> Iterator[tuple[str, Foreign, str | None]]:
        """Fields with values that Caffe's enums lack, and the value that each may be a slip for."""
        for name, values in self.values.items():
            for value in values:
                if isinstance(value, Record):
                    yield from value.foreign()
                elif isinstance(value, Foreign):
                    known = list(ENUMS[self.schema[name].type].values())
                    yield name, value, nearest(value.upper(), known)

    def error(
        self, reason: str, *, at: str | None = None, fix: str | None = None
    ) -> ModeldocsError:
        """The error to raise, at the place of the field `at` or else of the message."""
        line, column = self.places.get(at or "", self.place)
        short = reason if len(reason) <= MAX_REASON else reason[:MAX_REASON] + " …"
        return _error_at(short, self.file, Place(line, column), fix)


def nearest(name: str, names: list[str], cutoff: float = 0.6) -> str | None:
    """The name most like another, or None; only the first ten thousand are looked at."""
    found = difflib.get_close_matches(name[:200], names[:10_000], n=1, cutoff=cutoff)
    return found[0] if found else None


@functools.lru_cache(maxsize=10_000)
def _slip(kind: str, name: str) -> str | None:
    """The field of a message type that a name may be a slip of the pen for.

    The ending that most fields of a layer share says nothing and is not compared.
    """
    ending = "_param" if name.endswith("_param") else ""
    stems = [known.removesuffix(ending) for known in messages()[kind] if known.endswith(ending)]
    near = nearest(name.removesuffix(ending), stems, cutoff=0.8)
    # A fork's field is often Caffe's with a word in front.
    return near + ending if near and not name.endswith(f"_{near}{ending}") else None


def read(message: Message, kind: str, file: str) -> Record:
    """A message's fields, each checked against the schema where it is known there.

    Raises:
        ModeldocsError: a known field has a value of another type or is given twice.
    """
    record = Record(kind, file, message.place, span=message.span)
    if message.former is not None:
        record.former = read(message.former, "", file)
    schema = messages().get(kind, {})
    for entry in message.fields:
        known = schema.get(entry.name)
        if known and not known.repeated and entry.name in record.values:
            first = record.places[entry.name].line
            raise _error(
                entry,
                file,
                f"{entry.name!r} is given again" + (f", after line {first}" if first else ""),
                "keep one of them",
            )
        record.values.setdefault(entry.name, []).append(_value(entry, known, file))
        record.places.setdefault(entry.name, entry.place)
    return record


def _value(entry: Field, known: FieldType | None, file: str) -> Any:
    kind = known.type if known else "any"
    if isinstance(entry.value, Message):
        if kind != "any" and kind not in messages():
            raise _error(entry, file, f"{entry.name!r} wants {_want(kind)}, not {{ … }}", "fix it")
        return read(entry.value, "" if kind == "any" else kind, file)
    if kind in messages():
        raise _error(entry, file, f"{entry.name!r} wants {{ … }}", f"write {entry.name} {{ … }}")
    return _scalar(entry, kind, entry.value, file)


def _scalar(entry: Field, kind: str, value: str | int | float, file: str) -> Any:
    if kind in ENUMS:
        return _enum(entry, kind, value, file)
    made = _READERS[kind](value)
    if made is None:
        raise _error(
            entry,
            file,
            f"{entry.name!r} wants {_want(kind)}, not {str(value)[:60]!r}",
            f"write {entry.name}: and {_want(kind)}",
        )
    return made


def _enum(entry: Field, kind: str, value: str | int | float, file: str) -> str:
    names = ENUMS[kind]
    if isinstance(value, int) and value in names:
        return names[value]
    if isinstance(value, str) and (value in names.values() or kind in OPEN_ENUMS):
        return str(value)
    if kind != "Phase":
        return Foreign(str(value)[:60])
    choice = f"use one of {', '.join(names.values())}"
    raise _error(entry, file, f"{entry.name!r} has no value {str(value)[:60]!r}", choice)


def _want(kind: str) -> str:
    wants = {
        "int": "a whole number of 32 bits",
        "uint": "a whole number from 0 to 4294967295",
        "float": "a number",
        "bool": "true or false",
        "string": "a quoted text",
    }
    return wants.get(kind, "one of " + ", ".join(ENUMS.get(kind, {}).values()))


def _error(entry: Field, file: str, reason: str, fix: str) -> ModeldocsError:
    return _error_at(reason, file, entry.place, fix)


def _error_at(reason: str, file: str, place: Place, fix: str | None) -> ModeldocsError:
    """The error at a place; a binary file has no lines."""
    line, column = place.line or None, place.column or None
    return ModeldocsError(reason, file=file, line=line, column=column, fix=fix)


def _int(value: str | int | float) -> int | None:
    # Caffe's dimensions are int64, its other numbers int32; no blob may pass 2³¹ values anyway.
    return value if isinstance(value, int) and -(2**31) <= value < 2**31 else None


def _uint(value: str | int | float) -> int | None:
    return value if isinstance(value, int) and 0 <= value < 2**32 else None


def _float(value: str | int | float) -> int | float | None:
    if isinstance(value, Word) and value.lower() in ("inf", "infinity", "nan"):
        return float(value)
    return None if isinstance(value, str) else value


def _bool(value: str | int | float) -> bool | None:
    if isinstance(value, Word) and value in _TRUE | _FALSE:
        return value in _TRUE
    return bool(value) if isinstance(value, int) and value in (0, 1) else None


def _string(value: str | int | float) -> str | None:
    return value if isinstance(value, str) and not isinstance(value, Word) else None


def _any(value: str | int | float) -> Any:
    if isinstance(value, Word):
        return _bool(value) if value in ("true", "false") else str(value)
    return value


_READERS = {
    "int": _int, "uint": _uint, "float": _float, "bool": _bool, "string": _string, "any": _any,
}  # fmt: skip


def _plain(value: Any) -> Any:
    if isinstance(value, Record):
        return value.plain()
    if isinstance(value, str) or (isinstance(value, float) and not math.isfinite(value)):
        return str(value)
    return value
