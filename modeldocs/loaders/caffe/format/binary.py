"""A `.caffemodel`: its definition, as the same fields as in the text format, and its blobs."""

from __future__ import annotations

import mmap
import struct
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from modeldocs.errors import ModeldocsError
from modeldocs.loaders.caffe.format import wire
from modeldocs.loaders.caffe.format.blobs import Blob, packed, read_blob
from modeldocs.loaders.caffe.format.prototxt import Message, PrototxtField
from modeldocs.loaders.caffe.format.schema import FieldType, enums, messages, numbers
from modeldocs.loaders.caffe.format.tokens import TokenPosition
from modeldocs.loaders.caffe.format.wire import Wire, WireField

MAX_FIELDS = 2**20
"""Fields of a definition without the values of blobs; the largest known have ten thousand."""

MAX_TEXT = 2**20
MAX_PACKED = 2**16
NOWHERE = TokenPosition(0, 0)
"""The place of a binary field, which is in no line."""


@dataclass(slots=True)
class Saved:
    """The fields of a network, and the blobs of its layers by name of the layer."""

    net: Message
    blobs: dict[str, list[Blob]] = field(default_factory=dict)


def read(path: Path, file: str) -> Saved:
    """The network in a file, whose blobs are views of it. `file` is its name in errors.

    Raises:
        ModeldocsError: the file cannot be read, is cut short, or is no network.
    """
    try:
        with path.open("rb") as opened:
            if not path.stat().st_size:
                raise ModeldocsError("the file is empty", file=file, fix="fetch it again")
            data = mmap.mmap(opened.fileno(), 0, access=mmap.ACCESS_READ)
    except (OSError, ValueError) as error:
        reason = f"the file cannot be read ({getattr(error, 'strerror', None) or error})"
        raise ModeldocsError(reason, file=file, fix="check its path") from None
    return decode(memoryview(data), file)


def decode(data: memoryview, file: str) -> Saved:
    """The network in some bytes."""
    return _Decoder().network(Wire(data, file))


class _Decoder:
    """Reads messages by Caffe's field numbers; `blobs` are those of the current layer."""

    def __init__(self) -> None:
        self.left = MAX_FIELDS
        self.blobs: list[Blob] = []

    def network(self, at: Wire) -> Saved:
        """A NetParameter."""
        saved = Saved(Message(NOWHERE))
        for entry in self._entries(at):
            self.blobs = []
            for one in self._fields(at, entry, "NetParameter"):
                saved.net.fields.append(one)
                if self.blobs and isinstance(one.value, Message):
                    saved.blobs.setdefault(_name(one.value), self.blobs)
        saved.net.fields = _last_of_each(saved.net.fields, "NetParameter")
        return saved

    def _entries(self, at: Wire) -> Iterator[WireField]:
        for entry in at.entries():
            self.left -= 1
            if self.left < 0:
                raise at.error(0, f"the network has more than {MAX_FIELDS:,} fields")
            yield entry

    def message(self, at: Wire, kind: str) -> Message:
        """A message of a known type, without the blobs in it."""
        message = Message(NOWHERE)
        for entry in self._entries(at):
            if _known(kind, entry.number)[0] == "blobs" and entry.kind == wire.BYTES:
                self.blobs.append(read_blob(at.inside(entry)))
            else:
                message.fields += self._fields(at, entry, kind)
        message.fields = _last_of_each(message.fields, kind)
        return message

    def _fields(self, at: Wire, entry: WireField, message: str) -> Iterator[PrototxtField]:
        """The field of an entry, or all of those packed into it."""
        name, known = _known(message, entry.number)
        kind = known.type if known else ""
        if kind in messages() and entry.kind == wire.BYTES:
            yield PrototxtField(name, self.message(at.inside(entry), kind), NOWHERE)
        elif entry.kind == wire.BYTES and kind in (*_whole(), "float"):
            for value in _packed(at, entry, kind):
                yield PrototxtField(name, value, NOWHERE)
        else:
            yield PrototxtField(name, _scalar(at, entry, name, kind), NOWHERE)


def _known(kind: str, number: int) -> tuple[str, FieldType | None]:
    name = numbers().get(kind, {}).get(number, f"field_{number}")
    return name, messages()[kind].get(name)


def _last_of_each(fields: list[PrototxtField], kind: str) -> list[PrototxtField]:
    """The fields, of one that is not repeated only the last, as protobuf reads them."""
    schema = messages()[kind]
    last = {one.name: one for one in fields}
    single = {name for name, known in schema.items() if not known.repeated}
    return [one for one in fields if one.name not in single or last[one.name] is one]


def _name(layer: Message) -> str:
    """A layer's name, which the first dialect has in an inner message."""
    for one in layer.fields:
        if one.name == "name" and isinstance(one.value, str):
            return one.value
    inner = next((one.value for one in layer.fields if one.name == "layer"), None)
    return _name(inner) if isinstance(inner, Message) else ""


def _packed(at: Wire, entry: WireField, kind: str) -> list[int] | list[float]:
    assert isinstance(entry.value, memoryview)
    if len(entry.value) > MAX_PACKED:
        raise at.error(0, f"a list of {len(entry.value):,} bytes is none of a definition")
    if kind != "float":
        return packed(at.inside(entry), MAX_PACKED)
    if len(entry.value) % 4:
        raise at.error(0, "a list of numbers ends inside one")
    return [_short(value) for (value,) in struct.iter_unpack("<f", entry.value)]


def _scalar(at: Wire, entry: WireField, name: str, kind: str) -> str | int | float:
    """The value of an entry by its field's type, or by its wire type if that is unknown."""
    expected = "number" if kind == "float" else "whole" if kind in _whole() else kind
    value: str | int | float
    if isinstance(entry.value, int):
        actual = "whole"
        value = entry.value if kind == "uint" else wire.signed(entry.value)
    elif entry.kind == wire.BYTES:
        actual, value = "string", _text(entry.value, known=kind == "string")
    else:
        width = "<f" if entry.kind == wire.FIXED32 else "<d"
        (number,) = struct.unpack(width, entry.value)
        actual, value = "number", _short(number) if width == "<f" else number
    if expected not in ("", "any", actual):
        raise at.error(0, f"the field {name!r} holds what is none of its type")
    return value


def _short(value: float) -> float:
    """A float32 as the number of its shortest text: 0.1, not 0.10000000149011612."""
    return float(str(np.float32(value)))


def _text(data: memoryview, *, known: bool) -> str:
    """Bytes as text; if the field is not `known` to be text and they are none, their number."""
    text = bytes(data[:MAX_TEXT]).decode("utf-8", "replace")
    whole = len(data) <= MAX_TEXT and text.isprintable() and "\ufffd" not in text
    return text if known or whole else f"{len(data):,} bytes"


def _whole() -> tuple[str, ...]:
    """The types of fields that hold whole numbers."""
    return ("int", "uint", "bool", *enums())
