"""Texts, numbers and enum values of fields, checked against their types in Caffe's schema."""

from __future__ import annotations

import math
from typing import Any

from modeldocs.errors import ModeldocsError
from modeldocs.loaders.caffe.format.prototxt import PrototxtField
from modeldocs.loaders.caffe.format.schema import OPEN_ENUMS, enums
from modeldocs.loaders.caffe.format.tokens import TokenPosition, Word

MAX_SHOWN = 60
"""Characters of a value that messages show."""

_TRUE = frozenset({"true", "True", "t"})
_FALSE = frozenset({"false", "False", "f"})

_EXPECTED = {
    "int": "a whole number of 32 bits",
    "uint": "a whole number from 0 to 4294967295",
    "float": "a number",
    "bool": "true or false",
    "string": "a quoted text",
}


class Foreign(str):
    """A value that Caffe's own enum lacks: a fork's, or a mistyped one."""

    __slots__ = ()


def expected(kind: str) -> str:
    """The values of a type, as messages name them."""
    return _EXPECTED.get(kind, "one of " + ", ".join(enums().get(kind, {}).values()))


def error_at(reason: str, file: str, place: TokenPosition, fix: str | None) -> ModeldocsError:
    """The error at a place; a binary file has no lines."""
    line, column = place.line or None, place.column or None
    return ModeldocsError(reason, file=file, line=line, column=column, fix=fix)


def read(entry: PrototxtField, kind: str, value: str | int | float, file: str) -> Any:
    """The value of a field that holds no message, as its type has it.

    Raises:
        ModeldocsError: it is of another type.
    """
    if kind in enums():
        return _enum(entry, kind, value, file)
    result = _READERS[kind](value)
    if result is None:
        shown = repr(str(value)[:MAX_SHOWN])
        raise error_at(
            f"{entry.name!r} wants {expected(kind)}, not {shown}",
            file,
            entry.place,
            f"write {entry.name}: and {expected(kind)}",
        )
    return result


def _enum(entry: PrototxtField, kind: str, value: str | int | float, file: str) -> str:
    names = enums()[kind]
    if isinstance(value, int) and value in names:
        return names[value]
    if isinstance(value, str) and (value in names.values() or kind in OPEN_ENUMS):
        return str(value)
    shown = str(value)[:MAX_SHOWN]
    if kind != "Phase":
        return Foreign(shown)
    fix = f"use one of {', '.join(names.values())}"
    raise error_at(f"{entry.name!r} has no value {shown!r}", file, entry.place, fix)


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


def plain(value: Any) -> Any:
    """A value as JSON holds it, which has neither infinities nor NaN."""
    if isinstance(value, str) or (isinstance(value, float) and not math.isfinite(value)):
        return str(value)
    return value
