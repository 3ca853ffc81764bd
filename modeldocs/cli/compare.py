"""`modeldocs diff`: two sources compared."""

from __future__ import annotations

from pathlib import Path

import click

from modeldocs import diff as engine
from modeldocs import sources
from modeldocs.cli import options, terminal
from modeldocs.cli.inspect import load_port
from modeldocs.graph import LayerGraph

PLACES = 3
"""Places that a line names before it only counts the rest."""


@click.command(short_help="Compare two ports or files, layer by layer.")
@click.argument("a")
@click.argument("b")
@options.models
@options.framework
@options.inputs
@click.option("--json", "as_json", is_flag=True, help="Print the diff as JSON.")
def diff(
    a: str, b: str, models: Path, framework: str | None, inputs: tuple[str, ...], as_json: bool
) -> None:
    """Compare the sources A and B: which layers correspond, and what differs.

    A and B are what `modeldocs load` takes. Differences are information: the exit code is 0
    whatever they are.
    """
    graphs: list[LayerGraph] = []
    shapes = sources.parse_inputs(inputs)
    for source in (a, b):
        with sources.resolve(source, models, framework=framework, inputs=shapes) as port:
            graphs.append(load_port(port)[0])
    made = engine.compare(*graphs)
    if as_json:
        click.echo(engine.encode(made))
        return
    first, *rest = engine.lines(made)
    click.echo(terminal.safe(first))
    click.echo(f"{made.unchanged} layers correspond and are the same.")
    for number, (line, change) in enumerate(zip(rest, made.changes, strict=True), start=1):
        click.echo(f"{number:3}. {terminal.safe(line)}  [{change.consequence}]")
        held = engine.places(change, *graphs)
        more = f" and {len(held) - PLACES:,} more" if len(held) > PLACES else ""
        click.echo(f"     {terminal.safe(', '.join(held[:PLACES]))}{more}")
