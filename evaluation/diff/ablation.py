"""What each pass and score of the search is worth: `make bench-diff.ablation` switches it off."""

from __future__ import annotations

import argparse

from rich.console import Console
from rich.table import Table

from evaluation import guide

from .material import Benches
from .page import PAGE
from .switches import PASSES, constants

_HEADS = (
    "without",
    "F1 of planted graphs",
    "edits missed",
    "changes made up",
    "published: right",
    "wrong",
    "lines",
    "diffs of the catalog that change",
)


def main() -> None:
    """Measure the diff whole, then without each thing that can be switched off."""
    asked = _arguments()
    console = Console(width=200)
    benches = Benches(range(asked.first, asked.first + asked.seeds))
    today = benches.measure()
    rows = [("nothing", *today.cells(today))]
    console.print(*rows[0], sep=" | ")
    for switch in constants() if asked.constants else PASSES:
        if asked.only.lower() in switch.name.lower():
            rows.append((switch.name, *benches.measure(switch).cells(today)))
            console.print(*rows[-1], sep=" | ")
    table = Table(*_HEADS, title="The search, with one thing switched off")
    for row in rows:
        table.add_row(*row)
    console.print(table)
    if not asked.only and not asked.constants:
        lines = ["", guide.circumstances("bench-diff.ablation"), "", *guide.table(_HEADS, rows)]
        guide.write(PAGE, "bench-diff.ablation", lines)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="bench-diff.ablation", description=__doc__)
    parser.add_argument("--first", type=int, default=1_000, help="first seed of the planted edits")
    parser.add_argument("--seeds", type=int, default=6, help="graphs planted a number of edits")
    parser.add_argument("--constants", action="store_true", help="half and twice each constant")
    parser.add_argument("--only", default="", metavar="NAME", help="switches whose name has this")
    return parser.parse_args()


if __name__ == "__main__":
    main()
