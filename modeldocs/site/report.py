"""A comparison as one HTML file that stands alone: no other file, no request, no server."""

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
"""What laying out one of the two diagrams may take."""

MAX_DRAWING = 2_000_000
"""Characters of a diagram; a larger one would make the file slow to open."""


def html(diff: Diff, graphs: Graphs, names: tuple[str, str], templates: Templates) -> str:
    """The report of a diff of `names`, with what pages of a site would bring along inside."""
    drawings = [_drawn(graph) for graph in graphs]
    made = comparison.parts(diff, graphs, Setting(names=names), templates, drawings)
    return templates.html(
        "report",
        names=names,
        parts=made,
        style=(shipped.assets() / "modeldocs.css").read_text("utf-8"),
        script=(shipped.assets() / "modeldocs.js").read_text("utf-8"),
        version=__version__,
    )


def _drawn(graph: LayerGraph) -> Drawing:
    drawn = diagram.draw(graph, LIMITS)
    if len(drawn.svg) <= MAX_DRAWING:
        return drawn
    return Drawing(failure=Failure(reason=f"is too large to show ({len(graph.layers):,} layers)"))
