"""A comparison as one HTML file that needs no other file and no server."""

from __future__ import annotations

from modeldocs import __version__, diagram, shipped
from modeldocs.diagram import Drawing
from modeldocs.diff import Diff
from modeldocs.errors import Failure
from modeldocs.ir import LayerGraph
from modeldocs.isolation import Limits
from modeldocs.site import comparison
from modeldocs.site.comparison import Setting
from modeldocs.site.templating import Templates
from modeldocs.site.verdict import Graphs

LIMITS = Limits(seconds=20)
"""Limits of laying out one of the two diagrams."""

MAX_DRAWING = 2_000_000
"""Characters of a diagram; a larger one would make the file slow to open."""


def html(diff: Diff, graphs: Graphs, names: tuple[str, str], templates: Templates) -> str:
    """The report of a diff, styles and scripts included; `names` are those of A and B."""
    drawings = [_drawing(graph) for graph in graphs]
    parts = comparison.parts(diff, graphs, Setting(names=names), templates, drawings)
    return templates.html(
        "report",
        names=names,
        parts=parts,
        style=shipped.style(),
        script=shipped.script(),
        version=__version__,
    )


def _drawing(graph: LayerGraph) -> Drawing:
    drawing = diagram.draw_whole(graph, LIMITS)
    if len(drawing.svg) <= MAX_DRAWING:
        return drawing
    return Drawing(failure=Failure(reason=f"is too large to show ({len(graph.layers):,} layers)"))
