"""Hold the diff of published networks against the truth and difflib: `make bench-pairs`."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from subprocess import CalledProcessError

from rich.console import Console

from modeldocs.errors import ModeldocsError

from . import judging, report
from .building import graph_of
from .pairs import Pair
from .report import Row
from .scoring import compare, timed
from .table import DIFFERENT, PAIRS
from .truth import NoTruthError

_WIDTH = 220


def main() -> None:
    """Load what is not kept, compare every pair, print the tables."""
    asked, console = _arguments(), _console()
    wanted = asked.only.lower()
    rows: list[Row] = []
    for pair in (*PAIRS, *DIFFERENT):
        if wanted in pair.name.lower():
            with console.status(pair.name):
                rows.append(_row(pair))
    alike = [row for row in rows if row[0].truth is not None]
    others = [row for row in rows if row[0].truth is None]
    if alike:
        console.print(report.scored(alike))
        console.print(report.judged(alike, judging.judged()))
    if others:
        console.print(report.different(others))
    if asked.lines is not None:
        report.write_lines(rows, asked.lines)
        console.print(f"written: {asked.lines}")


def _console() -> Console:
    """As wide as the terminal; as wide as the tables need where there is none."""
    return Console() if sys.stdout.isatty() else Console(width=_WIDTH)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="bench-pairs", description=__doc__)
    parser.add_argument("--only", default="", metavar="NAME", help="pairs whose name has this")
    parser.add_argument("--lines", type=Path, metavar="FILE", help="write all lines of the diffs")
    return parser.parse_args()


def _row(pair: Pair) -> Row:
    try:
        a, b = graph_of(pair.a), graph_of(pair.b)
        if pair.truth is None:
            return pair, timed(a, b)[0]
        return pair, compare(pair.truth, a, b)
    except (ModeldocsError, NoTruthError, CalledProcessError) as error:
        return pair, f"not compared: {error}"


if __name__ == "__main__":
    main()
