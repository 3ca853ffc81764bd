"""Output of `--json`: fields with defaults and empty lists are written, nulls are left out."""

from __future__ import annotations

from typing import Any

import click
import msgspec

from modeldocs.struct import whole


def echo(value: Any, *, indent: int = 0) -> None:
    """Print plain data as JSON, on one line where `indent` is 0."""
    data = msgspec.json.encode(whole(value, nulls=False), order="deterministic")
    click.echo(msgspec.json.format(data, indent=indent) if indent else data)
