"""Protobuf's wire format: numbered fields, read from bytes and written.

A `.caffemodel` may have hundreds of megabytes, of which only the shapes matter at first. So values
are views of the file: no array is copied, or allocated because of a length in the file.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from modeldocs.errors import ModeldocsError

VARINT, FIXED64, BYTES, OPEN_GROUP, CLOSE_GROUP, FIXED32 = range(6)
MAX_NUMBER = 2**29
"""Field numbers are below this."""


class WireField(NamedTuple):
    """One field: an int where `kind` is VARINT, else a view of its bytes.

    `offset` counts bytes from the start of the file.
    """

    number: int
    kind: int
    value: int | memoryview
    offset: int


class Wire:
    """A message's bytes, with the file and offset for errors."""

    def __init__(self, data: memoryview, file: str, offset: int = 0) -> None:
        self.data = data
        self.file = file
        self.offset = offset

    def entries(self) -> Iterator[WireField]:
        """The fields of the message that the bytes hold.

        Raises:
            ModeldocsError: the bytes end inside a field, or are no message.
        """
        place, end = 0, len(self.data)
        while place < end:
            start = place
            key, place = self.varint(place)
            number, kind = key >> 3, key & 7
            if not 0 < number < MAX_NUMBER:
                raise self.error(start, f"there is no field number {number}")
            if kind == VARINT:
                value, place = self.varint(place)
                yield WireField(number, kind, value, self.offset + start)
                continue
            begin, place = self._span(kind, place, start)
            yield WireField(number, kind, self.data[begin:place], self.offset + begin)

    def _span(self, kind: int, place: int, start: int) -> tuple[int, int]:
        """Where the bytes of a field begin and end."""
        if kind == BYTES:
            length, place = self.varint(place)
        elif kind in (FIXED32, FIXED64):
            length = 4 if kind == FIXED32 else 8
        else:
            raise self.error(start, f"a field of the wire type {kind} is not one of Caffe's")
        if length > len(self.data) - place:
            left = len(self.data) - place
            raise self.error(start, f"a field of {length:,} bytes has only {left:,} left")
        return place, place + length

    def varint(self, place: int) -> tuple[int, int]:
        """A number of up to 64 bits, and the place behind it."""
        value, start = 0, place
        for shift in range(0, 70, 7):
            if place >= len(self.data):
                raise self.error(start, "it ends inside a number")
            byte = self.data[place]
            place += 1
            value |= (byte & 127) << shift
            if byte < 128:
                return value & (2**64 - 1), place
        raise self.error(start, "a number has more than ten bytes")

    def inside(self, entry: WireField) -> Wire:
        """The message that a field of bytes holds."""
        assert isinstance(entry.value, memoryview)
        return Wire(entry.value, self.file, entry.offset)

    def error(self, place: int, reason: str) -> ModeldocsError:
        """The error to raise for what stands at a place of these bytes."""
        return ModeldocsError(
            f"at byte {self.offset + place:,}, {reason}",
            file=self.file,
            fix="check that the file is a whole .caffemodel; fetch it again",
        )


def signed(value: int) -> int:
    """The signed number that a varint stands for."""
    return value - 2**64 if value >= 2**63 else value


def varint(value: int) -> bytes:
    """A number of at least 0, encoded."""
    encoded = bytearray()
    while value > 127:
        encoded.append(value & 127 | 128)
        value >>= 7
    encoded.append(value)
    return bytes(encoded)


def header(number: int, kind: int) -> bytes:
    """The number and kind of a field, encoded before its value."""
    return varint(number << 3 | kind)


def field(number: int, value: str | bytes) -> bytes:
    """A field of a text or of bytes, encoded."""
    data = value.encode() if isinstance(value, str) else value
    return header(number, BYTES) + varint(len(data)) + data
