"""`modeldocs bench`: measure ports, and list and compare the records."""

from __future__ import annotations

import click

from modeldocs.cli.bench.compare import compare
from modeldocs.cli.bench.listing import listing
from modeldocs.cli.bench.run import run


@click.group()
def bench() -> None:
    """Measure the speed of ports, and compare recorded runs."""


for _command in (run, listing, compare):
    bench.add_command(_command)
