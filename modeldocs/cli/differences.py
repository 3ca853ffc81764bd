"""A comparison on the terminal: verdict, totals, changes, numbers."""

from __future__ import annotations

import click
from rich import box
from rich.markup import escape
from rich.table import Table

from modeldocs import spelling
from modeldocs.cli import terminal
from modeldocs.diff import UNCERTAIN, Change, Diff, Pair, Parity, Weights
from modeldocs.ir import Totals
from modeldocs.site import verdict
from modeldocs.site.causes import Cause, causes
from modeldocs.site.conversions import conversions, line
from modeldocs.site.verdict import Graphs, Names

PLACES = 3
"""Places that a line names before it only counts the rest."""

LINES = 10
"""Causes, or ways to convert weights, before the rest is counted."""

_WAYS = ("A's weights in B", "B's weights in A")

_COLOURS = {"proven": "green", "unproven": "cyan", "different": "red"}


def tell(diff: Diff, graphs: Graphs, sources: tuple[str, str]) -> None:
    """Print a comparison of `sources`, as they were given."""
    names = graphs[0].names(), graphs[1].names()
    said = verdict.verdict(diff, names)
    click.secho(terminal.safe(said.headline), fg=_COLOURS[said.status], bold=True)
    click.echo(terminal.safe(said.text()))
    _totals((diff.a, diff.b), sources)
    noun = "layer corresponds and is" if diff.unchanged == 1 else "layers correspond and are"
    click.echo(f"{diff.unchanged:,} {noun} the same.")
    _uncertain(diff, names)
    _changes(diff, names)
    if diff.parity is not None:
        _numbers(diff.parity, names)


def _uncertain(diff: Diff, names: Names) -> None:
    """Say which layers may not correspond: their weights are carried over all the same."""
    if diff.uncertain:
        held = [_place((match.a, match.b), names) for match in diff.uncertain]
        more = f" and {len(held) - PLACES:,} more" if len(held) > PLACES else ""
        told = terminal.safe(", ".join(held[:PLACES]))
        click.echo(f"{len(held):,} matched with a confidence below {UNCERTAIN}: {told}{more}")


def _totals(both: tuple[Totals, Totals], sources: tuple[str, str]) -> None:
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    table.add_column("")
    for heading in ("layers", "parameters", "running statistics", "MACs"):
        table.add_column(heading, justify="right")
    for side, source, totals in zip("AB", sources, both, strict=True):
        figures = (totals.layers, totals.parameters, totals.buffers, totals.macs)
        table.add_row(
            f"{side}  {escape(terminal.safe(source))}", *(spelling.exact(one) for one in figures)
        )
    terminal.console().print(table)


def _changes(diff: Diff, names: Names) -> None:
    for number, change in enumerate(diff.changes, start=1):
        click.echo(f"{number:3}. {terminal.safe(change.title)}  [{change.consequence}]")
        _places(change, names)


def _places(change: Change, names: Names) -> None:
    held = [_place(pair, names) for pair in change.pairs if any(pair)]
    if held:
        more = f" and {len(held) - PLACES:,} more" if len(held) > PLACES else ""
        click.echo(f"     {terminal.safe(', '.join(held[:PLACES]))}{more}")


def _numbers(parity: Parity, names: Names) -> None:
    if parity.failure is not None:
        if parity.failure.fix:
            click.echo(f"To run the numbers: {terminal.safe(parity.failure.fix)}")
        return
    click.echo(f"\nWith the same weights, {parity.compared:,} layers compared:")
    for both, direction in zip(_WAYS, parity.directions, strict=True):
        told = "the same numbers" if direction.verdict == "holds" else "other numbers"
        ends = verdict.error(direction.outputs) if direction.outputs else "not run"
        click.echo(f"     {both}: {told}, {ends}")
    held = causes(parity)
    for one in held[:LINES]:
        click.echo(f"     {terminal.safe(_cause(one, names))}")
    _rest(len(held))
    if not held:
        click.echo("     no layer differs")
    for reason, pairs in _by_reason(parity).items():
        more = f" and {len(pairs) - 1:,} more" if len(pairs) > 1 else ""
        told = f"not compared: {_place(pairs[0], names)}{more}: {reason}"
        click.echo(f"     {terminal.safe(told)}")
    for both, direction in zip(_WAYS, parity.directions, strict=True):
        _weights(both, direction.weights)


def _by_reason(parity: Parity) -> dict[str, list[Pair]]:
    held: dict[str, list[Pair]] = {}
    for one in parity.uncompared:
        held.setdefault(one.reason, []).append(one.pair)
    return held


def _weights(both: str, weights: Weights) -> None:
    """What a converter has to do."""
    held = conversions(weights)
    if held:
        count = len(weights.converted)
        noun = "weight is" if count == 1 else "weights are"
        click.echo(f"\n{both}: {count:,} {noun} converted (--weights writes every step)")
    for one in held[:LINES]:
        more = f"  × {len(one.weights):,}" if len(one.weights) > 1 else ""
        hand = "  (turned by hand)" if one.turned else ""
        click.echo(f"     {terminal.safe(line(one.first))}{more}{hand}")
    _rest(len(held))
    for names, told in ((weights.unused, "no place for"), (weights.unset, "nothing decides")):
        if names:
            more = f" and {len(names) - PLACES:,} more" if len(names) > PLACES else ""
            click.echo(f"     {told} {terminal.safe(', '.join(names[:PLACES]))}{more}")


def _cause(cause: Cause, names: Names) -> str:
    why = f"change {cause.change}" if cause.change else "structure does not show"
    where, error = _place(cause.pairs[0], names), verdict.error(cause.error)
    if len(cause.pairs) == 1:
        return f"{why}: one layer, {where}: {error}"
    return f"{why}: {len(cause.pairs):,} layers, first {where}: at most {error}"


def _place(pair: Pair, names: Names) -> str:
    return " → ".join(
        verdict.shown(ids, known) for ids, known in zip(pair, names, strict=True) if ids
    )


def _rest(count: int, told: int = LINES) -> None:
    if count > told:
        click.echo(f"     and {count - told:,} more")
