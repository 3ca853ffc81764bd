"""Protocol buffers damaged through the parsed message: fields gone, doubled, of other values."""

from __future__ import annotations

from random import Random
from typing import Any

from google.protobuf.message import DecodeError

from .damage import FLOATS, NUMBERS, damage

_LIMIT = 200_000
"""Bytes that a broken message may grow to."""


def change(data: bytes, kind: type[Any], chance: Random, known: tuple[str, ...] = ()) -> bytes:
    """The message with one field wrong. `known` are texts that mean something in it."""
    message = kind()
    try:
        message.ParseFromString(data)
    except DecodeError:
        return damage(data, chance)
    alter(message, chance, known)
    made: bytes = message.SerializeToString(deterministic=True)
    return made if len(made) < _LIMIT else data


def alter(message: Any, chance: Random, known: tuple[str, ...] = ()) -> None:
    """Do one thing wrong to a message, in place."""
    held = [one for one in _inside(message) if one.DESCRIPTOR.fields]
    owner = chance.choice(held)
    fields = owner.DESCRIPTOR.fields
    present = [field for field, _ in owner.ListFields()]
    field = chance.choice(present) if present and chance.random() < 0.85 else chance.choice(fields)
    if field.message_type is not None and field.message_type.GetOptions().map_entry:
        _map(getattr(owner, field.name), field, chance, held, known)
    elif field.is_repeated:
        _repeated(getattr(owner, field.name), field, chance, held, known)
    elif chance.random() < 0.2:
        owner.ClearField(field.name)
    elif field.message_type is not None:
        _copy(getattr(owner, field.name), held, chance)
    else:
        _set(owner, field, chance, held, known)


def _inside(message: Any) -> list[Any]:
    """A message and all that are nested in it."""
    found, waiting = [], [message]
    while waiting and len(found) < 5000:
        one = waiting.pop()
        found.append(one)
        for field, value in one.ListFields():
            if field.message_type is None:
                continue
            if field.message_type.GetOptions().map_entry:
                inner = field.message_type.fields[1].message_type is not None
                values = [value[key] for key in sorted(value)] if inner else []
            else:
                values = value if field.is_repeated else (value,)
            waiting.extend(values)
    return found


def _copy(target: Any, held: list[Any], chance: Random) -> None:
    """Another message of the kind in this one's place; the whole inside of itself, too."""
    same = [one for one in held if one.DESCRIPTOR is target.DESCRIPTOR and one is not target]
    if same and chance.random() < 0.7:
        copied = type(target)()
        copied.CopyFrom(chance.choice(same))
        target.CopyFrom(copied)
    else:
        target.SetInParent()


def _map(values: Any, field: Any, chance: Random, held: list[Any], known: tuple[str, ...]) -> None:
    """A value under another key, gone, or of another message's."""
    keys = sorted(values, key=str)
    inner = field.message_type.fields[1].message_type is not None
    if not keys or not inner:
        return
    key = chance.choice(keys)
    way = chance.randrange(4)
    if way == 0:
        del values[key]
    elif way == 1 and isinstance(key, str):
        values[chance.choice((*known, *_texts(held, chance), "x"))].CopyFrom(values[key])
    elif way == 2:
        values[key].CopyFrom(values[chance.choice(keys)])
    else:
        alter(values[key], chance, known)


def _repeated(
    values: Any, field: Any, chance: Random, held: list[Any], known: tuple[str, ...]
) -> None:
    way = chance.randrange(6)
    if way == 0 and len(values):
        del values[:]
    elif way == 1 and len(values):
        del values[chance.randrange(len(values))]
    elif way == 2 and len(values):
        place = chance.randrange(len(values))
        copied = [values[place]] * chance.choice((1, 1, 2, 20))
        values.extend(copied)
    elif way == 3 and len(values) > 1 and field.message_type is None:
        order = list(values)
        chance.shuffle(order)
        values[:] = order
    elif field.message_type is not None:
        _copy(values[chance.randrange(len(values))] if len(values) else values.add(), held, chance)
    elif len(values) and chance.random() < 0.8:
        values[chance.randrange(len(values))] = _value(field, chance, held, known)
    else:
        values.append(_value(field, chance, held, known))


def _set(owner: Any, field: Any, chance: Random, held: list[Any], known: tuple[str, ...]) -> None:
    value = _value(field, chance, held, known, getattr(owner, field.name))
    try:
        setattr(owner, field.name, value)
    except ValueError:  # protobuf itself keeps it out
        owner.ClearField(field.name)


def _value(
    field: Any, chance: Random, held: list[Any], known: tuple[str, ...], old: Any = None
) -> Any:
    """A value that the field can hold and its readers may not expect."""
    if field.enum_type is not None:
        return chance.choice((*(v.number for v in field.enum_type.values), 99))
    if field.cpp_type in (field.CPPTYPE_INT32, field.CPPTYPE_INT64):
        top = 2**31 if field.cpp_type == field.CPPTYPE_INT32 else 2**63
        near = [n for n in (old or 0, (old or 0) + 1, (old or 0) - 1) if isinstance(n, int)]
        return chance.choice([n for n in (*NUMBERS, *near) if -top <= n < top])
    if field.cpp_type in (field.CPPTYPE_UINT32, field.CPPTYPE_UINT64):
        return chance.choice((0, 1, 2, 2**16, 2**32 - 1))
    if field.cpp_type in (field.CPPTYPE_FLOAT, field.CPPTYPE_DOUBLE):
        return chance.choice(FLOATS)
    if field.cpp_type == field.CPPTYPE_BOOL:
        return chance.random() < 0.5
    if field.type == field.TYPE_BYTES:
        return damage(old if isinstance(old, bytes) else b"", chance)
    return chance.choice((*_texts(held, chance), *_texts(known, chance), "", "x" * 300, "é\0<\n"))


def _texts(held: Any, chance: Random) -> tuple[str, ...]:
    """A text that stands elsewhere in the message: names that are exchanged make cycles."""
    if held and isinstance(held[0], str):
        return (chance.choice(held),)
    owner = chance.choice(held) if held else None
    found = [
        text
        for field, value in (owner.ListFields() if owner is not None else ())
        if field.cpp_type == field.CPPTYPE_STRING and field.type != field.TYPE_BYTES
        for text in (value if field.is_repeated else (value,))
    ]
    return (chance.choice(found),) * 3 if found else ()
