"""Parallel layers that are one layer in the other graph: grouped convolutions, projections."""

from __future__ import annotations

from collections import Counter

from modeldocs.diff.function.canonical_op import DENSE
from modeldocs.diff.fused_group import FusedGroup
from modeldocs.diff.fusion.view import FusionView, Nodes, read, readers
from modeldocs.diff.indexing.indexed_graph import IndexedGraph
from modeldocs.ir import Dim


def find(view: FusionView) -> None:
    """Group parallel layers with the one that computes them all."""
    for x in view.unmatched_decomposed():
        if view.decomposed.ops[x].operator == "Concat":
            _branches(view, x)
    for y in view.unmatched_fused():
        if view.fused_graph.ops[y].operator == "Split":
            _products(view, y)


def _branches(view: FusionView, joined: int) -> None:
    """Convolutions of slices of one value, joined again: a convolution in groups."""
    graph = view.decomposed
    convolutions = tuple(read(graph, joined))
    if {graph.ops[x].operator for x in convolutions} != {"Conv"} or len(convolutions) < 2:
        return
    if any(readers(graph, x) != [joined] for x in convolutions):
        return
    slicers = tuple(dict.fromkeys(source for x in convolutions for source in read(graph, x)))
    if {graph.ops[x].operator for x in slicers} not in ({"Split"}, {"Slice"}):
        return
    if not set().union(*(readers(graph, x) for x in slicers)) <= set(convolutions):
        return
    sources = {source for x in slicers for source in read(graph, x)}
    nodes = tuple(sorted((*slicers, *convolutions, joined)))
    for source in sources:
        for y in _near(view, source, nodes):
            op = view.fused_graph.ops[y]
            grouped = dict(op.declared).get("group") == len(convolutions)
            if op.operator == "Conv" and grouped and _may_group(view, nodes, (y,)):
                count = len(convolutions)
                compositions = (
                    FusedGroup(operators=("Conv",), relation="parallel", count=count),
                    FusedGroup(operators=("Conv",), relation="groups", count=count),
                )
                view.group(nodes, (y,), compositions, "spelling")
                return


def _products(view: FusionView, split: int) -> None:
    """Projections of one value, which are one sliced projection in the other graph."""
    projection = read(view.fused_graph, split)[0]
    if readers(view.fused_graph, projection) != [split] or not _is_product(
        view.fused_graph, projection
    ):
        return
    sources = [view.to_decomposed[x] for x in read(view.fused_graph, projection)]
    if len(sources) != 1 or sources[0] < 0:
        return
    operator = view.fused_graph.ops[projection].operator
    parts = tuple(
        x
        for x in readers(view.decomposed, sources[0])
        if x >= 0 and view.decomposed.ops[x].operator == operator and _is_free(view, x, projection)
    )
    widths = [_width(view.decomposed, x, 0) for x in parts]
    expected = [
        _width(view.fused_graph, split, n) for n in range(_outputs(view.fused_graph, split))
    ]
    if len(parts) < 2 or Counter(widths) != Counter(expected) or None in widths:
        return
    if view.learn_equally(parts, (projection, split)) and view.are_ungrouped(
        parts, (projection, split)
    ):
        compositions = (
            FusedGroup(operators=("product",), relation="products", count=len(parts)),
            FusedGroup(operators=("product",), relation="split"),
        )
        view.group(parts, (projection, split), compositions, "spelling")


def _near(view: FusionView, source: int, nodes: Nodes) -> list[int]:
    """Nodes of the fused graph that may be the fused layer: matched, or reading the same."""
    candidates = [view.to_fused[x] for x in nodes if view.to_fused[x] >= 0]
    if view.to_fused[source] >= 0:
        candidates += [y for y in readers(view.fused_graph, view.to_fused[source]) if y >= 0]
    return candidates


def _may_group(view: FusionView, parts: Nodes, fused: Nodes) -> bool:
    return (
        view.learn_equally(parts, fused)
        and view.are_ungrouped(parts, fused)
        and view.are_closed(parts, fused)
    )


def _is_free(view: FusionView, x: int, projection: int) -> bool:
    return view.to_fused[x] in (-1, projection)


def _is_product(graph: IndexedGraph, node: int) -> bool:
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
