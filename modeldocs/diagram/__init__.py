"""A graph as a Graphviz drawing: DOT text here, its layout in a process of its own.

Layers that follow each other one to one (a convolution, its normalisation, its activation) share
a box, one row each. Modules are clusters. A graph too large to read is drawn by its modules.
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
"""More boxes than this are no drawing that a person reads; modules are drawn instead."""

LIMITS = Limits(seconds=60)
"""What laying out one drawing may take."""

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
"""Fill by operator family: light enough for black text, seen on light pages and dark."""

_INK, _FAINT, _LINE = "#1b1f24", "#4a525c", "#8a929c"
_FONT = "Helvetica,Arial,sans-serif"


class Drawing(Struct, frozen=True):
    """A diagram: its DOT, its SVG, and what it leaves out; or the failure that says why not."""

    dot: str = ""
    svg: str = ""
    note: str = ""
    failure: Failure | None = None


class DrawRequest(Struct, frozen=True):
    """What the drawing process is asked."""

    dot: str
    title: str


def draw(graph: LayerGraph, limits: Limits = LIMITS) -> Drawing:
    """The drawing of a graph. Failures come back as data."""
    drawn = boxes(graph)
    note = ""
    if len(drawn) > MAX_BOXES:
        drawn = by_module(graph, MAX_BOXES)
        note = f"{len(graph.layers):,} layers, drawn by module; the table lists every one."
    if not drawn:
        reason = (
            f"is too large to draw ({len(graph.layers):,} layers)"
            if graph.layers
            else "has no layer to draw"
        )
        return Drawing(failure=Failure(reason=reason, fix="read the table of its layers"))
    text = dot(graph, drawn)
    request = DrawRequest(dot=text, title=spelling.visible(f"Diagram of {graph.name}"))
    with isolation.run("modeldocs.diagram.layout", request, limits) as outcome:
        if outcome.failure is not None:
            return Drawing(dot=text, failure=Failure(reason=outcome.failure, fix=outcome.fix))
        return Drawing(dot=text, svg=outcome.read("diagram.svg").decode("utf-8"), note=note)


def dot(graph: LayerGraph, held: list[Box]) -> str:
    """The drawing of some boxes of a graph, as text."""
    drawn = graphviz.Digraph("model")
    drawn.attr(
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
    drawn.attr("node", shape="plain", fontname=_FONT, fontsize="11", fontcolor=_INK)
    drawn.attr("edge", color=_LINE, arrowsize="0.6", fontname=_FONT, fontsize="9", fontcolor=_LINE)
    home = {layer.id: box.id for box in held for layer in box.layers}
    for source in graph.inputs:
        rows = [_row(source.id, "input", source.name, spelling.shape(source.type))]
        drawn.node(_port(source.id), _table(rows), id=f"d-{source.id}")
        home[source.id] = source.id
    _place(drawn, held, 0)
    _connect(drawn, graph, home)
    return str(drawn.source)


def _place(drawn: graphviz.Digraph, held: Iterable[Box], depth: int) -> None:
    inner: dict[str, list[Box]] = {}
    for box in held:
        if len(box.modules) > depth:
            inner.setdefault(box.modules[depth].path, []).append(box)
        else:
            drawn.node(_port(box.id), _table(_rows(box)), id=f"d-{box.id}")
    for index, (path, members) in enumerate(inner.items()):
        step = members[0].modules[depth]
        with drawn.subgraph(name=f"cluster_{depth}_{index}_{_port(members[0].id)}") as frame:
            kind = f"  <I>{_text(_cut(step.kind))}</I>" if step.kind else ""
            frame.attr(
                label=f"<{_text(_cut(path, 80))}{kind}>",
                style="rounded",
                labeljust="l",
                margin="10",
                penwidth="0.8",
            )
            _place(frame, members, depth + 1)


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
    said = f'<FONT COLOR="{_FAINT}" POINT-SIZE="9">{_text(_cut(name))}</FONT>' if name else ""
    return (
        f'<TR><TD HREF="#{_text(anchor)}" ID="r-{_text(anchor)}" TITLE="{_text(_cut(name, 200))}" '
        f'BGCOLOR="{COLOURS[kind]}" ALIGN="LEFT">{_text(_cut(title, 80))}  '
        f"{said}</TD></TR>"
    )


def _table(rows: list[str]) -> str:
    return (
        '<<TABLE BORDER="0" CELLBORDER="1" CELLSPACING="0" CELLPADDING="5" '
        f'COLOR="{_LINE}">{"".join(rows)}</TABLE>>'
    )


def _connect(drawn: graphviz.Digraph, graph: LayerGraph, home: dict[str, str]) -> None:
    seen: set[tuple[str, str, str]] = set()
    for layer in graph.layers:
        for operand in layer.inputs:
            start, end = home[operand.value], home[layer.id]
            label = _label(operand)
            if start != end and (start, end, label) not in seen:
                seen.add((start, end, label))
                drawn.edge(_port(start), _port(end), label=label)
    for index, output in enumerate(graph.outputs, start=1):
        rows = [_row(f"output-{index}", "input", output.name, spelling.shape(output.source.type))]
        drawn.node(f"output_{index}", _table(rows), id=f"d-output-{index}")
        drawn.edge(_port(home[output.source.value]), f"output_{index}", label=_label(output.source))


def _label(operand: Operand) -> str:
    lines = [spelling.shape(operand.type), *(_operator(step).lower() for step in operand.steps)]
    label: str = graphviz.escape("\n".join(_cut(spelling.visible(line), 60) for line in lines))
    return label


def _operator(step: Step) -> str:
    return step.operator if isinstance(step, Reshape) else type(step).__name__


def _port(identity: str) -> str:
    """A node's name in DOT; a hyphen or colon would be read as syntax by some tools."""
    return re.sub(r"\W", "_", identity)


def _text(text: str) -> str:
    """Text inside an HTML-like label, where Graphviz would take a backslash as an escape."""
    return html.escape(spelling.visible(text), quote=True).replace("\\", "\\\\")


def _cut(text: str, length: int = 40) -> str:
    return text if len(text) <= length else text[: length - 1] + "…"
