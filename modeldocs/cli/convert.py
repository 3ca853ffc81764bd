"""`modeldocs convert`: a checkpoint of one port as that of another."""

from __future__ import annotations

import sys
from contextlib import ExitStack
from pathlib import Path

import click

from modeldocs import formatting
from modeldocs.checkpoints import formats
from modeldocs.checkpoints.check import CheckedConversion
from modeldocs.checkpoints.conversion import MisfitError
from modeldocs.cli import options, terminal
from modeldocs.cli.load import load_ports
from modeldocs.errors import ModeldocsError
from modeldocs.site import configured_store
from modeldocs.site.progress import shown_progress
from modeldocs.tasks.checkpoints import CheckpointPair, ConvertedCheckpoint, LoadedSource
from modeldocs.tasks.ports import Ports

_SHOWN = 200
"""Tensors that do not fit which are printed at most."""


@click.command(short_help="Write a checkpoint of one port as that of another.")
@click.argument("a")
@click.argument("b")
@click.option(
    "--from",
    "file",
    required=True,
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
    help="The checkpoint of A: .pth, .pt, .safetensors, .weights.h5, .h5, .keras, .npz, .params, "
    ".caffemodel or .onnx.",
)
@click.option(
    "--to",
    required=True,
    type=click.Path(path_type=Path, dir_okay=False),
    help="The checkpoint of B to write: .safetensors, .weights.h5, .npz or .params.",
)
@click.option(
    "--check", is_flag=True, help="Run both frameworks, each with its file, and compare outputs."
)
@click.option(
    "--inputs",
    "arrays",
    multiple=True,
    metavar="FILE.npy",
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
    help="An input of A to check with, in A's order; can be given several times. Without one, "
    "inputs are designed.",
)
@options.models
@options.framework
@options.inputs
@options.store
def convert(
    a: str,
    b: str,
    file: Path,
    to: Path,
    check: bool,
    arrays: tuple[Path, ...],
    models: Path,
    framework: str | None,
    inputs: tuple[str, ...],
    store: str | None,
) -> None:
    """Write the checkpoint of B that computes what A does with the one given.

    A and B are what `modeldocs load` accepts. Weights go by the map that `modeldocs diff A B
    --weights` writes, after running both has shown that they are the same function by it. With
    --check nothing is written where the frameworks' outputs differ, and the exit code is 1; it is 2
    where the checkpoint does not fit A, or the two are not the same function.
    """
    _check_target(to)
    with configured_store.opened_store(store, models) as opened, ExitStack() as resolved:
        ports = {
            name: resolved.enter_context(options.resolve(name, models, framework, None, inputs))
            for name in (a, b)
        }
        loads = load_ports(opened, ports)
        sources = [LoadedSource(name, ports[name], loads[name]) for name in (a, b)]
        with shown_progress() as progress:
            pair = CheckpointPair(Ports(opened, progress), *sources)
            try:
                made = pair.convert(file, to, checked=check or bool(arrays), inputs=arrays)
            except MisfitError as error:
                show_misfits(error)
                raise
    _show(made, file, to)
    if not made.holds:
        sys.exit(1)


def _check_target(to: Path) -> None:
    """Check that a checkpoint can be written there.

    Raises:
        ModeldocsError: its ending is none that is written, its folder is not there, or it is.
    """
    if formats.ending(to, formats.WRITTEN) is None:
        raise ModeldocsError(
            "is no file of weights that is written here",
            file=to,
            fix=f"give it one of the endings {', '.join(formats.WRITTEN)}",
        )
    if not to.parent.is_dir():
        raise ModeldocsError("its folder does not exist", file=to, fix="create the folder first")
    if to.exists():
        raise ModeldocsError("exists", file=to, fix="choose another name, or move the file away")


def show_misfits(error: MisfitError) -> None:
    """Print which tensors of a checkpoint do not fit its network."""
    for one in error.misfits[:_SHOWN]:
        click.echo(terminal.safe(one.text), err=True)
    more = len(error.misfits) - _SHOWN
    if more > 0:
        click.echo(f"and {more} more", err=True)


def _show(made: ConvertedCheckpoint, file: Path, to: Path) -> None:
    for line in made.remarks:
        click.echo(terminal.safe(f"note: {line}"), err=True)
    if made.checked is not None:
        _show_check(made.checked)
    if not made.holds:
        click.echo(terminal.safe(f"{to} is not written"), err=True)
        return
    own = ""
    if made.own:
        shown = ", ".join(made.own[:3]) + (" …" if len(made.own) > 3 else "")
        own = f", {len(made.own)} of them B's own: {shown}"
    click.echo(terminal.safe(f"{to}: {made.tensors} tensors of {file}{own}"))


def _show_check(checked: CheckedConversion) -> None:
    found = checked.departure
    error = found.outputs.relative
    told = f"largest relative difference {error:.1e}" if error is not None else "cannot be compared"
    click.echo(terminal.safe(f"outputs of {checked.a} and {checked.b}: {told}"))
    if found.first is not None and found.error is not None:
        ours, theirs = found.first
        apart = formatting.error(found.error.relative)
        click.echo(
            terminal.safe(f"first to depart: {ours} in A, {theirs} in B ({apart})"), err=True
        )
    elif not found.holds:
        click.echo(
            "no layer departs in onnxruntime: see modeldocs verify A, and verify B", err=True
        )
