"""What `--json` prints: empty lists stay, so that a query need not ask for them; nulls do not."""

from __future__ import annotations

import functools
from typing import Any

import click
import msgspec


def echo(value: Any, *, indent: int = 0) -> None:
    """Print plain data as JSON, on one line unless it is indented."""
    data = msgspec.json.encode(_whole(value), order="deterministic")
    click.echo(msgspec.json.format(data, indent=indent) if indent else data)


def _whole(value: Any) -> Any:
    """Structs as mappings of all of their fields that are something, defaults among them."""
    if isinstance(value, msgspec.Struct):
        held = ((name, getattr(value, own)) for name, own in _fields(type(value)))
        return {name: _whole(one) for name, one in held if one is not None}
    if isinstance(value, dict):
        return {key: _whole(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [_whole(one) for one in value]
    return value


@functools.cache
def _fields(kind: type[msgspec.Struct]) -> list[tuple[str, str]]:
    return [(field.encode_name, field.name) for field in msgspec.structs.fields(kind)]
