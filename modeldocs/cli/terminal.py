"""Output on the terminal, with control characters in text from models and files replaced."""

from __future__ import annotations

from pathlib import Path

import click
from rich.console import Console

from modeldocs import formatting
from modeldocs.catalog import Port

safe = formatting.visible_lines


def relative(path: Path) -> Path:
    """A path relative to the current folder, where it lies in that."""
    return path.relative_to(Path.cwd()) if path.is_relative_to(Path.cwd()) else path


def counts(*numbers: tuple[int, str]) -> str:
    """Numbers with their nouns: `1 model, 2 ports`."""
    return ", ".join(f"{number} {noun}{'' if number == 1 else 's'}" for number, noun in numbers)


def warn(*ports: Port) -> None:
    """Print each mistake in the ports' manifests once, on the error stream."""
    for message in dict.fromkeys(str(one.error()) for port in ports for one in port.doubts):
        click.echo(f"modeldocs: {safe(message)}", err=True)


def console() -> Console:
    """A console for tables: as wide as the terminal, 160 columns where there is none."""
    return Console(width=None if Console().is_terminal else 160)
