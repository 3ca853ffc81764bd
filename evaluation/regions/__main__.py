"""What was decided by structure, by number and by undoing: `make bench-regions`.

The pairs are those of `make bench-bugs`: ports in two styles, with a bug in one of them or none.
"""

from __future__ import annotations

import argparse
import sys
import time
from dataclasses import dataclass

import onnx
import onnx_ir as ir
from rich.console import Console
from rich.table import Table

from modeldocs import diff, verdict
from modeldocs.diff import Diff, Parity
from modeldocs.loaders.loading import LoadedPort
from modeldocs.numeric.parity.programs import programs
from modeldocs.numeric.parity.run import compare_networks

from ..bugs import families as planted
from ..bugs import ports

_WIDTH = 170
_HEADINGS = (
    "pair",
    "lines by structure",
    "idle by number",
    "regions that differ",
    "told by a line",
    "by undoing",
    "by no line",
    "verdict",
    "seconds",
)


@dataclass(frozen=True, slots=True)
class Decided:
    """Counts of one pair: lines graver than spelling, and regions that differ."""

    lines: int
    idle: int
    regions: int
    told: int
    undone: int
    unexplained: int
    step: str
    seconds: float

    @property
    def counts(self) -> tuple[int, ...]:
        """The counts, in the order of the table."""
        return (self.lines, self.idle, self.regions, self.told, self.undone, self.unexplained)


def main() -> None:
    """Load every port, decide every pair, and print the table."""
    parser = argparse.ArgumentParser(prog="bench-regions", description=__doc__)
    parser.add_argument("--only", help="families, `residual,unet`")
    asked = parser.parse_args()
    held = planted.read(asked.only)
    console = Console() if sys.stdout.isatty() else Console(width=_WIDTH)
    with console.status("loading"):
        loaded = ports.load(held)
    rows = {
        f"{name}: {case.bug or 'no bug'}": decided(
            loaded[name, ports.RIGHT], loaded[name, case.bug]
        )
        for name, family in held.items()
        for case in family.cases
    }
    console.print(_table(rows))


def decided(right: LoadedPort, port: LoadedPort) -> Decided:
    """What is decided of a port and the one that is right."""
    assert right.graph is not None and port.graph is not None
    structure = diff.compare(right.graph, port.graph)
    started = time.monotonic()
    parity = _parity(right, port, structure)
    seconds = time.monotonic() - started
    settled = diff.settle(structure, parity)
    added = sum(change.kind == "region" for change in settled.changes)
    lines = [_grave(one) for one in (structure, settled)]
    undone = sum(bool(one.settings) for one in parity.divergences)
    told = (
        sum(one.change is not None for one in settled.parity.divergences) if settled.parity else 0
    )
    return Decided(
        lines[0],
        max(lines[0] - (lines[1] - added), 0),
        len(parity.divergences),
        told - added,
        undone,
        added,
        verdict.step(settled, (right.graph, port.graph)).id,
        seconds,
    )


def _parity(right: LoadedPort, port: LoadedPort, structure: Diff) -> Parity:
    models = [ir.from_proto(onnx.ModelProto.FromString(one.normal)) for one in (right, port)]
    return compare_networks(*programs(models[0], models[1]), structure)


def _grave(found: Diff) -> int:
    return sum(change.consequence != "spelling" for change in found.changes)


def _table(rows: dict[str, Decided]) -> Table:
    table = Table(title="Decided by structure, by number, by undoing")
    for heading in _HEADINGS:
        table.add_column(heading)
    for name, one in rows.items():
        table.add_row(name, *map(str, one.counts), one.step, f"{one.seconds:.2f}")
    totals = [sum(counts) for counts in zip(*(one.counts for one in rows.values()), strict=True)]
    seconds = sorted(one.seconds for one in rows.values())
    table.add_section()
    table.add_row(
        f"{len(rows)} pairs", *map(str, totals), "", f"median {seconds[len(seconds) // 2]:.2f}"
    )
    return table


if __name__ == "__main__":
    main()
