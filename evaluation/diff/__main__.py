"""Measure the diff, print the table and write it into the guide: `make bench-diff`."""

from __future__ import annotations

import argparse

from rich.console import Console
from rich.table import Table

from . import known, localisation, page, pairs, planting, scaling
from .figures import Measured
from .planting import Planted
from .subjects import PLANTED, REPOSITORY, Subjects
from .subjects import planted as ports

MARKS = {True: "yes", False: "NO", None: "not measured"}


def main() -> None:
    """Run every part, in order of what the reader asks first."""
    asked = _arguments()
    console = Console()
    with console.status("planting edits"):
        names = tuple(asked.graphs.split(",")) if asked.graphs else PLANTED
        counts = tuple(map(int, asked.edits.split(","))) if asked.edits else planting.EDITS
        planted = planting.run(ports(names), range(asked.seeds), counts)
    if asked.show:
        _show(console, planted, asked.show)
    if asked.graphs or asked.edits:
        return  # of planted edits alone
    subjects = Subjects()
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
    parser.add_argument("--graphs", help="plant in these alone, `model/port,…`, and no more")
    parser.add_argument("--edits", help="plant these numbers alone, `5,20`, and no more")
    parser.add_argument("--show", type=int, default=0, help="lines of what was told wrong")
    parser.add_argument("--layers", type=int, default=50_000, help="largest graph of the curve")
    parser.add_argument("--faults", type=int, default=2, help="of each kind, in each port")
    parser.add_argument("--selves", type=int, default=200, help="self-pairs that parity runs")
    parser.add_argument("--no-page", action="store_true", help="leave the guide's page as it is")
    return parser.parse_args()


def _show(console: Console, planted: Planted, lines: int) -> None:
    """Print what was missed and made up: the worst graphs first, so many lines of each."""
    for told, tallies in (("as loaded", planted.plain), ("respelt", planted.respelt)):
        for (name, k), tally in sorted(tallies.items(), key=lambda held: held[1].mean):
            score, lists = tally.score, tally.listed()
            console.print(
                f"{name}, {told}, {k} edits: F1 {tally.mean:.4f} (list {lists:.3f}), "
                f"recall {score.recall:.3f}, precision {score.precision:.3f}",
                style=None if score.wrong or tally.cases else "green",
                highlight=False,
                soft_wrap=True,
            )
            for line in tally.cases[:lines]:
                console.print("    " + line, highlight=False, markup=False, soft_wrap=True)


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
