"""A comparison as one HTML file that needs no other file and no server."""

from __future__ import annotations

from modeldocs import diagram
from modeldocs.diagram import Drawing
from modeldocs.diff import Diff
from modeldocs.ir import LayerGraph
from modeldocs.isolation import Limits
from modeldocs.site import document
from modeldocs.site.pair import comparison
from modeldocs.site.pair.comparison import Setting
from modeldocs.site.templating import Templates
from modeldocs.verdict.sentences import Graphs

LIMITS = Limits(seconds=40)
"""Limits of laying out the diagrams of one side."""

MAX_DRAWINGS = 2_000_000
"""Characters of one side's diagrams; more would make the file slow to open."""

MAX_ROWS = 5_000
"""Rows of the file; it holds more than a page of a site, since it cannot fetch the others."""


def html(diff: Diff, graphs: Graphs, names: tuple[str, str], templates: Templates) -> str:
    """The report of a diff, styles and scripts included; `names` are those of A and B."""
    drawings = [_drawing(graph) for graph in graphs]
    setting = Setting(names=names, most_rows=MAX_ROWS)
    parts = comparison.parts(diff, graphs, setting, templates, drawings)
    a, b = names
    body = templates.html("report", names=names, parts=parts)
    return document.html(f"{a} vs {b}", body, templates, note=f"A is {a}, B is {b}.")


def _drawing(graph: LayerGraph) -> Drawing:
    """The overview, and the levels below it where they fit."""
    levels = diagram.draw_levels(graph, LIMITS) if graph.layers else ()
    if sum(len(level.svg) for level in levels) > MAX_DRAWINGS:
        levels = levels[:1]
    return Drawing(levels=levels)
