"""Bugs planted in ports of another style, and whether the diff names them: `make bench-bugs`."""

from __future__ import annotations

import argparse
from collections.abc import Iterator

from rich.console import Console
from rich.table import Table

from .. import guide
from . import families, ports
from .judging import Verdict, judge

PAGE = guide.GUIDE / "other-networks.md"
MARKS = {True: "yes", False: "NO"}


def main() -> None:
    """Load every port, judge every case, and print the table with what was told wrong."""
    parser = argparse.ArgumentParser(prog="bench-bugs", description=__doc__)
    parser.add_argument("--only", help="families, `residual,unet`")
    asked = parser.parse_args()
    held = families.read(asked.only)
    console = Console()
    with console.status("loading"):
        loaded = ports.load(held)
    with console.status("comparing"):
        verdicts = [
            judge(name, case, loaded[name, ports.RIGHT], loaded[name, case.bug])
            for name, family in held.items()
            for case in family.cases
        ]
    console.print(_table(verdicts))
    for verdict in verdicts:
        for line in _wrong(verdict):
            console.print(line, highlight=False, markup=False, soft_wrap=True)
    for line in _totals(verdicts):
        console.print(line, highlight=False)
    if not asked.only:
        told = guide.circumstances("bench-bugs", "torch", "onnxruntime")
        lines = (f"- {line}" for line in _totals(verdicts))
        guide.write(PAGE, "bench-bugs", ["", told, "", *lines, "", *_missed(verdicts), ""])


def _missed(verdicts: list[Verdict]) -> Iterator[str]:
    """A table of the bugs that are not told exactly, first and alone."""
    missed = [one for one in verdicts if not one.right]
    rows = (
        (
            one.family,
            one.case.bug or "none",
            "yes" if one.named else "**no**",
            one.first,
            str(len(one.false)),
        )
        for one in missed
    )
    yield from guide.table(("in", "bug", "named first", "first line", "lines beside it"), rows)


def _table(verdicts: list[Verdict]) -> Table:
    table = Table(title="Planted bugs")
    for heading in ("in", "bug", "named first", "false lines", "parity"):
        table.add_column(heading)
    for verdict in verdicts:
        table.add_row(
            verdict.family,
            verdict.case.bug or "none",
            MARKS[verdict.named],
            str(len(verdict.false)),
            MARKS[verdict.located],
            style=None if verdict.right and verdict.located else "red",
        )
    return table


def _wrong(verdict: Verdict) -> Iterator[str]:
    """What was told of a case where it is not what it should be."""
    if verdict.right and verdict.located:
        return
    case = verdict.case
    wanted = f"{case.kind} {case.attribute or case.operator or ''} {case.before} → {case.after}"
    wanted += f", {case.law}" if case.law else ""
    yield f"{verdict.family}, {case.bug or 'no bug'}" + (
        f": expected {wanted}" if case.kind else ""
    )
    if not verdict.named and case.kind:
        yield f"    first: {verdict.first or 'nothing'}"
    for title in verdict.false:
        yield f"    false: {title}"
    if not verdict.located:
        yield f"    parity: {verdict.parity or 'names no layer'}"


def _totals(verdicts: list[Verdict]) -> list[str]:
    bugs = [x for x in verdicts if x.case.kind]
    free = [x for x in verdicts if not x.case.kind]
    return [
        f"named first, exactly: {sum(x.named for x in bugs)} of {len(bugs)} bugs",
        f"and nothing false beside it: {sum(x.right for x in bugs)} of {len(bugs)}",
        f"nothing told of them: {sum(x.silent for x in bugs)} of {len(bugs)}",
        f"and the law of a constant: {sum(x.law for x in bugs)} of "
        f"{sum(bool(x.case.law) for x in bugs)}",
        f"parity names the layer: {sum(bool(x.located) for x in bugs)} of {len(bugs)}",
        f"nothing told of ports without a bug: {sum(x.right for x in free)} of {len(free)}",
        f"parity holds on them: {sum(bool(x.located) for x in free)} of {len(free)}",
    ]


if __name__ == "__main__":
    main()
