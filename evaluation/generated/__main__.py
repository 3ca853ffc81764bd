"""`make bench-generated`: graphs of every standard operator and version, and one change in each.

First each case as declared is held against its normal form in onnxruntime. Then each network is
compared with itself, renamed and reordered, and with mutants whose numbers differ in onnxruntime.
"""

from __future__ import annotations

import argparse
import functools
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from rich.console import Console
from rich.table import Table

from .. import guide
from . import cases, judging, survival, sweep
from .judging import CONTROLS, Judged
from .mutants import ROLES

PAGE = guide.GUIDE / "other-networks.md"


def main() -> None:
    """Print the tables; write what is wrong with `--lines`."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", help="one operator")
    parser.add_argument("--most", type=int, default=4, help="mutants of a case")
    parser.add_argument("--seed", type=int, default=0, help="which mutants are drawn")
    parser.add_argument("--limit", type=int, help="cases")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--lines", type=Path, help="file for what is wrong")
    given = parser.parse_args()
    started = time.monotonic()
    found = [one for one in cases.all_cases() if given.only in (None, one.node.op_type)]
    found = found[:: max(len(found) // given.limit, 1)] if given.limit else found
    worked = survival.mapped(
        functools.partial(_work, most=given.most, seed=given.seed), found, given.jobs
    )
    swept = Counter(tried[1] for tried, _ in worked)
    lines = ["\t".join(("sweep", *tried)) for tried, _ in worked if tried[1] in sweep.WRONG]
    pairs = [pair for _, judged in worked for pair in judged]
    console = Console(width=120)
    console.print(f"{len(found):,} cases in normal form, in onnxruntime: {dict(swept)}")
    console.print(_table(pairs))
    seconds = time.monotonic() - started
    console.print(f"{len(pairs):,} pairs of graphs in {seconds:,.0f} s")
    if not given.only and not given.limit:
        told = guide.circumstances("bench-generated", "onnx", "onnxruntime")
        guide.write(PAGE, "bench-generated", ["", told, "", *_rows_of_page(pairs), ""])
    if given.lines:
        lines += ["\t".join(map(str, one)) for one in pairs if one.wrong or one.error]
        given.lines.write_text("\n".join(lines) + "\n")


def _work(case: cases.Case, most: int, seed: int) -> tuple[tuple[str, str, str], list[Judged]]:
    return (case.name, *sweep.tried(case)), list(judging.judged(case, most, seed))


HEADINGS = ("change", "pairs", "said to be the same", "said to be other", "crashed", "operators")


def _rows_of_page(pairs: list[Judged]) -> Iterator[str]:
    yield from guide.table(HEADINGS, _rows(pairs))


def _table(pairs: list[Judged]) -> Table:
    table = Table(*HEADINGS)
    for row in _rows(pairs):
        table.add_row(*row)
    return table


def _rows(pairs: list[Judged]) -> Iterator[tuple[str, ...]]:
    for kind in (*CONTROLS, "attribute", "constant", "edge", "weight shape", "operator", ROLES):
        own = [pair for pair in pairs if pair.kind == kind]
        wrong = [pair for pair in own if pair.wrong]
        worst = Counter(pair.operator for pair in wrong).most_common(8)
        is_control = kind in CONTROLS
        yield (
            kind,
            f"{len(own):,}",
            "" if is_control else f"{len(wrong):,}",
            f"{len(wrong):,}" if is_control else "",
            f"{sum(bool(pair.error) for pair in own):,}",
            ", ".join(f"{name} {count}" for name, count in worst),
        )


if __name__ == "__main__":
    main()
