"""The base of the plain-data classes."""

from __future__ import annotations

import functools
from typing import Any

import msgspec


class Struct(msgspec.Struct, frozen=True, omit_defaults=True, kw_only=True):
    """Immutable data with named fields; fields at their default are left out of the JSON."""


def whole(value: Any, *, nulls: bool = True) -> Any:
    """Plain data with structs as mappings of all of their fields, defaults among them.

    JSON of structs leaves a float at its default out only where it is the very same object, which
    it is no longer in another process: this is the same there. Without `nulls`, fields that are
    None are left out.
    """
    if isinstance(value, msgspec.Struct):
        held = ((name, getattr(value, own)) for name, own in _fields(type(value)))
        return {name: whole(one, nulls=nulls) for name, one in held if nulls or one is not None}
    if isinstance(value, dict):
        return {key: whole(one, nulls=nulls) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [whole(one, nulls=nulls) for one in value]
    return value


@functools.cache
def _fields(kind: type[msgspec.Struct]) -> list[tuple[str, str]]:
    return [(field.encode_name, field.name) for field in msgspec.structs.fields(kind)]
