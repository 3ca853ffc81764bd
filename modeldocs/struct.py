"""The base of classes of plain data."""

from __future__ import annotations

import functools
from typing import Any

import msgspec


class Struct(msgspec.Struct, frozen=True, omit_defaults=True, kw_only=True):
    """Immutable data with named fields; fields at their default are left out of the JSON."""


def whole(value: Any, *, nulls: bool = True) -> Any:
    """Plain data with structs as mappings of all of their fields, including defaults.

    msgspec leaves a field at its default out of JSON, but a float only if it is the default object
    itself, which it is not in another process: keys made from `whole` data are equal there. Without
    `nulls`, fields that are None are left out.
    """
    if isinstance(value, msgspec.Struct):
        fields = ((name, getattr(value, field)) for name, field in _fields(type(value)))
        return {
            name: whole(item, nulls=nulls) for name, item in fields if nulls or item is not None
        }
    if isinstance(value, dict):
        return {key: whole(item, nulls=nulls) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [whole(item, nulls=nulls) for item in value]
    return value


@functools.cache
def _fields(kind: type[msgspec.Struct]) -> list[tuple[str, str]]:
    """Names of a struct's fields: in JSON, and as attributes."""
    return [(field.encode_name, field.name) for field in msgspec.structs.fields(kind)]
