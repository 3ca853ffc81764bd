"""`modeldocs diff --weights-a F --weights-b G`: two trained checkpoints compared."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path

import click
from rich.table import Table

from modeldocs import formatting
from modeldocs.checkpoints.comparing import TensorDifference
from modeldocs.checkpoints.conversion import MisfitError
from modeldocs.checkpoints.file_difference import CheckpointDiff
from modeldocs.cli import options, terminal
from modeldocs.cli.convert import show_misfits
from modeldocs.cli.load import load_ports
from modeldocs.errors import ModeldocsError
from modeldocs.site.progress import shown_progress
from modeldocs.tasks.checkpoints import CheckpointPair, LoadedSource
from modeldocs.tasks.ports import Ports
from modeldocs.tasks.store import Store

_SHOWN = 200
"""Tensors that differ which are printed at most."""


def compared(
    store: Store,
    sources: tuple[str, str],
    files: tuple[Path | None, Path | None],
    models: Path,
    framework: str | None,
    inputs: tuple[str, ...],
) -> CheckpointDiff:
    """What differs of a checkpoint of each source.

    Raises:
        ModeldocsError: only one is given, one does not fit its network, or the two networks are not
            the same function.
    """
    a, b = files
    if a is None or b is None:
        raise ModeldocsError(
            "two checkpoints are compared", fix="give both --weights-a FILE and --weights-b FILE"
        )
    with ExitStack() as resolved, shown_progress() as progress:
        ports = {
            name: resolved.enter_context(options.resolve(name, models, framework, None, inputs))
            for name in sources
        }
        loads = load_ports(store, ports)
        loaded = (LoadedSource(name, ports[name], loads[name]) for name in sources)
        try:
            return CheckpointPair(Ports(store, progress), *loaded).compare(a, b)
        except MisfitError as error:
            show_misfits(error)
            raise


def show(diff: CheckpointDiff) -> None:
    """Print a comparison: a line that counts, and each tensor that differs."""
    for line in diff.remarks:
        click.echo(terminal.safe(f"note: {line}"), err=True)
    if not diff.differences:
        click.secho(f"the same weights: {_tensors(diff.compared)} compared", fg="green", bold=True)
    else:
        told = f"{_tensors(len(diff.differences))} of {diff.compared:,} differ"
        click.secho(told, fg="red", bold=True)
    for dtype, count in sorted(diff.types.items()):
        click.echo(f"{count:,} of them the same up to the rounding of {dtype}")
    if diff.differences:
        _show_table(diff.differences)
    if diff.uncompared:
        shown = ", ".join(diff.uncompared[:3]) + (" …" if len(diff.uncompared) > 3 else "")
        click.echo(terminal.safe(f"not compared, of B alone: {shown}"))


def _tensors(count: int) -> str:
    return f"{count:,} tensor{'' if count == 1 else 's'}"


def _show_table(differences: tuple[TensorDifference, ...]) -> None:
    """Tensors of which it can be told what they have become come first."""
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("tensor of B", overflow="fold")
    table.add_column("shape", no_wrap=True)
    for heading in ("elements", "max |a − b|", "relative"):
        table.add_column(heading, justify="right", no_wrap=True)
    table.add_column("what", overflow="fold")
    ordered = sorted(differences, key=lambda one: one.kind == "values")
    for one in ordered[:_SHOWN]:
        shape = formatting.dims(one.shape)
        cells = (one.name, shape, f"{one.differing:,}", _error(one.absolute), _error(one.relative))
        table.add_row(*(terminal.safe(cell) for cell in (*cells, one.text)))
    terminal.console().print(table, markup=False)
    if len(ordered) > _SHOWN:
        click.echo(f"and {len(ordered) - _SHOWN:,} more: --json has them all")


def _error(number: float | None) -> str:
    return "" if number is None else f"{number:.2g}"
