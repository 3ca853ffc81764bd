"""`modeldocs load`: one port as a table of layers, JSON or ONNX."""

from __future__ import annotations

from pathlib import Path

import click
from rich import box
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from modeldocs import sources, spelling
from modeldocs.catalog import Port
from modeldocs.cli import options, terminal
from modeldocs.graph import Layer, LayerGraph, encode
from modeldocs.loaders.isolated import Loaded
from modeldocs.loaders.isolated import load as load_isolated


@click.command(short_help="Print the layers of one port or file.")
@click.argument("source")
@options.models
@options.framework
@options.arguments
@options.inputs
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
    as_json: bool,
    onnx: Path | None,
) -> None:
    """Load SOURCE and print its layers.

    SOURCE is model/port of the catalog, a file, file.py:callable, package.module:callable, or
    git:REF:path. Where a model.yml lies beside the file, what it says of the port holds.
    """
    with sources.resolve(
        source,
        models,
        framework=framework,
        args=options.parse_args(args),
        inputs=sources.parse_inputs(inputs),
    ) as port:
        graph, loaded = load_port(port)
    if onnx is not None:
        onnx.write_bytes(loaded.onnx)
    if as_json:
        click.echo(encode(graph))
    else:
        show(graph)


def load_port(port: Port) -> tuple[LayerGraph, Loaded]:
    """Load a port in its worker process.

    Raises:
        ModeldocsError: it could not be loaded.
    """
    if port.failure is not None:
        raise port.failure.error()
    loaded = load_isolated(port.framework, port.request, port.limits)
    if loaded.printed.strip():
        click.echo(terminal.safe(loaded.printed.rstrip()), err=True)
    if loaded.failure is not None:
        raise loaded.failure.error()
    assert loaded.graph is not None
    return loaded.graph, loaded


def show(graph: LayerGraph) -> None:
    """Print a graph's layers as a table, and its sums and notes below."""
    console = Console(width=None if Console().is_terminal else 160)
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for name in ("#", "layer", "what", "output", "pads", "padding", "attributes"):
        table.add_column(name, justify="right" if name == "#" else "left")
    for name in ("parameters", "MACs"):
        table.add_column(name, justify="right")
    for index, layer in enumerate(graph.layers, start=1):
        table.add_row(str(index), *(escape(terminal.safe(cell)) for cell in cells(layer)))
    console.print(table)
    inputs = ", ".join(f"{i.name} {spelling.shape(i.type)}" for i in graph.inputs)
    said = (
        f"{graph.name}: {len(graph.layers)} layers, input {inputs}; "
        f"{spelling.exact(graph.parameter_count())} parameters, "
        f"{spelling.exact(graph.parameter_count(trainable=False))} running statistics, "
        f"{spelling.exact(graph.macs())} MACs"
    )
    for line in (said, *graph.notes):
        console.print(terminal.safe(line), markup=False, highlight=False)


def cells(layer: Layer) -> list[str]:
    """A layer's row of the table, but its number."""
    shown = {"kernel_shape", "strides", "pads", "group", "dilations"}
    others = {
        k: v
        for k, v in layer.attributes.items()
        if k not in shown or (k == "dilations" and any(step != 1 for step in spelling.steps(v)))
    }
    return [
        layer.name,
        spelling.headline(layer),
        spelling.shape(layer.outputs[0] if layer.outputs else None),
        spelling.pads(layer.attributes.get("pads")),
        layer.padding or "",
        ", ".join(f"{key} {spelling.setting(value)}" for key, value in others.items()),
        spelling.exact(layer.parameter_count) if layer.parameters else "",
        spelling.exact(layer.macs) if layer.macs else ("unknown" if layer.macs is None else ""),
    ]
