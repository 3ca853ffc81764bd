"""Lists of events in the Chrome trace format, which several tools write."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, TypeVar

import msgspec

from modeldocs.benchmarks.readers.content import UNDECODABLE, Content
from modeldocs.errors import ModeldocsError

T = TypeVar("T")


class Head(msgspec.Struct, gc=False):
    """What tells whether an event matters; of any type, since events of other kinds differ."""

    ph: Any = None
    cat: Any = None
    name: Any = None


HEAD = msgspec.json.Decoder(Head)


def events(content: Content) -> Sequence[msgspec.Raw]:
    """The undecoded events of a trace: the list itself, or `traceEvents` of an object.

    Raises:
        ModeldocsError: it is no list.
    """
    if "traceEvents" not in content.fields:
        return content.items
    try:
        return msgspec.json.decode(content.fields["traceEvents"], type=list[msgspec.Raw])
    except UNDECODABLE as error:
        raise ModeldocsError(f"has no list of events: {error}", file=content.path) from None


def field(content: Content, name: str, kind: type[T]) -> T | None:
    """A field beside the events; None where it is missing or of another type."""
    if name not in content.fields:
        return None
    try:
        return msgspec.json.decode(content.fields[name], type=kind)
    except UNDECODABLE:
        return None


def number(content: Content, name: str) -> int | None:
    """A whole number beside the events, of 63 bits; None where it is none or negative."""
    value = field(content, name, int)
    return value if value is not None and 0 <= value < 2**63 else None


@dataclass
class EventNumber:
    """The number of the event that is being read, from 0."""

    number: int = 0


@contextmanager
def reading(content: Content) -> Iterator[EventNumber]:
    """The reading of events, which tells each one's number before it is read.

    Raises:
        ModeldocsError: a field of it is missing or of a wrong type, or its time cannot be.
    """
    place = EventNumber()
    try:
        yield place
    except (*UNDECODABLE, ValueError, ArithmeticError) as error:
        raise ModeldocsError(
            f"has a broken event, number {place.number:,} of its list: {error}",
            file=content.path,
            fix="record it again",
        ) from None
