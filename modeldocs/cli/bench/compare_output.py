"""Two records compared, as JSON and on the terminal."""

from __future__ import annotations

from collections.abc import Sequence

import click
from rich import box
from rich.markup import escape
from rich.table import Table

from modeldocs import formatting
from modeldocs.benchmarks import comparability
from modeldocs.benchmarks.comparability import Comparable, Condition
from modeldocs.benchmarks.labels import label
from modeldocs.benchmarks.record import Record
from modeldocs.benchmarks.regression import QuantileChange, RegressionVerdict, judge
from modeldocs.benchmarks.step_breakdown import Explanation, StepPart, explain
from modeldocs.benchmarks.trust import Trust, trust
from modeldocs.cli import terminal
from modeldocs.struct import Struct

ROWS = 12
"""Rows of a table; the others are one row."""

_COLOURS = {"faster": "green", "slower": "red", "no difference found": "cyan"}
_COMPARABLE = {
    "yes": "The records are comparable.",
    "as far as known": "The records are comparable as far as is known.",
    "no": "The records are not comparable.",
}


class RecordSide(Struct, frozen=True):
    """A record of the comparison: its file, its label and its trust grade."""

    file: str
    label: str
    trust: Trust


class ComparedRecords(Struct, frozen=True):
    """Two records compared; `conditions` are those that differ or are unknown."""

    a: RecordSide
    b: RecordSide
    comparable: Comparable
    verdict: RegressionVerdict
    conditions: tuple[Condition, ...]
    explanations: tuple[Explanation, ...]


def compare(records: Sequence[Record], files: Sequence[str]) -> ComparedRecords:
    """The comparison of two records, with the names of their files."""
    a, b = records
    conditions = comparability.differing(a, b)
    first, second = (
        RecordSide(file=file, label=label(record), trust=trust(record))
        for file, record in zip(files, records, strict=True)
    )
    return ComparedRecords(
        a=first,
        b=second,
        comparable=comparability.comparable(conditions),
        verdict=judge(a.step_ms, b.step_ms, comparability.obstacle(conditions)),
        conditions=conditions,
        explanations=explain(a, b),
    )


def show(compared: ComparedRecords) -> None:
    """Print a comparison."""
    verdict = compared.verdict
    click.secho(verdict.answer, fg=_COLOURS.get(verdict.answer, "yellow"), bold=True)
    click.echo(verdict.reason)
    if verdict.tail is not None:
        click.echo(_tail(verdict.tail))
    click.echo(_COMPARABLE[compared.comparable])
    for name, side in (("A", compared.a), ("B", compared.b)):
        click.echo(f"\n{name}  {terminal.safe(side.label)}\n   {terminal.safe(side.file)}")
        click.echo(f"   trust {side.trust.grade}")
        for reason in side.trust.reasons:
            click.echo(f"   {reason.grade}: {terminal.safe(reason.text)}")
    _conditions(compared.conditions)
    for explanation in compared.explanations:
        _explanation(explanation)


def _tail(tail: QuantileChange) -> str:
    return (
        f"90th percentile: {tail.answer}, {tail.ratio:.3f} times A's "
        f"(99 % interval {tail.low:.3f} to {tail.high:.3f})."
    )


def _conditions(conditions: Sequence[Condition]) -> None:
    differing = [one for one in conditions if one.differs or (one.a is None) != (one.b is None)]
    unknown = [one.name for one in conditions if one.a is None and one.b is None]
    if differing:
        table = _table("condition", "A", "B", "", right=())
        for one in differing:
            mark = "not comparable" if one.excludes else ""
            values = (one.name, one.a or "unknown", one.b or "unknown", mark)
            table.add_row(*(escape(terminal.safe(value)) for value in values))
        terminal.console().print(table)
    if unknown:
        click.echo(f"\nUnknown of both: {', '.join(unknown)}.")


def _explanation(explanation: Explanation) -> None:
    table = _table(f"by {explanation.by}", "A", "B", "B − A", "share", right=(1, 2, 3, 4))
    for row in _shortened(explanation.rows):
        _add(table, row, explanation.delta_ns)
    total = StepPart(
        name=explanation.whole,
        a_ns=explanation.a_ns,
        b_ns=explanation.b_ns,
        delta_ns=explanation.delta_ns,
    )
    table.add_section()
    _add(table, total, explanation.delta_ns)
    terminal.console().print(table)


def _table(*headings: str, right: Sequence[int]) -> Table:
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for number, heading in enumerate(headings):
        table.add_column(heading, justify="right" if number in right else "left", overflow="fold")
    return table


def _add(table: Table, row: StepPart, whole_ns: int) -> None:
    share = f"{row.delta_ns / whole_ns:.1%}" if whole_ns else ""
    delta = f"{row.delta_ns / 1e3:+,.3f} µs"
    name = formatting.cut(row.name, 80)
    table.add_row(escape(terminal.safe(name)), _us(row.a_ns), _us(row.b_ns), delta, share)


def _us(ns: int | None) -> str:
    """Microseconds with all digits, so that printed rows add up as well."""
    return "–" if ns is None else f"{ns / 1e3:,.3f} µs"


def _shortened(rows: Sequence[StepPart]) -> list[StepPart]:
    """The first rows, one row for the others, and the last, which is what is not attributed."""
    *parts, rest = rows
    if len(parts) <= ROWS:
        return list(rows)
    others = parts[ROWS:]
    row = StepPart(
        name=f"{len(others):,} others",
        a_ns=sum(one.a_ns or 0 for one in others),
        b_ns=sum(one.b_ns or 0 for one in others),
        delta_ns=sum(one.delta_ns for one in others),
    )
    return [*parts[:ROWS], row, rest]
