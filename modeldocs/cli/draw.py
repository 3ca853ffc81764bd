"""`modeldocs draw`: the diagram of a port as a picture, for documents and slides."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import click

from modeldocs import ir
from modeldocs.benchmarks import record as records
from modeldocs.benchmarks.attribution import attribute
from modeldocs.cli import options
from modeldocs.cli.load import load_ports
from modeldocs.diagram import draw_levels
from modeldocs.diagram.chosen import chosen
from modeldocs.diagram.drawing import draw as draw_all
from modeldocs.diagram.picture import FORMATS, picture
from modeldocs.diagram.shares import FIGURES, TIME, shares
from modeldocs.errors import ModeldocsError
from modeldocs.ir import LayerGraph
from modeldocs.site import configured_store


@click.command(short_help="Draw one port as SVG, PNG or PDF.")
@click.argument("source")
@click.option(
    "--output",
    "-o",
    required=True,
    type=click.Path(path_type=Path, dir_okay=False),
    help="The file to write: .svg, .png or .pdf.",
)
@click.option(
    "--open",
    "opened",
    metavar="GROUP",
    help="Draw what is in this group: its module, its title (“Bottleneck”) or its id.",
)
@click.option("--whole", is_flag=True, help="Draw every layer, no group closed.")
@click.option(
    "--colour-by",
    type=click.Choice(("operator", *FIGURES)),
    default="operator",
    show_default=True,
    help="What colours the nodes; the figures as shares of the network.",
)
@click.option(
    "--record",
    type=click.Path(path_type=Path, dir_okay=False, exists=True),
    help="The recorded benchmark whose times colour the nodes.",
)
@click.option(
    "--background",
    default="white",
    show_default=True,
    metavar="COLOUR",
    help="A colour of CSS, or “transparent”.",
)
@click.option(
    "--scale", default=2.0, show_default=True, help="Pixels of a PNG for each of the SVG."
)
@options.models
@options.framework
@options.arguments
@options.inputs
@options.store
def draw(
    source: str,
    output: Path,
    opened: str | None,
    whole: bool,
    colour_by: str,
    record: Path | None,
    background: str,
    scale: float,
    models: Path,
    framework: str | None,
    args: str | None,
    inputs: tuple[str, ...],
    store: str | None,
) -> None:
    """Draw SOURCE as it is on its page, and write the picture.

    SOURCE is as for `modeldocs load`. Without --open or --whole it is the overview: known blocks
    are one node, and equal blocks in a row are drawn once.
    """
    kind = output.suffix.lower().removeprefix(".")
    if kind not in FORMATS:
        raise click.UsageError(
            f"{output}: its name must end in {', '.join(f'.{one}' for one in FORMATS)}"
        )
    if whole and opened:
        raise click.UsageError("--whole and --open exclude each other")
    if (colour_by == TIME) != (record is not None):
        raise click.UsageError("--colour-by time and --record FILE belong together")
    with configured_store.opened_store(store, models) as held:
        with options.resolve(source, models, framework, args, inputs) as port:
            loaded = load_ports(held, {source: port})[source]
        graph = ir.decode(held.read(str(loaded.graph)))
    svg = _whole(graph, source) if whole else chosen(draw_levels(graph), graph, opened, source).svg
    output.write_bytes(
        picture(
            svg,
            kind,
            shares=_shares(graph, colour_by, record),
            background=None if background == "transparent" else background,
            scale=scale,
        )
    )
    click.echo(f"written: {output}", err=True)


def _shares(
    graph: LayerGraph, colour_by: str, record: Path | None
) -> Mapping[str, float | None] | None:
    if colour_by not in FIGURES:
        return None
    if record is None:
        return shares(graph, colour_by)
    times = attribute(records.read(record), graph)
    if times is None:
        raise ModeldocsError(
            "has no times of layers",
            file=str(record),
            fix="record with `modeldocs bench run`, which times each module",
        )
    return shares(graph, colour_by, lambda layers: times.of_layers(layers).us)


def _whole(graph: LayerGraph, source: str) -> str:
    drawing = draw_all(graph)
    if not drawing.svg:
        reason = drawing.failure.reason if drawing.failure else "cannot be drawn"
        raise ModeldocsError(
            f"the whole graph {reason}", file=source, fix="leave out --whole, or use --open GROUP"
        )
    return drawing.svg
