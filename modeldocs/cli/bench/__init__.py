"""`modeldocs bench`: measure ports, import figures, and list and compare the records."""

from __future__ import annotations

import click

from modeldocs.cli.lazy import LazyGroup

_PLACES = {
    "run": "modeldocs.cli.bench.run:run",
    "ddp": "modeldocs.cli.bench.ddp:ddp",
    "import": "modeldocs.cli.bench.importing:import_",
    "list": "modeldocs.cli.bench.listing:listing",
    "compare": "modeldocs.cli.bench.compare:compare",
}


@click.group(cls=LazyGroup, places=_PLACES)
def bench() -> None:
    """Measure ports, import figures, compare records."""
