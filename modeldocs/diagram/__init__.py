"""Diagrams of graphs: DOT, laid out by Graphviz in a process of its own.

Layers that follow each other one to one (a convolution, its normalisation, its activation) share
a box, with a row each. Modules are clusters. Of a large graph, modules are drawn as boxes.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterable

import graphviz

from modeldocs import isolation, spelling
from modeldocs.diagram.boxes import Box, boxes, by_module
from modeldocs.errors import Failure
from modeldocs.ir import LayerGraph, Operand, Reshape, Step
from modeldocs.ir.operators import family
from modeldocs.isolation import Limits
from modeldocs.struct import Struct

MAX_BOXES = 400
"""Maximum of boxes in a readable diagram; with more, modules are drawn instead of layers."""

LIMITS = Limits(seconds=60)
"""Limits of laying out one diagram."""

COLOURS = {
    "convolution": "#a8c8f0",
    "linear": "#b9b4f0",
    "normalization": "#f4dca0",
    "activation": "#f5b8b0",
    "pooling": "#b4dfb8",
    "elementwise": "#d8d3cb",
    "arrangement": "#cfe3e6",
    "attention": "#e6b8e0",
    "recurrent": "#e0c8a8",
    "other": "#dfe3e8",
    "input": "#ffffff",
}
"""Fill colours by operator family: light enough for black text, on light and dark pages."""

_INK, _FAINT, _LINE = "#1b1f24", "#4a525c", "#8a929c"
_FONT = "Helvetica,Arial,sans-serif"


class Drawing(Struct, frozen=True):
    """A diagram as DOT and SVG, with a note on what it leaves out; or a failure."""

    dot: str = ""
    svg: str = ""
    note: str = ""
    failure: Failure | None = None


class DrawRequest(Struct, frozen=True):
    """The request of the layout process."""

    dot: str
    title: str


def draw(graph: LayerGraph, limits: Limits = LIMITS) -> Drawing:
    """The drawing of a graph; failures are returned, not raised."""
    nodes = boxes(graph)
    note = ""
    if len(nodes) > MAX_BOXES:
        nodes = by_module(graph, MAX_BOXES)
        note = f"{len(graph.layers):,} layers, drawn by module; the table lists all of them."
    if not nodes:
        reason = (
            f"is too large to draw ({len(graph.layers):,} layers)"
            if graph.layers
            else "has no layer to draw"
        )
        return Drawing(failure=Failure(reason=reason, fix="see the table of its layers"))
    text = dot(graph, nodes)
    request = DrawRequest(dot=text, title=spelling.visible(f"Diagram of {graph.name}"))
    with isolation.run("modeldocs.diagram.layout", request, limits) as outcome:
        if outcome.failure is not None:
            return Drawing(dot=text, failure=Failure(reason=outcome.failure, fix=outcome.fix))
        return Drawing(dot=text, svg=outcome.read("diagram.svg").decode("utf-8"), note=note)


def dot(graph: LayerGraph, nodes: list[Box]) -> str:
    """The DOT of a graph that is drawn as some boxes."""
    digraph = graphviz.Digraph("model")
    digraph.attr(
        rankdir="TB",
        bgcolor="transparent",
        fontname=_FONT,
        fontsize="11",
        nodesep="0.25",
        ranksep="0.32",
        fontcolor=_LINE,
        color=_LINE,
        splines="spline",
        outputorder="edgesfirst",
    )
    digraph.attr("node", shape="plain", fontname=_FONT, fontsize="11", fontcolor=_INK)
    digraph.attr(
        "edge", color=_LINE, arrowsize="0.6", fontname=_FONT, fontsize="9", fontcolor=_LINE
    )
    box_of = {layer.id: box.id for box in nodes for layer in box.layers}
    for source in graph.inputs:
        rows = [_row(source.id, "input", source.name, spelling.shape(source.type))]
        digraph.node(_node(source.id), _table(rows), id=f"d-{source.id}")
        box_of[source.id] = source.id
    _add_boxes(digraph, nodes, 0)
    _add_edges(digraph, graph, box_of)
    return str(digraph.source)


def _add_boxes(digraph: graphviz.Digraph, nodes: Iterable[Box], depth: int) -> None:
    """Add boxes that lie in a module of that depth, and clusters for its inner modules."""
    inner: dict[str, list[Box]] = {}
    for box in nodes:
        if len(box.modules) > depth:
            inner.setdefault(box.modules[depth].path, []).append(box)
        else:
            digraph.node(_node(box.id), _table(_rows(box)), id=f"d-{box.id}")
    for index, (path, members) in enumerate(inner.items()):
        step = members[0].modules[depth]
        with digraph.subgraph(name=f"cluster_{depth}_{index}_{_node(members[0].id)}") as frame:
            kind = f"  <I>{_text(_cut(step.kind))}</I>" if step.kind else ""
            frame.attr(
                label=f"<{_text(_cut(path, 80))}{kind}>",
                style="rounded",
                labeljust="l",
                margin="10",
                penwidth="0.8",
            )
            _add_boxes(frame, members, depth + 1)


def _rows(box: Box) -> list[str]:
    if box.title:
        return [
            _row(box.layers[0].id, "other", box.title, box.layers[0].modules[len(box.modules)].path)
        ]
    return [
        _row(layer.id, family(layer.operator), spelling.headline(layer), layer.name)
        for layer in box.layers
    ]


def _row(anchor: str, kind: str, title: str, name: str) -> str:
    label = f'<FONT COLOR="{_FAINT}" POINT-SIZE="9">{_text(_cut(name))}</FONT>' if name else ""
    return (
        f'<TR><TD HREF="#{_text(anchor)}" ID="r-{_text(anchor)}" TITLE="{_text(_cut(name, 200))}" '
        f'BGCOLOR="{COLOURS[kind]}" ALIGN="LEFT">{_text(_cut(title, 80))}  '
        f"{label}</TD></TR>"
    )


def _table(rows: list[str]) -> str:
    return (
        '<<TABLE BORDER="0" CELLBORDER="1" CELLSPACING="0" CELLPADDING="5" '
        f'COLOR="{_LINE}">{"".join(rows)}</TABLE>>'
    )


def _add_edges(digraph: graphviz.Digraph, graph: LayerGraph, box_of: dict[str, str]) -> None:
    """Add edges between boxes, and the graph's outputs; `box_of` maps layers to their boxes."""
    edges: set[tuple[str, str, str]] = set()
    for layer in graph.layers:
        for operand in layer.inputs:
            edge = (box_of[operand.value], box_of[layer.id], _label(operand))
            if edge[0] != edge[1] and edge not in edges:
                edges.add(edge)
                digraph.edge(_node(edge[0]), _node(edge[1]), label=edge[2])
    for index, output in enumerate(graph.outputs, start=1):
        name, source = f"output_{index}", output.source
        rows = [_row(f"output-{index}", "input", output.name, spelling.shape(source.type))]
        digraph.node(name, _table(rows), id=f"d-output-{index}")
        digraph.edge(_node(box_of[source.value]), name, label=_label(source))


def _label(operand: Operand) -> str:
    lines = [spelling.shape(operand.type), *(_operator(step).lower() for step in operand.steps)]
    label: str = graphviz.escape("\n".join(_cut(spelling.visible(line), 60) for line in lines))
    return label


def _operator(step: Step) -> str:
    return step.operator if isinstance(step, Reshape) else type(step).__name__


def _node(identity: str) -> str:
    """The name of a node in DOT, without hyphens and colons, which some tools read as syntax."""
    return re.sub(r"\W", "_", identity)


def _text(text: str) -> str:
    """Text escaped for an HTML-like label, in which Graphviz interprets backslashes."""
    return html.escape(spelling.visible(text), quote=True).replace("\\", "\\\\")


def _cut(text: str, length: int = 40) -> str:
    return text if len(text) <= length else text[: length - 1] + "…"
