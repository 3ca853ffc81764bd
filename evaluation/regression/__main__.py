"""Measure the verdict on two runs, print the rates and write them into the guide."""

from __future__ import annotations

import argparse

from rich.console import Console
from rich.markdown import Markdown

from . import page, rates, repeated
from .repeated import Repeated
from .verdicts import TESTS

BESIDE = ("AR(1)", "process offsets", "bursts", "matrix products, 3 processes")
"""Sources on which other tests are measured, too."""


def main() -> None:
    """Measure all sources."""
    asked = _arguments()
    console = Console()
    with console.status("recording runs on this machine, which takes minutes the first time"):
        sources = list(repeated.every(asked.pairs))
    with console.status("comparing runs"):
        found = [rates.rates(one) for one in sources]
        tests = [rates.compared(test, _beside(sources)) for test in TESTS]
    console.print(Markdown("\n".join(page.lines(found, tests))))
    if not asked.no_page:
        page.write(found, tests)
        console.print(f"written: {page.PAGE.name}")


def _beside(sources: list[Repeated]) -> list[Repeated]:
    return [one for one in sources if one.name in BESIDE]


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="bench-regression", description=__doc__)
    parser.add_argument("--pairs", type=int, default=300, help="pairs of equal runs of a source")
    parser.add_argument("--no-page", action="store_true", help="leave the guide's page as it is")
    return parser.parse_args()


if __name__ == "__main__":
    main()
