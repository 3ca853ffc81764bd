"""What `--json` prints: empty lists stay, so that a query need not ask for them; nulls do not."""

from __future__ import annotations

from typing import Any

import click
import msgspec

from modeldocs.struct import whole


def echo(value: Any, *, indent: int = 0) -> None:
    """Print plain data as JSON, on one line unless it is indented."""
    data = msgspec.json.encode(whole(value, nulls=False), order="deterministic")
    click.echo(msgspec.json.format(data, indent=indent) if indent else data)
