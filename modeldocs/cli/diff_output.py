"""Output of `modeldocs diff`: verdict, totals, changes and parity."""

from __future__ import annotations

from collections.abc import Sequence

import click
from rich import box
from rich.markup import escape
from rich.table import Table

from modeldocs import formatting
from modeldocs.cli import terminal
from modeldocs.diff import UNCERTAIN, Change, Diff, Direction, Pair, Parity, Weights
from modeldocs.ir import Totals
from modeldocs.site.pair import comparison
from modeldocs.site.pair.causes import ErrorCause, causes
from modeldocs.site.pair.conversions import conversions, line
from modeldocs.verdict import sentences
from modeldocs.verdict.sentences import Graphs, Names

PLACES = 3
"""Places that a line names; the others are only counted."""

LINES = 10
"""Causes, or conversions of weights, that are listed; the others are only counted."""

_DIRECTIONS = ("A's weights in B", "B's weights in A")

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
    names = graphs[0].names(), graphs[1].names()
    summary = sentences.pair_verdict(diff, graphs)
    headline = f"{summary.step.sign} {summary.headline}"
    click.secho(terminal.safe(headline), fg=_COLOURS.get(summary.step.id, "yellow"), bold=True)
    click.echo(terminal.safe(summary.text()))
    _totals((diff.a, diff.b), sources)
    noun = "layer corresponds and is" if diff.unchanged == 1 else "layers correspond and are"
    click.echo(f"{diff.unchanged:,} {noun} the same.")
    _uncertain(diff, names)
    _changes(diff, names)
    if diff.parity is not None:
        _numbers(diff.parity, names)


def _uncertain(diff: Diff, names: Names) -> None:
    """Print the matches of low confidence, whose layers may not correspond."""
    if diff.uncertain:
        places = _list([_place((match.a, match.b), names) for match in diff.uncertain])
        count = len(diff.uncertain)
        click.echo(f"{count:,} matched with a confidence below {UNCERTAIN}: {places}")


def _totals(both: tuple[Totals, Totals], sources: tuple[str, str]) -> None:
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    table.add_column("")
    for heading in ("layers", "parameters", "running statistics", "MACs"):
        table.add_column(heading, justify="right")
    for side, source, totals in zip("AB", sources, both, strict=True):
        figures = (totals.layers, totals.parameters, totals.buffers, totals.macs)
        table.add_row(
            f"{side}  {escape(terminal.safe(source))}", *(formatting.exact(one) for one in figures)
        )
    terminal.console().print(table)


def _changes(diff: Diff, names: Names) -> None:
    for number, change in enumerate(diff.changes, start=1):
        click.echo(f"{number:3}. {terminal.safe(change.title)}  [{change.consequence}]")
        _places(change, names)


def _places(change: Change, names: Names) -> None:
    places = [_place(pair, names) for pair in change.pairs if any(pair)]
    if places:
        click.echo(f"     {_list(places)}")


def _list(items: Sequence[str]) -> str:
    """The first of some items, and how many more there are: `a, b, c and 4 more`."""
    more = f" and {len(items) - PLACES:,} more" if len(items) > PLACES else ""
    return f"{terminal.safe(', '.join(items[:PLACES]))}{more}"


def _numbers(parity: Parity, names: Names) -> None:
    if parity.failure is not None:
        if parity.failure.fix:
            click.echo(f"To run the numbers: {terminal.safe(parity.failure.fix)}")
        return
    noun = "layer" if parity.compared == 1 else "layers"
    click.echo(f"\nWith the same weights, {parity.compared:,} {noun} compared:")
    for name, direction in zip(_DIRECTIONS, parity.directions, strict=True):
        result = _result(direction)
        error = sentences.error(direction.outputs) if direction.outputs else "not run"
        click.echo(f"     {name}: {result}, {error}")
    reasons = causes(parity)
    for cause in reasons[:LINES]:
        click.echo(f"     {terminal.safe(_cause(cause, names))}")
    _rest(len(reasons))
    if not reasons:
        click.echo("     no layer differs")
    for reason, pairs in comparison.by_reason(parity.uncompared).items():
        more = f" and {len(pairs) - 1:,} more" if len(pairs) > 1 else ""
        text = f"not compared: {_place(pairs[0], names)}{more}: {reason}"
        click.echo(f"     {terminal.safe(text)}")
    for name, direction in zip(_DIRECTIONS, parity.directions, strict=True):
        _weights(name, direction.weights)


def _result(direction: Direction) -> str:
    """What a direction shows, in a few words."""
    if direction.verdict == "holds":
        return "the same numbers"
    is_form = direction.returns == "form" and not direction.divergences
    return "the same numbers, returned differently" if is_form else "other numbers"


def _weights(direction: str, weights: Weights) -> None:
    """Print how the weights of one direction are converted."""
    groups = conversions(weights)
    if groups:
        count = len(weights.converted)
        noun = "weight is" if count == 1 else "weights are"
        click.echo(f"\n{direction}: {count:,} {noun} converted (--weights writes every step)")
    for group in groups[:LINES]:
        more = f"  × {len(group.weights):,}" if len(group.weights) > 1 else ""
        hand = "  (by hand)" if group.turned else ""
        click.echo(f"     {terminal.safe(line(group.first))}{more}{hand}")
    _rest(len(groups))
    apart = (
        (weights.unused, "no place for"),
        (weights.unset, "no value for"),
        (weights.invented, "ones or zeros, which the source does not have, in"),
    )
    for names, phrase in apart:
        if names:
            click.echo(f"     {phrase} {_list(names)}")


def _cause(cause: ErrorCause, names: Names) -> str:
    why = f"change {cause.change}" if cause.change else "no change explains"
    where, error = _place(cause.pairs[0], names), sentences.error(cause.error)
    if len(cause.pairs) == 1:
        return f"{why}: one layer, {where}: {error}"
    return f"{why}: {len(cause.pairs):,} layers, first {where}: at most {error}"


def _place(pair: Pair, names: Names) -> str:
    return " → ".join(
        sentences.layers(ids, by_id) for ids, by_id in zip(pair, names, strict=True) if ids
    )


def _rest(count: int) -> None:
    if count > LINES:
        click.echo(f"     and {count - LINES:,} more")
