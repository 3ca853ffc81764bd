"""The diagram of a level as DOT: boxes as tables, frames as clusters, stubs for other places."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Callable, Sequence

import graphviz

from modeldocs import formatting
from modeldocs.diagram import labels
from modeldocs.diagram.columns import column_breaks
from modeldocs.diagram.labels import Text
from modeldocs.diagram.level import Box, Level, OpenedFrame
from modeldocs.diagram.titles import description, facts, group_title
from modeldocs.fold import Group
from modeldocs.ir import Layer, LayerGraph
from modeldocs.ir.operators import family

SIZE, SMALL = 12, 11
"""Text in points; a drawing is shown at its own size, so that they are pixels too."""

PADDING = 4
"""Points around the text of a box."""

STUBBED_READERS = 3
"""A value that more boxes than these read has a stub at each, in place of long edges."""


class LevelDot:
    """Writes levels of one graph as DOT.

    `address` is the link that opens a group, empty where it has no drawing of its own; `page` is
    what stands before the anchors of layers: the page's address, empty within the page.
    """

    def __init__(self, graph: LayerGraph, address: Callable[[Group], str], page: str) -> None:
        self._graph = graph
        self._layers = {layer.id: layer for layer in graph.layers}
        self._address = address
        self._page = page

    def dot(self, level: Level, *, with_ends: bool) -> str:
        """The DOT of a level; `with_ends` draws the graph's inputs and outputs: the overview's."""
        digraph = graphviz.Digraph("level")
        look = {"fontname": labels.FONT, "color": labels.LINE, "fontcolor": labels.LINE}
        digraph.attr(rankdir="TB", bgcolor="transparent", nodesep="0.25", ranksep="0.26", **look)
        digraph.attr("graph", fontsize=str(SMALL))
        ink = {**look, "fontcolor": labels.INK}
        digraph.attr("node", shape="plain", fontsize=str(SIZE), **ink)
        digraph.attr("edge", arrowsize="0.6", fontsize=str(SMALL), **look)
        self._add_boxes(digraph, level.members)
        self._add_edges(digraph, level)
        self._add_sources(digraph, level, with_ends=with_ends)
        if with_ends:
            self._add_outputs(digraph, level)
        else:
            self._add_readers(digraph, level)
        return str(digraph.source)

    def _add_boxes(self, digraph: graphviz.Digraph, members: Sequence[Box | OpenedFrame]) -> None:
        for member in members:
            if isinstance(member, Box):
                label = self._box(member)
                digraph.node(labels.node_name(member.id), label)
                continue
            with digraph.subgraph(name=f"cluster_{labels.node_name(member.group.id)}") as frame:
                title = formatting.cut(group_title(member.group, self._layers), 60)
                label = labels.plain([Text(title, SMALL)])
                frame.attr(label=label, labeljust="l", style="rounded", margin="10", penwidth="0.8")
                self._add_boxes(frame, member.members)

    def _box(self, box: Box) -> str:
        if box.group is not None:
            return self._group(box.group)
        layers = [self._layers[identity] for identity in box.layers]
        shapes = [_shape(layer) for layer in layers]
        rows = [
            self._layer(layer, shape if shape != following else "")
            for layer, shape, following in zip(layers, shapes, [*shapes[1:], ""], strict=True)
        ]
        return labels.table(rows, padding=PADDING)

    def _layer(self, layer: Layer, shape: str) -> str:
        parts = [formatting.cut(layer.name), formatting.cut(f"→ {shape}") if shape else ""]
        line = [
            Text(formatting.cut(formatting.headline(layer), 80), SIZE),
            *(Text(part, SMALL, faint=True) for part in parts),
        ]
        colour = labels.COLOURS[family(layer.operator)]
        link = f"{self._page}#{layer.id}"
        return labels.row([line], colour=colour, link=link, title=layer.name, padding=PADDING)

    def _group(self, group: Group) -> str:
        title = group_title(group, self._layers)
        below = [*description(group, title), facts(group, self._layers)]
        row = labels.row(
            [
                [Text(formatting.cut(title, 60), SIZE, bold=True)],
                *([Text(formatting.cut(line, 60), SMALL, faint=True)] for line in below),
            ],
            colour=labels.GROUP_COLOUR,
            link=self._address(group),
            title=title,
            padding=PADDING,
        )
        return labels.table([row], padding=PADDING, border=3 if group.kind == "repeat" else 2)

    def _height(self, box: Box) -> float:
        """About how high a box is, in points."""
        if box.group is None:
            return 25.0 * len(box.layers)
        return 32.0 + 14 * len(description(box.group, group_title(box.group, self._layers)))

    def _add_edges(self, digraph: graphviz.Digraph, level: Level) -> None:
        breaks = column_breaks(level, self._height)
        self._start_columns(digraph, level, breaks)
        readers = level.readers()
        for edge in level.edges:
            first = edge.operands[0]
            start, end = labels.node_name(edge.start), labels.node_name(edge.end)
            label = labels.edge_label(first, SMALL, shape=False)
            if len(edge.operands) > 1:
                label = labels.plain([Text(f"{len(edge.operands)} tensors", SMALL)])
            if edge.end in breaks:
                _continue(digraph, start, end, label, sorted(breaks).index(edge.end))
            elif all(readers[read.value, read.output] > STUBBED_READERS for read in edge.operands):
                self._add_stub(digraph, first.value, end, label)
            else:
                digraph.edge(start, end, label=label)

    def _start_columns(self, digraph: graphviz.Digraph, level: Level, breaks: set[str]) -> None:
        """Let columns begin side by side, in order."""
        boxes = [box.id for box in level.boxes()]
        tops = [f"on_{labels.node_name(box)}" for box in boxes if box in breaks]
        with digraph.subgraph() as rank:
            rank.attr(rank="same")
            for left, right in itertools.pairwise([labels.node_name(boxes[0]), *tops]):
                rank.edge(left, right, style="invis")

    def _add_sources(self, digraph: graphviz.Digraph, level: Level, *, with_ends: bool) -> None:
        """What boxes read from outside the level: inputs of the graph, or stubs."""
        count = Counter(operand.value for _, operand in level.reads)
        for box, operand in level.reads:
            end, label = labels.node_name(box), labels.edge_label(operand, SMALL, shape=False)
            start = f"in_{labels.node_name(operand.value)}"
            if with_ends or count[operand.value] <= STUBBED_READERS + 1:
                digraph.node(start, self._source(operand.value))
                digraph.edge(start, end, label=label, style="solid" if with_ends else "dashed")
            else:
                self._add_stub(digraph, operand.value, end, label)

    def _add_stub(self, digraph: graphviz.Digraph, value: str, end: str, label: str) -> None:
        """A value by its name, beside the box that reads it."""
        name = f"from_{labels.node_name(value)}_{end}"
        digraph.node(name, self._source(value))
        digraph.edge(name, end, label=label, style="dashed")

    def _source(self, value: str) -> str:
        layer = self._layers.get(value)
        if layer is not None:
            return self._end(value, f"from {layer.operator}", layer.name)
        source = next(one for one in self._graph.inputs if one.id == value)
        return self._end(value, source.name, formatting.shape(source.type))

    def _add_readers(self, digraph: graphviz.Digraph, level: Level) -> None:
        """Where what boxes compute leads to, outside the level."""
        for box, outside in level.writes.items():
            name = f"to_{labels.node_name(box)}"
            first, more = self._layers[outside[0]], len(set(outside)) - 1
            title = f"→ {first.operator}" + (f" and {more} more" if more else "")
            digraph.node(name, self._end(first.id, title, first.name))
            digraph.edge(labels.node_name(box), name, style="dashed")

    def _add_outputs(self, digraph: graphviz.Digraph, level: Level) -> None:
        box_of = {layer: box.id for box in level.boxes() for layer in box.layers}
        for index, output in enumerate(self._graph.outputs, start=1):
            name, source = f"output_{index}", output.source
            label = self._end(f"output-{index}", output.name, formatting.shape(source.type))
            digraph.node(name, label)
            start = box_of.get(source.value, f"in_{source.value}")
            edge = labels.edge_label(source, SMALL, shape=False)
            digraph.edge(labels.node_name(start), name, label=edge)

    def _end(self, anchor: str, title: str, name: str) -> str:
        """An input, an output, or a stub."""
        line = [Text(formatting.cut(title), SIZE), Text(formatting.cut(name), SMALL, faint=True)]
        colour, link = labels.COLOURS["input"], f"{self._page}#{anchor}"
        row = labels.row([line], colour=colour, link=link, title=name, padding=PADDING)
        return labels.table([row], padding=PADDING)


def _continue(digraph: graphviz.Digraph, start: str, end: str, label: str, number: int) -> None:
    """An arrow to the next column: it ends in a mark, and goes on from the same mark there."""
    mark = chr(ord("A") + number)
    for name in (f"off_{end}", f"on_{end}"):
        digraph.node(name, mark, shape="circle", width="0.22", fixedsize="true")
    digraph.edge(start, f"off_{end}", label=label)
    digraph.edge(f"on_{end}", end)


def _shape(layer: Layer) -> str:
    return ", ".join(formatting.shape(output) for output in layer.outputs)
