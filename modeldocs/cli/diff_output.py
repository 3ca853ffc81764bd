"""Output of `modeldocs diff`: a comparison in words, its verdict in colour."""

from __future__ import annotations

import click

from modeldocs.cli import terminal
from modeldocs.diff import Diff
from modeldocs.site.pair import words
from modeldocs.verdict import level
from modeldocs.verdict.sentences import Graphs

_COLOURS = {
    "same": "green",
    "by-structure": "cyan",
    "up-to-head": "cyan",
    "up-to-epsilon": "cyan",
    "up-to-padding": "cyan",
    "different-results": "red",
}
"""Colours of steps of a verdict; others are yellow."""


def show(diff: Diff, graphs: Graphs, sources: tuple[str, str]) -> None:
    """Print a comparison; `sources` are A and B as the user named them."""
    headline, explanation = words.verdict(diff, graphs)
    click.secho(headline, fg=_COLOURS.get(level.step(diff, graphs).id, "yellow"), bold=True)
    click.echo(explanation)
    terminal.console().print(words.totals(diff, sources))
    for line in words.details(diff, graphs):
        click.echo(line)
