"""A group whose commands are imported when they are used: each imports what it needs, no more."""

from __future__ import annotations

import importlib
from typing import Any

import click


class LazyGroup(click.Group):
    """A group of commands given as `module:attribute` by name, in the order of `--help`."""

    def __init__(self, *args: Any, places: dict[str, str], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.places = places

    def list_commands(self, _ctx: click.Context) -> list[str]:
        """The names of the commands."""
        return list(self.places)

    def get_command(self, _ctx: click.Context, name: str) -> click.Command | None:
        """The command of that name; None where there is none."""
        if name not in self.places:
            return None
        module, _, attribute = self.places[name].partition(":")
        command: click.Command = getattr(importlib.import_module(module), attribute)
        return command
