"""A network as one HTML file that needs no other file: facts, overview, table of layers."""

from __future__ import annotations

import re
from typing import Final

from modeldocs import diagram
from modeldocs.fold import describe, fold
from modeldocs.ir import LayerGraph
from modeldocs.isolation import Limits
from modeldocs.site import document, overview
from modeldocs.site.port import layer_row
from modeldocs.site.port.layer_columns import COLUMNS
from modeldocs.site.port.layer_table import footer
from modeldocs.site.templating import Templates

LIMITS = Limits(seconds=40)
"""Limits of laying out the overview."""

MAX_ROWS = 5_000
"""Rows of the table; more would make the file slow to open."""

SHOWN: Final = ("index", "name", "operator", "settings", "output", "parameters", "macs")
"""Columns of the table."""

_LEVEL = re.compile(r' xlink:href="levels/[^"]*"')
"""Links of the overview to drawings of its groups, which are files of their own."""


def html(name: str, framework: str, graph: LayerGraph, templates: Templates) -> str:
    """The report of a graph; `framework` is that of its source, with the version."""
    table = layer_row.rows(graph)
    totals = footer(graph, table)
    body = templates.html(
        "network_report",
        title=name,
        facts=templates.html(
            "facts", graph=graph, arguments={}, framework=framework, footer=totals
        ),
        svg=_overview(graph, templates),
        architecture=describe(graph, fold(graph)) if graph.layers else "",
        rows=table,
        most=MAX_ROWS,
        columns=[one for one in COLUMNS if one.key in SHOWN],
        footer=totals,
    )
    return document.html(name, body, templates)


def _overview(graph: LayerGraph, templates: Templates) -> str:
    """The overview, whose groups do not open; empty where it cannot be drawn."""
    levels = diagram.draw_levels(graph, LIMITS) if graph.layers else ()
    if not levels:
        return ""
    return overview.closed(_LEVEL.sub("", levels[0].svg), "Overview", templates)
