"""DOT of a level: boxes as tables, frames as clusters, stubs for what lies elsewhere."""

from __future__ import annotations

import html
import itertools
from collections.abc import Callable, Sequence

import graphviz

from modeldocs import spelling
from modeldocs.diagram.columns import column_breaks
from modeldocs.diagram.level import STUBBED_READERS, Box, Edge, Frame, Level, instance
from modeldocs.fold import Group, Variation
from modeldocs.ir import Layer, LayerGraph, Operand, Reshape, Step
from modeldocs.ir.layer import count_values
from modeldocs.ir.operators import family

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
    "group": "#eef2f7",
}
INK, FAINT, LINE = "#1b1f24", "#4a525c", "#8a929c"
FONT = "Helvetica,Arial,sans-serif"


class LevelDot:
    """Writes the levels of one graph as DOT; `address` is the link that opens a group."""

    def __init__(self, graph: LayerGraph, address: Callable[[Group], str]) -> None:
        self._graph = graph
        self._layers = {layer.id: layer for layer in graph.layers}
        self._address = address

    def text(self, level: Level, *, ends: bool) -> str:
        """The DOT of a level; `ends` draws the graph's inputs and outputs, for the overview."""
        self._marks = 0
        drawn = graphviz.Digraph("level")
        drawn.attr(rankdir="TB", bgcolor="transparent", fontname=FONT, fontsize="11")
        drawn.attr(nodesep="0.25", ranksep="0.26", color=LINE, fontcolor=FAINT)
        drawn.attr("node", shape="plain", fontname=FONT, fontsize="12", fontcolor=INK)
        drawn.attr(
            "edge", color=LINE, arrowsize="0.6", fontname=FONT, fontsize="11", fontcolor=FAINT
        )
        self._place(drawn, level.members)
        self._connect(drawn, level)
        self._stubs(drawn, level, ends=ends)
        if ends:
            self._outputs(drawn, level)
        return str(drawn.source)

    def _place(self, drawn: graphviz.Digraph, members: Sequence[Box | Frame]) -> None:
        for member in members:
            if isinstance(member, Box):
                drawn.node(node(member.id), self._table(member), id=f"d-{member.id}")
                continue
            with drawn.subgraph(name=f"cluster_{node(member.group.id)}") as frame:
                frame.attr(label=member.group.title or member.group.name, labeljust="l")
                frame.attr(style="rounded", margin="10", penwidth="0.8", color=LINE)
                self._place(frame, member.members)

    def _table(self, box: Box) -> str:
        if box.group is not None:
            return self._group(box.group)
        layers = [self._layers[identity] for identity in box.layers]
        shapes = [_shape(layer) for layer in layers]
        after = [*shapes[1:], ""]
        return table(
            [
                _row(
                    spelling.headline(layer),
                    layer.name,
                    COLOURS[family(layer.operator)],
                    f"#{layer.id}",
                    shape=shape if shape != following else "",
                )
                for layer, shape, following in zip(layers, shapes, after, strict=True)
            ]
        )

    def _group(self, group: Group) -> str:
        layers = [self._layers[identity] for identity in group.layers()]
        title = group.title or self._untitled(group)
        if group.kind == "repeat":
            title = f"{len(group.members)} × {title}"
        lines = [group.name if group.name != title else "", *map(variation, group.varies)]
        if group.shares_weights:
            lines.append("shared weights")
        lines.append(facts(layers))
        return table(
            [_heading(title, [line for line in lines if line], self._address(group))],
            border=3 if group.kind == "repeat" else 2,
        )

    def _untitled(self, group: Group) -> str:
        """A title for a group that is no known idiom: its layers where they are one box."""
        one = instance(group)
        if one.kind == "fused":
            first, *more = (self._layers[identity] for identity in one.layers())
            return " + ".join([spelling.headline(first), *(layer.operator for layer in more)])
        ends = [self._layers[identity].name for identity in one.layers()]
        return group.name or f"{ends[0]} … {ends[-1]}"

    def _height(self, member: Box | Frame) -> float:
        """About how high a box is, in points."""
        if isinstance(member, Frame):
            return sum(map(self._height, member.members))
        if member.group is None:
            return 25.0 * len(member.layers)
        return 46.0 + 14 * len(member.group.varies)

    def _connect(self, drawn: graphviz.Digraph, level: Level) -> None:
        breaks = column_breaks(level, self._height)
        self._start_columns(drawn, level, breaks)
        readers: dict[tuple[str, int], set[str]] = {}
        for edge in level.edges:
            for operand in edge.operands:
                readers.setdefault((operand.value, operand.output), set()).add(edge.end)
        for edge in level.edges:
            first = edge.operands[0]
            text = steps(first) if len(edge.operands) == 1 else f"{len(edge.operands)} tensors"
            if edge.end in breaks:
                self._continue(drawn, edge, text)
            elif all(len(readers[o.value, o.output]) > STUBBED_READERS for o in edge.operands):
                name = f"stub_{node(edge.start)}_{node(edge.end)}"
                drawn.node(name, self._source(first.value))
                drawn.edge(name, node(edge.end), label=text, style="dashed")
            else:
                drawn.edge(node(edge.start), node(edge.end), label=text)

    def _start_columns(self, drawn: graphviz.Digraph, level: Level, breaks: set[str]) -> None:
        """Let columns begin side by side, in order."""
        if not breaks:
            return
        starts = [box.id for box in level.boxes() if box.id in breaks]
        first = next(iter(level.boxes())).id
        with drawn.subgraph() as row:
            row.attr(rank="same")
            tops = [node(first), *(f"on_{node(start)}" for start in starts)]
            for left, right in itertools.pairwise(tops):
                row.edge(left, right, style="invis")

    def _continue(self, drawn: graphviz.Digraph, edge: Edge, text: str) -> None:
        """An arrow to the next column: it ends in a mark, and begins again at the same mark."""
        mark = {
            "shape": "circle",
            "width": "0.22",
            "fixedsize": "true",
            "fontsize": "11",
            "color": LINE,
        }
        self._marks += 1
        number = chr(ord("A") + self._marks - 1)
        drawn.node(f"off_{node(edge.end)}", number, **mark)
        drawn.node(f"on_{node(edge.end)}", number, **mark)
        drawn.edge(node(edge.start), f"off_{node(edge.end)}", label=text)
        drawn.edge(f"on_{node(edge.end)}", node(edge.end))

    def _stubs(self, drawn: graphviz.Digraph, level: Level, *, ends: bool) -> None:
        """What the boxes read from outside: an input of the graph, or a stub with a link."""
        for index, (end, operand) in enumerate(level.reads):
            is_input = operand.value not in self._layers
            name = f"in_{node(operand.value)}" if is_input and ends else f"from_{index}"
            drawn.node(name, self._source(operand.value))
            drawn.edge(name, node(end), label=steps(operand), style="" if ends else "dashed")
        if ends:
            return
        for box, outside in level.writes.items():
            name = f"to_{node(box)}"
            first = self._layers[outside[0]]
            more = f" and {len(set(outside)) - 1} more" if len(set(outside)) > 1 else ""
            drawn.node(
                name,
                table(
                    [_row(f"→ {first.operator}{more}", first.name, "#ffffff", f"#{first.id}")],
                    border=0,
                ),
            )
            drawn.edge(node(box), name, style="dashed")

    def _source(self, value: str) -> str:
        layer = self._layers.get(value)
        if layer is not None:
            return table(
                [_row(f"from {layer.operator}", layer.name, "#ffffff", f"#{value}")], border=0
            )
        source = next(one for one in self._graph.inputs if one.id == value)
        return table([_row(f"{source.name}", spelling.shape(source.type), "#ffffff", f"#{value}")])

    def _outputs(self, drawn: graphviz.Digraph, level: Level) -> None:
        home = {layer: box.id for box in level.boxes() for layer in box.layers}
        for index, output in enumerate(self._graph.outputs, start=1):
            name = f"output_{index}"
            shape = spelling.shape(output.source.type)
            drawn.node(name, table([_row(output.name, shape, "#ffffff", f"#output-{index}")]))
            start = home.get(output.source.value, f"in_{output.source.value}")
            drawn.edge(node(start), name, label=steps(output.source))


def facts(layers: Sequence[Layer]) -> str:
    """`10 layers · 70.4 k parameters · 1×256×56×56`."""
    parameters = {p.name: p for layer in layers for p in layer.parameters}
    count = count_values(p for p in parameters.values() if p.trainable)
    words = [f"{len(layers)} layers"]
    if count:
        words.append(f"{spelling.count(count)} parameters")
    if layers[-1].outputs:
        words.append(f"→ {spelling.shape(layers[-1].outputs[0])}")
    return " · ".join(words)


def variation(varies: Variation) -> str:
    """`channels 64 → 512`."""
    first, last = varies.values[0] or "none", varies.values[-1] or "none"
    if first == last:
        return (
            f"{varies.name} {', '.join(dict.fromkeys(value or 'none' for value in varies.values))}"
        )
    return f"{varies.name} {first} → {last}"


def _shape(layer: Layer) -> str:
    return ", ".join(spelling.shape(output) for output in layer.outputs)


def steps(operand: Operand) -> str:
    """What an arrow is labelled with: the steps on the edge by name, and the shape behind them."""
    lines = [_step(step) for step in operand.steps]
    if lines:
        lines.append(spelling.shape(operand.type))
    text: str = graphviz.escape("\n".join(cut(spelling.visible(line), 60) for line in lines))
    return text


def _step(step: Step) -> str:
    return (step.operator if isinstance(step, Reshape) else type(step).__name__).lower()


def node(identity: str) -> str:
    """A node's name in DOT: letters, digits and underscores alone."""
    return "".join(char if char.isalnum() else "_" for char in identity)


def _row(title: str, name: str, colour: str, link: str, shape: str = "") -> str:
    said = "".join(
        f'  <FONT COLOR="{FAINT}" POINT-SIZE="11">{escaped(part)}</FONT>'
        for part in (cut(name), cut(f"→ {shape}" if shape else ""))
        if part
    )
    return (
        f'<TR><TD HREF="{escaped(link)}" TITLE="{escaped(cut(name, 200))}" BGCOLOR="{colour}" '
        f'ALIGN="LEFT">{escaped(cut(title, 80))}{said}</TD></TR>'
    )


def _heading(title: str, lines: Sequence[str], link: str) -> str:
    below = "".join(
        f'<BR ALIGN="LEFT"/><FONT COLOR="{FAINT}" POINT-SIZE="11">{escaped(cut(line, 60))}</FONT>'
        for line in lines
    )
    return (
        f'<TR><TD HREF="{escaped(link)}" TITLE="{escaped(title)}" BGCOLOR="{COLOURS["group"]}" '
        f'ALIGN="LEFT"><B>{escaped(cut(title, 60))}</B>{below}<BR ALIGN="LEFT"/></TD></TR>'
    )


def table(rows: Sequence[str], border: int = 1) -> str:
    """An HTML-like label of rows; a border of 2 or 3 marks what can be opened."""
    style = f'BORDER="{border if border > 1 else 0}" CELLBORDER="{min(border, 1)}"'
    return (
        f'<<TABLE {style} CELLSPACING="{2 if border > 2 else 0}" CELLPADDING="4" COLOR="{LINE}">'
        f"{''.join(rows)}</TABLE>>"
    )


def escaped(text: str) -> str:
    """Text inside an HTML-like label, where Graphviz would take a backslash as an escape."""
    return html.escape(spelling.visible(text), quote=True).replace("\\", "\\\\")


def cut(text: str, length: int = 40) -> str:
    """Text of at most so many characters."""
    return text if len(text) <= length else text[: length - 1] + "…"
