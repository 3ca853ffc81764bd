"""JSON damaged by its values: of other kinds, gone, doubled, exchanged, nested."""

from __future__ import annotations

import json
from random import Random
from typing import Any

from .damage import FLOATS, NUMBERS

TEXTS = (
    *("", "x", "0", "-1", "1e999", "nan", "None", "True", "()", "(0, 0)", "(-1,)", "(3, 3)"),
    *("(1, 2, 3, 4, 5)", "(9223372036854775807,)", "(1099511627776, 2)", "[" * 500, "9" * 400),
    *("é\u202e", "\0", "\ud800", "a" * 300, "../..", "float16", "int64", "relu"),
)


def change(data: bytes, chance: Random, known: tuple[str, ...] = ()) -> bytes:
    """The JSON with one value wrong. `known` are texts that mean something in it."""
    try:
        tree = json.loads(data)
    except (ValueError, RecursionError):
        return data
    spots = list(_spots(tree))
    if not spots:
        return json.dumps(_odd(chance, known)).encode("utf-8", "surrogatepass")
    held, key = chance.choice(spots)
    way = chance.randrange(6)
    if way == 0:
        del held[key]
    elif way == 1:
        other, there = chance.choice(spots)
        held[key] = other[there]
    elif way == 2:
        held[key] = _nested(held[key], chance)
    elif way == 3 and isinstance(held, list):
        held.insert(key, held[key])
    elif way == 3:
        held[chance.choice((*TEXTS, *known))] = held[key]
    else:
        held[key] = _like(held[key], chance, known)
    try:
        return json.dumps(tree).encode()
    except (ValueError, RecursionError):  # it was put into itself
        return data


def _spots(tree: Any) -> list[tuple[Any, Any]]:
    """Every place in a tree that holds a value: what it is in, and under which key."""
    found: list[tuple[Any, Any]] = []
    waiting = [tree]
    while waiting:
        held = waiting.pop()
        keys = list(held) if isinstance(held, dict) else range(len(held))
        for key in keys:
            found.append((held, key))
            if isinstance(held[key], dict | list):
                waiting.append(held[key])
    return found


def _like(value: Any, chance: Random, known: tuple[str, ...]) -> Any:
    """Another value, of the same kind two times in three."""
    if chance.random() < 0.34 or value is None:
        return _odd(chance, known)
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return chance.choice(NUMBERS)
    if isinstance(value, float):
        return chance.choice(FLOATS)
    if isinstance(value, str):
        return chance.choice((*TEXTS, *known, value * 3))
    if isinstance(value, list):
        return chance.choice(([], value[:-1], value * 2, value[::-1]))
    return {}


def _odd(chance: Random, known: tuple[str, ...]) -> Any:
    return chance.choice(
        (None, True, chance.choice(NUMBERS), 10**30, chance.choice(FLOATS), [], {}, [[]],
         chance.choice((*TEXTS, *known)), [0, -1, 2**40], {"": None})
    )  # fmt: skip


def _nested(value: Any, chance: Random) -> Any:
    for _ in range(chance.choice((1, 2, 30, 300))):
        value = [value] if chance.random() < 0.5 else {"config": value}
    return value
