"""`modeldocs diff`: two sources compared."""

from __future__ import annotations

from pathlib import Path

import click

from modeldocs import diff as engine
from modeldocs import sources
from modeldocs.cli import options
from modeldocs.cli.inspect import load_port
from modeldocs.graph import LayerGraph


PLACES = 3
"""Places that a line names before it only counts the rest."""


@click.command()
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

    Differences are information: the exit code is 0 whatever they are.
    """
    graphs: list[LayerGraph] = []
    for source in (a, b):
        shapes = sources.parse_inputs(inputs)
        with sources.resolve(source, models, framework=framework, inputs=shapes) as port:
            graphs.append(load_port(port)[0])
    made = engine.compare(*graphs)
    if as_json:
        click.echo(engine.encode(made))
        return
    first, *rest = engine.lines(made)
    click.echo(first)
    click.echo(f"{made.unchanged} layers correspond and are the same.")
    for number, (line, change) in enumerate(zip(rest, made.changes, strict=True), start=1):
        click.echo(f"{number:3}. {line}  [{change.consequence}]")
        held = engine.places(change, *graphs)
        more = f" and {len(held) - PLACES:,} more" if len(held) > PLACES else ""
        click.echo(f"     {', '.join(held[:PLACES])}{more}")
