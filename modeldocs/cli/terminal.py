"""Text of others on the terminal: their control characters are shown, not obeyed."""

from __future__ import annotations

import click
from rich.console import Console

from modeldocs import spelling
from modeldocs.catalog import Port


def safe(text: str) -> str:
    """`text` line by line, without characters that a terminal acts on."""
    return "\n".join(spelling.visible(line) for line in text.splitlines())


def doubt(*ports: Port) -> None:
    """Tell on stderr the mistakes that ports' manifests may have told less for, each once."""
    for said in dict.fromkeys(str(one.error()) for port in ports for one in port.doubts):
        click.echo(f"modeldocs: {safe(said)}", err=True)


def console() -> Console:
    """Where tables are printed: as wide as the terminal, or enough for one in a file."""
    return Console(width=None if Console().is_terminal else 160)
