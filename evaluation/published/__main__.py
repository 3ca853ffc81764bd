"""Hold what modeldocs says of published networks against the truth: `make bench-published`."""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

from rich.console import Console

from .. import guide
from . import judging, report, sets, truth
from .pairs import Published
from .truth import Truth

_WIDTH = 180
PAGE = guide.GUIDE / "other-networks.md"


def main() -> None:
    """Compare every pair of a set, or measure its truth anew."""
    asked = _arguments()
    console = Console() if sys.stdout.isatty() else Console(width=_WIDTH)
    wanted = asked.only.lower()
    pairs = [pair for pair in sets.chosen(asked.set) if wanted in pair.name.lower()]
    with tempfile.TemporaryDirectory(prefix="modeldocs-") as folder:
        if asked.truth:
            _measure(pairs, Path(folder), console)
            return
        rows: list[report.Row] = []
        for number, pair in enumerate(pairs):
            with console.status(pair.name):
                place = Path(folder, str(number))
                rows.append((pair, judging.answer(pair, place, maps=asked.maps)))
            if asked.lines is not None:
                report.write_lines(rows, asked.lines)
    known = judging.judged()
    console.print(report.table(rows, known))
    for line in report.summary(rows, known):
        console.print(line)
    if asked.page:
        target = f"bench-published SET={asked.set}"
        told = guide.circumstances(target, "torch", "onnxruntime")
        guide.write(PAGE, target, ["", told, "", *report.page_lines(rows, known), ""])


def _measure(pairs: list[Published], folder: Path, console: Console) -> None:
    """Measure the truth of pairs, and keep it beside what was measured of the others."""
    found = truth.read()
    with console.status("running"):
        for one in truth.measured(pairs, folder):
            console.print(f"{one.pair}: {one.kind}, {_told(one)}")
            if one.holds:
                found[one.pair] = one
    truth.write([found[pair.name] for pair in sets.chosen("all") if pair.name in found])


def _told(one: Truth) -> str:
    if one.failure:
        return f"not measured: {one.failure}"
    return f"error {one.error:.1e}, {'as said' if one.holds else 'NOT AS SAID'}"


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="bench-published", description=__doc__)
    parser.add_argument("--set", default="1", choices=(*sets.SETS, "all"))
    parser.add_argument("--only", default="", metavar="NAME", help="pairs whose name has this")
    parser.add_argument("--lines", type=Path, metavar="FILE", help="write all lines of the diffs")
    parser.add_argument(
        "--no-maps", dest="maps", action="store_false", help="leave out maps, which take most time"
    )
    parser.add_argument("--page", action="store_true", help="write the figures into the guide")
    parser.add_argument("--truth", action="store_true", help="measure the truth instead")
    return parser.parse_args()


if __name__ == "__main__":
    main()
