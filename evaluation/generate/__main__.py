"""The catalog's ports as programs of a target: which are generated and proven, and how long.

Programs that the store holds are not made again.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Final

from rich.console import Console
from rich.table import Table

from evaluation import guide
from evaluation.generate.row import HEADS, row_of, summary
from modeldocs import catalog, generators
from modeldocs.catalog import Model, Port
from modeldocs.generators import Target
from modeldocs.tasks.names import port_name
from modeldocs.tasks.ports import Ports
from modeldocs.tasks.store import Store

REPOSITORY: Final = Path(__file__).resolve().parents[2]
PAGE: Final = guide.GUIDE / "generate.md"


def main() -> None:
    """Generate and prove a program of each port, and print a row for each."""
    asked = _arguments()
    target = generators.target(asked.to)
    ports = Ports(Store(REPOSITORY / ".modeldocs"))
    console, table = Console(width=200, highlight=False), Table(*HEADS)
    rows = []
    for model in catalog.read(REPOSITORY / "models").models:
        for port in model.ports:
            name = port_name(model, port)
            if asked.only in name:
                rows.append(row_of(ports, name, port, target, _by_hand(model, port, target)))
                console.print(*rows[-1].cells, sep=" | ")
    for row in rows:
        table.add_row(*row.cells)
    console.print(table)
    console.print(summary(rows))
    if not asked.only:
        command = f"bench-generate TO={target.name}"
        told = [guide.circumstances(command), "", summary(rows), ""]
        lines = guide.table(HEADS, (row.cells for row in rows))
        guide.write(PAGE, command, ["", *told, *lines])


def _by_hand(model: Model, port: Port, target: Target) -> int | None:
    """The lines of the port itself, where it is a file of the target's framework; else those of the
    model's only such port. A file of data has none.
    """
    if target.suffix != ".py":
        return None
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
