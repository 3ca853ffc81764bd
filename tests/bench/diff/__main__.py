"""Measure the diff, print the table and write it into the guide: `make bench-diff`."""

from __future__ import annotations

import argparse

from rich.console import Console
from rich.table import Table

from . import known, localisation, page, pairs, planting, scaling
from .figures import Measured
from .subjects import PLANTED, REPOSITORY, Subjects

MARKS = {True: "yes", False: "NO", None: "not measured"}


def main() -> None:
    """Run every part, in order of what the reader asks first."""
    asked = _arguments()
    console, subjects = Console(), Subjects()
    graphs = {name: found.graph for name in PLANTED if (found := subjects.loaded.get(name))}
    with console.status("planting edits"):
        planted = planting.run({name: g for name, g in graphs.items() if g}, asked.seeds)
    with console.status("known pairs"):
        answers, compared = known.run(subjects), pairs.run(subjects)
    with console.status("large graphs"):
        curve = scaling.run(tuple(size for size in scaling.SIZES if size <= asked.layers))
    with console.status("parity"):
        located = localisation.run(subjects, asked.faults, asked.selves)
    measured = Measured(planted, answers, compared, curve, located)
    console.print(_table(measured))
    if not asked.no_page:
        page.write(measured)
        console.print(f"written: {page.PAGE.relative_to(REPOSITORY)}")


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="bench-diff", description=__doc__)
    parser.add_argument("--seeds", type=int, default=20, help="graphs planted a number of edits")
    parser.add_argument("--layers", type=int, default=50_000, help="largest graph of the curve")
    parser.add_argument("--faults", type=int, default=2, help="of each kind, in each port")
    parser.add_argument("--selves", type=int, default=200, help="self-pairs that parity runs")
    parser.add_argument("--no-page", action="store_true", help="leave the guide's page as it is")
    return parser.parse_args()


def _table(measured: Measured) -> Table:
    table = Table(title="The diff, measured", caption=page.circumstances(), show_lines=False)
    for heading in ("figure", "at least", "reached", "met"):
        table.add_column(heading, overflow="fold")
    for row in measured.figures():
        style = "red" if row.met is False else None
        table.add_row(row.name, row.target, row.reached, MARKS[row.met], style=style)
    return table


if __name__ == "__main__":
    main()
