"""The catalog's ports as programs of a target: which are generated and proven, and how long.

Programs that the store holds are not made again.
"""

from __future__ import annotations

import argparse
import statistics
from pathlib import Path
from typing import Final, NamedTuple

from rich.console import Console
from rich.table import Table

from evaluation import guide
from modeldocs import catalog, formatting, generators
from modeldocs.catalog import Model, Port
from modeldocs.errors import ModeldocsError
from modeldocs.generators import Target
from modeldocs.tasks.names import port_name
from modeldocs.tasks.ports import Ports
from modeldocs.tasks.programs import GeneratedProgram
from modeldocs.tasks.store import Store

REPOSITORY: Final = Path(__file__).resolve().parents[1]
PAGE: Final = guide.GUIDE / "generate.md"
_HEADS: Final = ("port", "lines", "by hand", "written differently", "error", "seconds", "proven")


class Row(NamedTuple):
    """A port: the lines of its program, and of the model's own port in the target's framework."""

    port: str
    lines: int | None
    by_hand: int | None
    spellings: int | None
    error: float | None
    seconds: float | None
    reason: str | None
    """Why there is no proven program; None where there is one."""

    @property
    def cells(self) -> tuple[str, ...]:
        """The cells of a table."""
        counts = (self.lines, self.by_hand, self.spellings)
        return (
            self.port,
            *("" if count is None else str(count) for count in counts),
            "" if self.error is None else formatting.error(self.error),
            "" if self.seconds is None else f"{self.seconds:.0f}",
            "✓" if self.reason is None else self.reason,
        )


def main() -> None:
    """Generate and prove a program of each port, and print a row for each."""
    asked = _arguments()
    target = generators.target(asked.to)
    store = Store(REPOSITORY / ".modeldocs")
    console, table = Console(width=200, highlight=False), Table(*_HEADS)
    rows = []
    for model in catalog.read(REPOSITORY / "models").models:
        for port in model.ports:
            if asked.only in port_name(model, port):
                rows.append(_row(model, port, target, store))
                console.print(*rows[-1].cells, sep=" | ")
    for row in rows:
        table.add_row(*row.cells)
    console.print(table)
    console.print(summary(rows))
    if not asked.only:
        command = f"bench-generate TO={target.name}"
        told = [guide.circumstances(command), "", summary(rows), ""]
        lines = guide.table(_HEADS, (row.cells for row in rows))
        guide.write(PAGE, command, ["", *told, *lines])


def summary(rows: list[Row]) -> str:
    """How many programs are proven, and how long they are beside those written by hand."""
    proven = [row for row in rows if row.reason is None]
    ratios = [row.lines / row.by_hand for row in proven if row.lines and row.by_hand]
    text = f"{len(proven)} of {len(rows)} ports have a proven program"
    if ratios:
        text += f"; the median of lines is {statistics.median(ratios):.2f} of those by hand"
    return f"{text}."


def _row(model: Model, port: Port, target: Target, store: Store) -> Row:
    name = port_name(model, port)
    made, reason = None, None
    try:
        ports = Ports(store)
        loaded = ports.load({name: port})[name]
        if loaded.failure is not None:
            raise loaded.failure.error()
        made = ports.program(name, port, loaded, target.name)
        reason = made.proof.reason if made.proof is not None else "not run"
    except ModeldocsError as error:
        reason = error.reason
    return _measured(name, made, reason, _by_hand(model, port, target))


def _measured(
    name: str, made: GeneratedProgram | None, reason: str | None, hand: int | None
) -> Row:
    proof = made.proof if made is not None else None
    both = proof.frameworks if proof is not None else None
    outputs = both.outputs if both is not None else None
    return Row(
        port=name,
        lines=len(made.code.splitlines()) if made is not None else None,
        by_hand=hand,
        spellings=len(proof.diff.changes) if proof is not None and proof.diff else None,
        error=outputs.relative if outputs is not None else None,
        seconds=proof.seconds if proof is not None else None,
        reason=reason,
    )


def _by_hand(model: Model, port: Port, target: Target) -> int | None:
    """The lines of the port itself, where it is a file of the target's framework; else those of the
    model's only such port.
    """
    files = [one.source for one in model.ports if one.framework == target.framework and one.source]
    own = port.source if port.framework == target.framework else None
    file = own or (files[0] if len(files) == 1 else None)
    return len(file.read_text("utf-8").splitlines()) if file is not None else None


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="bench-generate", description=__doc__)
    parser.add_argument("--to", default="pytorch", choices=generators.targets(), help="the target")
    parser.add_argument("--only", default="", metavar="NAME", help="ports whose name has this")
    return parser.parse_args()


if __name__ == "__main__":
    main()
