"""`modeldocs load`: print a port as a table of layers or JSON, or write it as ONNX."""

from __future__ import annotations

from pathlib import Path

import click
from rich import box
from rich.markup import escape
from rich.table import Table

from modeldocs import formatting, ir
from modeldocs.catalog import Port
from modeldocs.cli import options, printing, target, terminal
from modeldocs.ir import Layer, LayerGraph
from modeldocs.site import configured_store
from modeldocs.site.port import layer_columns
from modeldocs.site.progress import shown_progress
from modeldocs.tasks.load import Load
from modeldocs.tasks.ports import Ports
from modeldocs.tasks.store import Store

_ONNX = b"modeldocs"
"""What each ONNX file of ours holds: its producer, or the names of its provenance."""

WIDE = 120
"""Width of a terminal, in characters, from which the table has all its columns."""


@click.command(short_help="Print the layers of one port or file.")
@click.argument("source")
@options.models
@options.framework
@options.arguments
@options.inputs
@options.store
@click.option("--json", "as_json", is_flag=True, help="Print the graph as JSON.")
@click.option(
    "--onnx", type=click.Path(path_type=Path, dir_okay=False), help="Write the graph as ONNX."
)
def load(
    source: str,
    models: Path,
    framework: str | None,
    args: str | None,
    inputs: tuple[str, ...],
    store: str | None,
    as_json: bool,
    onnx: Path | None,
) -> None:
    """Load SOURCE and print its layers.

    SOURCE is model/port of the catalog, a file, file.py:callable, package.module:callable, or
    git:REF:path. Settings of a model.yml beside the file apply. What was loaded is kept in the
    store, and loaded again when the source, a file that it reads, or the software changes.
    """
    target.check(onnx, _ONNX, "graph")
    with configured_store.opened_store(store, models) as opened:
        with options.resolve(source, models, framework, args, inputs) as port:
            loaded = load_ports(opened, {source: port})[source]
        graph = ir.decode(opened.read(str(loaded.graph)))
        if onnx is not None:
            onnx.write_bytes(opened.read(str(loaded.onnx)))
    if as_json:
        printing.echo(ir.document(graph))
    else:
        show(graph)


def load_ports(store: Store, ports: dict[str, Port]) -> dict[str, Load]:
    """Load ports by the names that the user gave them, and print what they print.

    Raises:
        ModeldocsError: one of them could not be loaded.
    """
    terminal.warn(*ports.values())
    with shown_progress() as progress:
        loads = Ports(store, progress).load(ports)
    for loaded in loads.values():
        if loaded.printed.strip():
            click.echo(terminal.safe(loaded.printed.rstrip()), err=True)
        if loaded.failure is not None:
            raise loaded.failure.error()
    return loads


def show(graph: LayerGraph) -> None:
    """Print a graph's layers as a table, its totals and its notes."""
    console = terminal.console()
    is_wide = console.width >= WIDE
    every = [
        (one.terminal, one.is_number) for one in layer_columns.COLUMNS if one.terminal is not None
    ]
    shown = [(cell, number) for cell, number in every if is_wide or cell.setting is None]
    gap = (0, 1) if is_wide else (0, 1, 0, 0)
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, padding=gap)
    table.add_column("#", justify="right", no_wrap=True)
    for cell, number in shown:
        table.add_column(
            cell.heading,
            justify="right" if number else "left",
            no_wrap=number or cell.heading == "output",
            overflow="fold",
        )
    for index, layer in enumerate(graph.layers, start=1):
        texts = {cell.heading: cell.text(layer) for cell, _ in shown}
        if not is_wide and (below := settings(layer)):
            texts[layer_columns.OPERATOR] += f"\n{below}"
        table.add_row(str(index), *(escape(terminal.safe(text)) for text in texts.values()))
    console.print(table)
    inputs = ", ".join(f"{i.name} {formatting.shape(i.type)}" for i in graph.inputs)
    totals = graph.totals()
    summary = (
        f"{graph.name}: {totals.layers} layers, input {inputs}; "
        f"{formatting.exact(totals.parameters)} parameters, "
        f"{formatting.exact(totals.buffers)} running statistics, "
        f"{formatting.exact(totals.macs)} MACs"
    )
    for line in (summary, *graph.notes):
        console.print(terminal.safe(line), markup=False, highlight=False)


def settings(layer: Layer) -> str:
    """What a narrow table has below the operator of a layer."""
    cells = (one.terminal for one in layer_columns.COLUMNS if one.terminal is not None)
    texts = [cell.setting(cell.text(layer)) for cell in cells if cell.setting is not None]
    return ", ".join(text for text in texts if text)
