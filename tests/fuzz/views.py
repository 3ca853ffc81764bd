"""What a loaded graph is shown as: the command line's table, and the parts of its page."""

from __future__ import annotations

import contextlib
import functools
import io
import zlib

from modeldocs.cli import load
from modeldocs.diagram.drawing import level_dots
from modeldocs.diagram.whole import whole_dot
from modeldocs.ir import LayerGraph, decode
from modeldocs.site.port import census, layer_row, layer_table
from modeldocs.site.port.layer_section import LayerSection
from modeldocs.site.port.source import Sources
from modeldocs.site.templating import Templates

ONE_IN = 16
"""Graphs of which one is laid out as a table, too, which takes longer than all else."""


def show(data: bytes) -> None:
    """Show a graph as `modeldocs load` and its page do; the layout of its drawing left out."""
    graph = decode(data)
    for layer in graph.layers:
        load.settings(layer)
    if zlib.crc32(data) % ONE_IN == 0:
        with contextlib.redirect_stdout(io.StringIO()):
            load.show(graph)
    _page(graph)
    layer_table.csv_bytes(layer_row.rows(graph))
    whole_dot(graph)
    if graph.layers:
        level_dots(graph)


def _page(graph: LayerGraph) -> None:
    html = _templates().html
    section = LayerSection(graph, Sources(()), (), _templates())
    footer = layer_table.footer(graph, section.table)
    html("facts", graph=graph, arguments={}, framework="ONNX", footer=footer)
    section.html()
    section.data()
    section.columns()
    total = census.total(graph)
    html("operators", rows=census.operators(graph), total=total, statistics=True)
    html("modules", tables=census.tables(graph), total=total, statistics=True)
    html("tensors", graph=graph)


@functools.cache
def _templates() -> Templates:
    return Templates()
