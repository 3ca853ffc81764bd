"""The diagram of a whole graph as DOT: every layer once, modules as clusters.

Layers that follow each other one to one (a convolution, its normalisation, its activation) share
a box, with a row each. Of a large graph, modules are drawn as boxes.
"""

from __future__ import annotations

from collections.abc import Iterable

import graphviz

from modeldocs import formatting
from modeldocs.diagram import labels
from modeldocs.diagram.boxes import ColumnBox, boxes, by_module
from modeldocs.diagram.labels import Text
from modeldocs.ir import LayerGraph
from modeldocs.ir.operators import family

MAX_BOXES = 400
"""Maximum of boxes in a readable diagram; with more, modules are drawn instead of layers."""


SIZE, SMALL = 11, 9
"""Text in points."""


def whole_dot(graph: LayerGraph) -> tuple[str, str]:
    """The DOT of a graph, and a note on what it leaves out; no DOT where nothing can be drawn."""
    nodes = boxes(graph)
    note = ""
    if len(nodes) > MAX_BOXES:
        nodes = by_module(graph, MAX_BOXES)
        note = f"{len(graph.layers):,} layers, drawn by module; the table lists all of them."
    return (_dot(graph, nodes), note) if nodes else ("", "")


def _dot(graph: LayerGraph, nodes: list[ColumnBox]) -> str:
    digraph = graphviz.Digraph("model")
    digraph.attr(
        rankdir="TB",
        bgcolor="transparent",
        fontname=labels.FONT,
        fontsize=str(SIZE),
        nodesep="0.25",
        ranksep="0.32",
        fontcolor=labels.LINE,
        color=labels.LINE,
        splines="spline",
        outputorder="edgesfirst",
    )
    look = {"fontname": labels.FONT}
    digraph.attr("node", shape="plain", fontsize=str(SIZE), fontcolor=labels.INK, **look)
    line = {"color": labels.LINE, "fontcolor": labels.LINE}
    digraph.attr("edge", arrowsize="0.6", fontsize=str(SMALL), **line, **look)
    box_of = {layer.id: box.id for box in nodes for layer in box.layers}
    for source in graph.inputs:
        rows = [_row(source.id, "input", source.name, formatting.shape(source.type))]
        digraph.node(labels.node_name(source.id), labels.table(rows), id=f"d-{source.id}")
        box_of[source.id] = source.id
    _add_boxes(digraph, nodes, 0)
    _add_edges(digraph, graph, box_of)
    return str(digraph.source)


def _add_boxes(digraph: graphviz.Digraph, nodes: Iterable[ColumnBox], depth: int) -> None:
    """Add boxes that lie in a module of that depth, and clusters for its inner modules."""
    inner: dict[str, list[ColumnBox]] = {}
    for box in nodes:
        if len(box.modules) > depth:
            inner.setdefault(box.modules[depth].path, []).append(box)
        else:
            name = labels.node_name(box.id)
            digraph.node(name, labels.table(_rows(box)), id=f"d-{box.id}")
    for index, (path, members) in enumerate(inner.items()):
        step = members[0].modules[depth]
        cluster = f"cluster_{depth}_{index}_{labels.node_name(members[0].id)}"
        with digraph.subgraph(name=cluster) as frame:
            kind = Text(formatting.cut(step.kind), SIZE, italic=True)
            frame.attr(
                label=labels.plain([Text(formatting.cut(path, 80), SIZE), kind]),
                style="rounded",
                labeljust="l",
                margin="10",
                penwidth="0.8",
            )
            _add_boxes(frame, members, depth + 1)


def _rows(box: ColumnBox) -> list[str]:
    if box.title:
        return [
            _row(box.layers[0].id, "other", box.title, box.layers[0].modules[len(box.modules)].path)
        ]
    return [
        _row(layer.id, family(layer.operator), formatting.headline(layer), layer.name)
        for layer in box.layers
    ]


def _row(anchor: str, kind: str, title: str, name: str) -> str:
    line = [Text(formatting.cut(title, 80), SIZE), Text(formatting.cut(name), SMALL, faint=True)]
    colour = labels.COLOURS[kind]
    return labels.row([line], colour=colour, link=f"#{anchor}", title=name, anchor=anchor)


def _add_edges(digraph: graphviz.Digraph, graph: LayerGraph, box_of: dict[str, str]) -> None:
    """Add edges between boxes, and the graph's outputs; `box_of` maps layers to their boxes."""
    name = labels.node_name
    edges: set[tuple[str, str, str]] = set()
    for layer in graph.layers:
        for operand in layer.inputs:
            label = labels.edge_label(operand, SMALL, shape=True)
            edge = (box_of[operand.value], box_of[layer.id], label)
            if edge[0] != edge[1] and edge not in edges:
                edges.add(edge)
                digraph.edge(name(edge[0]), name(edge[1]), label=label)
    for index, output in enumerate(graph.outputs, start=1):
        source = output.source
        rows = [_row(f"output-{index}", "input", output.name, formatting.shape(source.type))]
        digraph.node(f"output_{index}", labels.table(rows), id=f"d-output-{index}")
        label = labels.edge_label(source, SMALL, shape=True)
        digraph.edge(name(box_of[source.value]), f"output_{index}", label=label)
