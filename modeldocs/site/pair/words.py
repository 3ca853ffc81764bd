"""A comparison in words, as a terminal shows it: verdict, totals, changes and parity."""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence

from rich import box
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from modeldocs import formatting
from modeldocs.diff import UNCERTAIN, Change, Diff, Direction, Pair, Parity, Weights
from modeldocs.formatting import visible_lines
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

WIDTH = 160
"""Width of the table of totals in a text, in characters."""


def text(diff: Diff, graphs: Graphs, sources: tuple[str, str]) -> str:
    """All of it; `sources` are A and B as the user named them."""
    stream = io.StringIO()
    Console(file=stream, width=WIDTH).print(totals(diff, sources))
    table = "\n".join(line.rstrip() for line in stream.getvalue().splitlines())
    return "\n".join([*verdict(diff, graphs), table, *details(diff, graphs)])


def verdict(diff: Diff, graphs: Graphs) -> tuple[str, str]:
    """The headline, and the sentences that explain it."""
    summary = sentences.pair_verdict(diff, graphs)
    return visible_lines(f"{summary.step.sign} {summary.headline}"), visible_lines(summary.text())


def totals(diff: Diff, sources: tuple[str, str]) -> Table:
    """The table of both sides' totals."""
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    table.add_column("")
    for heading in ("layers", "parameters", "running statistics", "MACs"):
        table.add_column(heading, justify="right")
    for side, source, one in zip("AB", sources, (diff.a, diff.b), strict=True):
        figures = (one.layers, one.parameters, one.buffers, one.macs)
        table.add_row(
            f"{side}  {escape(visible_lines(source))}",
            *(formatting.exact(figure) for figure in figures),
        )
    return table


def details(diff: Diff, graphs: Graphs) -> Iterator[str]:
    """What is below the totals, by line: matches, changes, and the numbers where they were run."""
    names = graphs[0].names(), graphs[1].names()
    noun = "layer corresponds and is" if diff.unchanged == 1 else "layers correspond and are"
    yield f"{diff.unchanged:,} {noun} the same."
    yield from _uncertain(diff, names)
    yield from _changes(diff, names)
    if diff.parity is not None:
        yield from _numbers(diff.parity, names)


def _uncertain(diff: Diff, names: Names) -> Iterator[str]:
    """The matches of low confidence, whose layers may not correspond."""
    if diff.uncertain:
        places = _list([_place((match.a, match.b), names) for match in diff.uncertain])
        count = len(diff.uncertain)
        yield f"{count:,} matched with a confidence below {UNCERTAIN}: {places}"


def _changes(diff: Diff, names: Names) -> Iterator[str]:
    for number, change in enumerate(diff.changes, start=1):
        yield f"{number:3}. {visible_lines(change.title)}  [{change.consequence}]"
        yield from _places(change, names)


def _places(change: Change, names: Names) -> Iterator[str]:
    places = [_place(pair, names) for pair in change.pairs if any(pair)]
    if places:
        yield f"     {_list(places)}"


def _list(items: Sequence[str]) -> str:
    """The first of some items, and how many more there are: `a, b, c and 4 more`."""
    more = f" and {len(items) - PLACES:,} more" if len(items) > PLACES else ""
    return f"{visible_lines(', '.join(items[:PLACES]))}{more}"


def _numbers(parity: Parity, names: Names) -> Iterator[str]:
    if parity.failure is not None:
        if parity.failure.fix:
            yield f"To run the numbers: {visible_lines(parity.failure.fix)}"
        return
    noun = "layer" if parity.compared == 1 else "layers"
    yield f"\nWith the same weights, {parity.compared:,} {noun} compared:"
    for name, direction in zip(_DIRECTIONS, parity.directions, strict=True):
        result = _result(direction)
        error = sentences.error(direction.outputs) if direction.outputs else "not run"
        yield f"     {name}: {result}, {error}"
    reasons = causes(parity)
    for cause in reasons[:LINES]:
        yield f"     {visible_lines(_cause(cause, names))}"
    yield from _rest(len(reasons))
    if not reasons:
        yield "     no layer differs"
    for reason, pairs in comparison.by_reason(parity.uncompared).items():
        more = f" and {len(pairs) - 1:,} more" if len(pairs) > 1 else ""
        text = f"not compared: {_place(pairs[0], names)}{more}: {reason}"
        yield f"     {visible_lines(text)}"
    for name, direction in zip(_DIRECTIONS, parity.directions, strict=True):
        yield from _weights(name, direction.weights)


def _result(direction: Direction) -> str:
    """What a direction shows, in a few words."""
    if direction.verdict == "holds":
        return "the same numbers"
    is_form = direction.returns == "form" and not direction.divergences
    return "the same numbers, returned differently" if is_form else "other numbers"


def _weights(direction: str, weights: Weights) -> Iterator[str]:
    """How the weights of one direction are converted."""
    groups = conversions(weights)
    if groups:
        count = len(weights.converted)
        noun = "weight is" if count == 1 else "weights are"
        yield f"\n{direction}: {count:,} {noun} converted (--weights writes every step)"
    for group in groups[:LINES]:
        more = f"  × {len(group.weights):,}" if len(group.weights) > 1 else ""
        hand = "  (by hand)" if group.turned else ""
        yield f"     {visible_lines(line(group.first))}{more}{hand}"
    yield from _rest(len(groups))
    apart = (
        (weights.unused, "no place for"),
        (weights.unset, "no value for"),
        (weights.invented, "ones or zeros, which the source does not have, in"),
    )
    for names, phrase in apart:
        if names:
            yield f"     {phrase} {_list(names)}"


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


def _rest(count: int) -> Iterator[str]:
    if count > LINES:
        yield f"     and {count - LINES:,} more"
