"""`make fuzz`: files broken on purpose, and whether each loads or is refused in one sentence."""

from __future__ import annotations

import argparse
import shlex
import sys
import time
from pathlib import Path

from rich.console import Console
from rich.table import Table

from .parsers import PARSERS
from .trials import MEMORY_MB, SECONDS, Score, Trials

COUNT = 20_000
MINUTES = 60.0


def main() -> None:
    """Print a line for each parser, then what failed and the command that shows it again."""
    asked = _arguments()
    console = Console(width=110)
    names = [name for name in PARSERS if asked.only in (None, name)]
    if asked.number is not None:
        _one(names[0], asked.seed, asked.number, asked.keep)
        return
    scores = []
    for name in names:
        scores.append(_run(name, asked.seed, asked.count, asked.minutes))
        _report(scores[-1], asked.seed)
    console.print(_table(scores))
    console.print(
        f"an input may take {SECONDS:g} s, a process {MEMORY_MB} MiB, "
        f"a parser {asked.minutes:g} minutes"
    )
    sys.exit(any(score.found for score in scores))


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("--count", type=int, default=COUNT, help="inputs a parser")
    parser.add_argument("--seed", type=int, default=1, help="other inputs for each")
    parser.add_argument("--only", choices=PARSERS, metavar="PARSER", help=", ".join(PARSERS))
    parser.add_argument("--minutes", type=float, default=MINUTES, help="most time a parser takes")
    parser.add_argument("--number", type=int, help="one input alone, with its trace")
    parser.add_argument("--keep", type=Path, help="the file that this input is written to")
    asked = parser.parse_args()
    if asked.number is not None and asked.only is None:
        parser.error("--number needs --only")
    return asked


def _run(name: str, seed: int, count: int, minutes: float) -> Score:
    score = Score(name)
    started = time.monotonic()
    with Trials(name) as trials:
        for number in range(count):
            score.add(number, trials.number(seed, number))
            score.seconds = time.monotonic() - started
            if score.seconds > 60 * minutes:
                break
    return score


def _one(name: str, seed: int, number: int, keep: Path | None) -> None:
    with Trials(name) as trials:
        told = trials.number(seed, number, keep)
    for key, value in told.items():
        print(f"{key}: {value}")  # noqa: T201


def _report(score: Score, seed: int) -> None:
    for found in sorted(score.found.values(), key=lambda one: -one.times):
        again = ["python", "-m", "tests.fuzz", "--only", score.parser]
        again += ["--seed", str(seed), "--number", str(found.number)]
        told = f"{score.parser}: {found.times} × {found.key}: {found.said[:120]!r}"
        print(told, shlex.join(again), sep="\n  ")  # noqa: T201
    sys.stdout.flush()


def _table(scores: list[Score]) -> Table:
    table = Table("parser", title="Broken files")
    for column in ("inputs", "loaded", "refused", "crashes", "hangs", "peak MiB", "seconds"):
        table.add_column(column, justify="right")
    for score in scores:
        counts = (score.counts[one] for one in ("loaded", "refused", "crashed", "hung"))
        table.add_row(
            score.parser,
            f"{score.counts.total():,}",
            *(f"{count:,}" for count in counts),
            f"{score.peak:,}",
            f"{score.seconds:,.0f}",
        )
    return table


if __name__ == "__main__":
    main()
