"""Layers side by side against one: groups of a convolution, queries with keys and values."""

from __future__ import annotations

from collections import Counter

from modeldocs.diff.composition import Composition
from modeldocs.diff.function.canonical_op import DENSE
from modeldocs.diff.indexing.indexed_graph import IndexedGraph
from modeldocs.diff.regrouped.facing import Facing, Nodes, read, readers
from modeldocs.ir import Dim


def find(facing: Facing) -> None:
    """Group layers side by side with the one that computes them all."""
    for x in facing.free():
        if facing.many.ops[x].operator == "Concat":
            _branches(facing, x)
    for y in facing.free_few():
        if facing.few.ops[y].operator == "Split":
            _products(facing, y)


def _branches(facing: Facing, joined: int) -> None:
    """Convolutions of slices of one value, joined again: a convolution in groups."""
    graph = facing.many
    convolutions = tuple(read(graph, joined))
    if {graph.ops[x].operator for x in convolutions} != {"Conv"} or len(convolutions) < 2:
        return
    if any(readers(graph, x) != [joined] for x in convolutions):
        return
    cuts = tuple(dict.fromkeys(source for x in convolutions for source in read(graph, x)))
    if {graph.ops[x].operator for x in cuts} not in ({"Split"}, {"Slice"}):
        return
    if not set().union(*(readers(graph, x) for x in cuts)) <= set(convolutions):
        return
    sources = {source for x in cuts for source in read(graph, x)}
    nodes = tuple(sorted((*cuts, *convolutions, joined)))
    for source in sources:
        for y in _near(facing, source, nodes):
            op = facing.few.ops[y]
            grouped = dict(op.declared).get("group") == len(convolutions)
            if op.operator == "Conv" and grouped and _open(facing, nodes, (y,)):
                count = len(convolutions)
                told = (
                    Composition(operators=("Conv",), relation="parallel", count=count),
                    Composition(operators=("Conv",), relation="groups", count=count),
                )
                facing.group(nodes, (y,), told, "spelling")
                return


def _products(facing: Facing, cut: int) -> None:
    """Products of one value by several weights, against one product that is cut."""
    whole = read(facing.few, cut)[0]
    if readers(facing.few, whole) != [cut] or not _multiplies(facing.few, whole):
        return
    sources = [facing.to_many[x] for x in read(facing.few, whole)]
    if len(sources) != 1 or sources[0] < 0:
        return
    operator = facing.few.ops[whole].operator
    parts = tuple(
        x
        for x in readers(facing.many, sources[0])
        if x >= 0 and facing.many.ops[x].operator == operator and _loose(facing, x, whole)
    )
    widths = [_width(facing.many, x, 0) for x in parts]
    wanted = [_width(facing.few, cut, n) for n in range(_outputs(facing.few, cut))]
    if len(parts) < 2 or Counter(widths) != Counter(wanted) or None in widths:
        return
    if facing.even(parts, (whole, cut)) and facing.untaken(parts, (whole, cut)):
        told = (
            Composition(operators=("product",), relation="products", count=len(parts)),
            Composition(operators=("product",), relation="split"),
        )
        facing.group(parts, (whole, cut), told, "spelling")


def _near(facing: Facing, source: int, nodes: Nodes) -> list[int]:
    """Nodes of the other side that may be the whole: what reads the same, or is matched."""
    found = [facing.to_few[x] for x in nodes if facing.to_few[x] >= 0]
    if facing.to_few[source] >= 0:
        found += [y for y in readers(facing.few, facing.to_few[source]) if y >= 0]
    return found


def _open(facing: Facing, many: Nodes, few: Nodes) -> bool:
    return facing.even(many, few) and facing.untaken(many, few) and facing.closed(many, few)


def _loose(facing: Facing, x: int, whole: int) -> bool:
    return facing.to_few[x] in (-1, whole)


def _multiplies(graph: IndexedGraph, node: int) -> bool:
    op = graph.ops[node]
    return op.operator in (DENSE, "Conv") and "weight" in dict(op.parameters)


def _outputs(graph: IndexedGraph, node: int) -> int:
    return len(getattr(graph.nodes[node], "outputs", ()))


def _width(graph: IndexedGraph, node: int, output: int) -> Dim:
    """Channels of a convolution's output, the last axis of a product's."""
    shape: tuple[Dim, ...] | None = getattr(graph.nodes[node], "outputs", ())[output].shape
    if not shape:
        return None
    return shape[1] if graph.ops[node].operator == "Conv" else shape[-1]
