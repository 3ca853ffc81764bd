"""Protobuf's wire format, whole and broken."""

from __future__ import annotations

import pytest

from modeldocs.errors import ModeldocsError
from modeldocs.loaders.caffe.format import wire
from modeldocs.loaders.caffe.format.wire import Wire

WHOLE = b"\x08\x96\x01" + b"\x12\x02hi" + b"\x1d\x00\x00\x80\x3f" + b"\x21" + bytes(8)


def read(data):
    return [(e.number, e.kind, e.value if isinstance(e.value, int) else bytes(e.value))
            for e in Wire(memoryview(data), "x.caffemodel").entries()]  # fmt: skip


def test_each_kind_of_field():
    assert read(WHOLE) == [
        (1, wire.VARINT, 150),
        (2, wire.BYTES, b"hi"),
        (3, wire.FIXED32, b"\x00\x00\x80\x3f"),
        (4, wire.FIXED64, bytes(8)),
    ]


def test_what_is_written_reads_back():
    assert wire.header(1, wire.VARINT) + wire.varint(150) + wire.field(2, "hi") == WHOLE[:7]
    minus_one = wire.header(1, wire.VARINT) + wire.varint(2**64 - 1)
    assert [wire.signed(value) for _, _, value in read(minus_one)] == [-1]


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"\x08", "at byte 1, it ends inside a number"),
        (b"\x08\xff\xff", "at byte 1, it ends inside a number"),
        (b"\x08" + b"\xff" * 11, "at byte 1, a number has more than ten bytes"),
        (b"\x12\x05hi", "at byte 0, a field of 5 bytes has only 2 left"),
        (b"\x12\xff\xff\xff\xff\xff\xff\xff\xff\x7f", "at byte 0, a field of 9,223,372,036,854"),
        (b"\x1d\x00", "at byte 0, a field of 4 bytes has only 1 left"),
        (b"\x00\x01", "at byte 0, there is no field number 0"),
        (b"\x0b", "at byte 0, a field of the wire type 3 is not one of Caffe's"),
        (b"\x08\x01\x0f", "at byte 2, a field of the wire type 7 is not one of Caffe's"),
    ],
)
def test_what_is_broken_is_told_with_its_place(data, reason):
    with pytest.raises(ModeldocsError) as caught:
        read(data)
    assert caught.value.reason.startswith(reason)
    assert (caught.value.file, caught.value.line) == ("x.caffemodel", None)


def test_places_inside_of_messages_count_from_the_files_start():
    (entry,) = Wire(memoryview(b"\x12\x03\x12\x05x"), "x").entries()
    with pytest.raises(ModeldocsError, match="at byte 2, a field of 5 bytes"):
        list(Wire(memoryview(b""), "x").inside(entry).entries())
