"""The protocol-buffer messages of an `.xplane.pb` file, as far as they are read."""

from __future__ import annotations

from functools import cache
from typing import Any

_INT, _UINT, _TEXT, _MESSAGE = 3, 4, 9, 11
"""Types of fields, by the numbers of `FieldDescriptorProto.Type`."""

_FIELDS: dict[str, tuple[tuple[int, str, int, str], ...]] = {
    "Space": ((1, "planes", _MESSAGE, "Plane"),),
    "Plane": (
        (2, "name", _TEXT, ""),
        (3, "lines", _MESSAGE, "Line"),
        (4, "event_names", _MESSAGE, "Entry"),
        (5, "stat_names", _MESSAGE, "Entry"),
        (6, "stats", _MESSAGE, "Stat"),
    ),
    "Line": (
        (2, "name", _TEXT, ""),
        (3, "timestamp_ns", _INT, ""),
        (4, "events", _MESSAGE, "Event"),
    ),
    "Event": (
        (1, "name_id", _INT, ""),
        (2, "offset_ps", _INT, ""),
        (3, "duration_ps", _INT, ""),
        (4, "stats", _MESSAGE, "Stat"),
    ),
    "Stat": (
        (1, "name_id", _INT, ""),
        (3, "unsigned", _UINT, ""),
        (4, "signed", _INT, ""),
        (5, "text", _TEXT, ""),
        (7, "text_id", _UINT, ""),
    ),
    "Entry": ((1, "key", _INT, ""), (2, "value", _MESSAGE, "Named")),
    "Named": ((2, "name", _TEXT, ""),),
}
"""Number, name, type and message of each field; of those that repeat, all are messages."""

_SINGLE = {"Entry"}
"""Messages whose fields do not repeat though they are messages."""


@cache
def space() -> type[Any]:
    """The class of a whole file."""
    from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

    file = descriptor_pb2.FileDescriptorProto(
        name="xplane.proto", package="modeldocs.xplane", syntax="proto3"
    )
    for message, fields in _FIELDS.items():
        held = file.message_type.add(name=message)
        for number, name, kind, of in fields:
            repeats = kind == _MESSAGE and message not in _SINGLE
            field = held.field.add(name=name, number=number, type=kind, label=3 if repeats else 1)
            if of:
                field.type_name = f".modeldocs.xplane.{of}"
    pool = descriptor_pool.DescriptorPool()
    pool.Add(file)
    descriptor = pool.FindMessageTypeByName("modeldocs.xplane.Space")
    return message_factory.GetMessageClass(descriptor)
