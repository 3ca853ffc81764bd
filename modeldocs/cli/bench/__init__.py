"""`modeldocs bench`: measure ports, import figures, and list and compare the records."""

from __future__ import annotations

import click

from modeldocs.cli.bench.compare import compare
from modeldocs.cli.bench.ddp import ddp
from modeldocs.cli.bench.importing import import_
from modeldocs.cli.bench.listing import listing
from modeldocs.cli.bench.run import run


@click.group()
def bench() -> None:
    """Measure ports, import figures, compare records."""


for _command in (run, ddp, import_, listing, compare):
    bench.add_command(_command)
