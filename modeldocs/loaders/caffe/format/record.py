"""A message checked against Caffe's schema: typed access, defaults, and errors with places."""

from __future__ import annotations

import difflib
import functools
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from modeldocs.errors import ModeldocsError
from modeldocs.loaders.caffe.format import scalars
from modeldocs.loaders.caffe.format.prototxt import Message, PrototxtField
from modeldocs.loaders.caffe.format.scalars import Foreign
from modeldocs.loaders.caffe.format.schema import FieldType, enums, messages
from modeldocs.loaders.caffe.format.tokens import MAX_REASON, TokenPosition


@dataclass(slots=True)
class CaffeMessage:
    """One message. `values` holds every value of every field, known to the schema or not.

    `former` is the message in the source, where this is its translation from an older dialect.
    """

    kind: str
    file: str
    place: TokenPosition
    values: dict[str, list[Any]] = field(default_factory=dict)
    places: dict[str, TokenPosition] = field(default_factory=dict)
    former: CaffeMessage | None = None
    span: tuple[int, int] = (0, 0)
    """Its offsets in the text; (0, 0) in a binary file, or where it was translated."""

    @property
    def schema(self) -> dict[str, FieldType]:
        """The fields of this message in Caffe's own schema; empty for a message of a fork."""
        return messages().get(self.kind, {})

    def has(self, name: str) -> bool:
        """Whether the source has the field."""
        return name in self.values

    def all(self, name: str) -> list[Any]:
        """Every value of a field, in order."""
        return self.values.get(name, [])

    def get(self, name: str) -> Any:
        """The field's value, else its default, else None."""
        given = self.values.get(name)
        if given:
            return given[-1]
        known = self.schema.get(name)
        return known.default if known else None

    def message(self, name: str) -> CaffeMessage:
        """The message in a field, else one with defaults alone."""
        given = self.values.get(name)
        if given and isinstance(given[-1], CaffeMessage):
            return given[-1]
        known = self.schema.get(name)
        return CaffeMessage(known.type if known else "", self.file, self.place)

    def integer(self, name: str) -> int:
        """A whole number, which must be given or have a default."""
        return int(self._required(name))

    def number(self, name: str) -> float:
        """A number, which must be given or have a default."""
        return float(self._required(name))

    def flag(self, name: str) -> bool:
        """A truth value; false where there is neither value nor default."""
        return bool(self.get(name))

    def text(self, name: str) -> str:
        """A text or enum value; empty where there is neither value nor default."""
        value = self.get(name)
        return "" if value is None else str(value)

    def maybe(self, name: str) -> Any:
        """A field's value, or None; an error where another field seems to be it, mistyped."""
        value = self.get(name)
        return self._required(name) if value is None and self._meant(name) else value

    def _required(self, name: str) -> Any:
        value = self.get(name)
        if value is None:
            near = self._meant(name)
            question = f"; is {near!r} meant to be {name!r}?" if near else ""
            raise self.error(f"{name!r} is missing{question}", fix=f"give {name}")
        return value

    def _meant(self, name: str) -> str | None:
        """An unknown field of the message whose name resembles that of a known one."""
        return nearest(name, [other for other in self.values if other not in self.schema])

    def plain(self) -> dict[str, Any]:
        """Every field in the source, as JSON holds it."""
        return {name: self._plain_field(name) for name in self.values}

    def _plain_field(self, name: str) -> Any:
        items = [
            value.plain() if isinstance(value, CaffeMessage) else scalars.plain(value)
            for value in self.values[name]
        ]
        known = self.schema.get(name)
        return items if len(items) > 1 or (known and known.repeated) else items[0]

    def is_own(self, name: str) -> bool:
        """Whether a field, by its name, holds the settings of this layer's type."""
        stem = name.removesuffix("_param")
        return stem != name and stem.replace("_", "") == self.text("type").lower()

    def unknown(self) -> Iterator[tuple[str, TokenPosition, str | None]]:
        """Fields that Caffe's schema lacks, each with the field that may be meant."""
        schema = self.schema
        for name, place in self.places.items():
            if schema and name not in schema:
                near = None if self.is_own(name) else _similar_field(self.kind, name)
                yield name, place, None if near in self.values else near
        for items in self.values.values():
            for value in items:
                if isinstance(value, CaffeMessage):
                    yield from value.unknown()

    def foreign(self) -> Iterator[tuple[str, Foreign, str | None]]:
        """Fields with values that Caffe's enums lack, each with the value that may be meant."""
        for name, items in self.values.items():
            for value in items:
                if isinstance(value, CaffeMessage):
                    yield from value.foreign()
                elif isinstance(value, Foreign):
                    known = list(enums()[self.schema[name].type].values())
                    yield name, value, nearest(value.upper(), known)

    def error(
        self, reason: str, *, at: str | None = None, fix: str | None = None
    ) -> ModeldocsError:
        """The error to raise, at the place of the field `at` or else of the message."""
        line, column = self.places.get(at or "", self.place)
        short = reason if len(reason) <= MAX_REASON else reason[:MAX_REASON] + " …"
        return scalars.error_at(short, self.file, TokenPosition(line, column), fix)


def nearest(name: str, names: list[str], cutoff: float = 0.6) -> str | None:
    """The name most similar to another, or None; of the first ten thousand."""
    matches = difflib.get_close_matches(name[:200], names[:10_000], n=1, cutoff=cutoff)
    return matches[0] if matches else None


@functools.lru_cache(maxsize=10_000)
def _similar_field(kind: str, name: str) -> str | None:
    """The field of a message type that a name may be mistyped for.

    The ending `_param`, which most fields of a layer share, is not compared.
    """
    ending = "_param" if name.endswith("_param") else ""
    stems = [known.removesuffix(ending) for known in messages()[kind] if known.endswith(ending)]
    near = nearest(name.removesuffix(ending), stems, cutoff=0.8)
    # A fork's field is often Caffe's with a word in front.
    return near + ending if near and not name.endswith(f"_{near}{ending}") else None


def read(message: Message, kind: str, file: str) -> CaffeMessage:
    """A message's fields, each checked against the schema where it is known there.

    Raises:
        ModeldocsError: a known field has a value of another type or is given twice.
    """
    record = CaffeMessage(kind, file, message.place, span=message.span)
    if message.former is not None:
        record.former = read(message.former, "", file)
    schema = messages().get(kind, {})
    for entry in message.fields:
        known = schema.get(entry.name)
        if known and not known.repeated and entry.name in record.values:
            first = record.places[entry.name].line
            reason = f"{entry.name!r} is given again" + (f", after line {first}" if first else "")
            raise scalars.error_at(reason, file, entry.place, "keep one of them")
        record.values.setdefault(entry.name, []).append(_value(entry, known, file))
        record.places.setdefault(entry.name, entry.place)
    return record


def _value(entry: PrototxtField, known: FieldType | None, file: str) -> Any:
    kind = known.type if known else "any"
    is_message, wants_message = isinstance(entry.value, Message), kind in messages()
    if is_message and not wants_message and kind != "any":
        reason = f"{entry.name!r} wants {scalars.expected(kind)}, not {{ … }}"
        raise scalars.error_at(reason, file, entry.place, "fix it")
    if wants_message and not is_message:
        fix = f"write {entry.name} {{ … }}"
        raise scalars.error_at(f"{entry.name!r} wants {{ … }}", file, entry.place, fix)
    if isinstance(entry.value, Message):
        return read(entry.value, "" if kind == "any" else kind, file)
    return scalars.read(entry, kind, entry.value, file)
