"""Bytes damaged without regard for what they mean: flipped, cut off, moved, doubled."""

from __future__ import annotations

import struct
from random import Random

NUMBERS = (0, 1, -1, 2, 3, 7, 127, 2**16, 2**31 - 1, 2**31, -(2**31), 2**40, 2**63 - 1, -(2**63))
"""What counts and sizes are not expected to be."""

FLOATS = (0.0, -0.0, 1.0, -1.0, 1e-45, 1e38, 1e308, float("inf"), float("-inf"), float("nan"))


def damage(data: bytes, chance: Random) -> bytes:
    """The bytes with one thing wrong."""
    if not data:
        return bytes(chance.randrange(256) for _ in range(chance.randrange(40)))
    return chance.choice(_WAYS)(data, chance)


def _flip(data: bytes, chance: Random) -> bytes:
    made = bytearray(data)
    for _ in range(chance.choice((1, 1, 2, 4, 16))):
        made[chance.randrange(len(made))] = chance.randrange(256)
    return bytes(made)


def _bit(data: bytes, chance: Random) -> bytes:
    made = bytearray(data)
    made[chance.randrange(len(made))] ^= 1 << chance.randrange(8)
    return bytes(made)


def _cut(data: bytes, chance: Random) -> bytes:
    return data[: chance.randrange(len(data))]


def _remove(data: bytes, chance: Random) -> bytes:
    start, end = _span(data, chance)
    return data[:start] + data[end:]


def _double(data: bytes, chance: Random) -> bytes:
    start, end = _span(data, chance)
    return data[:end] + data[start:end] * chance.choice((1, 1, 3)) + data[end:]


def _move(data: bytes, chance: Random) -> bytes:
    start, end = _span(data, chance)
    place = chance.randrange(len(data))
    return data[:place] + data[start:end] + data[place + end - start :]


def _number(data: bytes, chance: Random) -> bytes:
    """A number put where one may stand: at a multiple of its size."""
    value: bytes = chance.choice(
        (
            struct.pack("<q", chance.choice(NUMBERS)),
            struct.pack("<i", chance.choice((0, 1, -1, 2**31 - 1, -(2**31)))),
            struct.pack("<d", chance.choice(FLOATS)),
            struct.pack("<f", float("nan") if chance.random() < 0.5 else 3e38),
        )
    )
    place = chance.randrange(max(1, len(data) // len(value))) * len(value)
    return data[:place] + value + data[place + len(value) :]


def _span(data: bytes, chance: Random) -> tuple[int, int]:
    start = chance.randrange(len(data))
    return start, start + min(chance.choice((1, 2, 8, 40, 400)), len(data) - start)


_WAYS = (_flip, _flip, _bit, _cut, _remove, _double, _move, _number)
