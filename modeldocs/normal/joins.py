"""Pieces that are put together again: a Reshape and a Transpose, as merging patches is.

One framework takes every other row and column and joins the four images along their channels,
another reshapes and transposes.
"""

from __future__ import annotations

from collections.abc import Iterator

import onnx_ir as ir

from modeldocs.normal import cutting, rearrangements, values, views
from modeldocs.normal.building import Builder
from modeldocs.normal.views import View


def rearrange(model: ir.Model) -> None:
    """Put the shortest way there in place of every Concat of all pieces of one tensor."""
    builder = Builder(model.graph)
    for node in list(model.graph):
        if node.graph is not None and values.is_operator(node, "Concat"):
            _replace(node, builder)


def _replace(concat: ir.Node, builder: Builder) -> None:
    pieces = []
    for value in _pieces(concat):
        view = cutting.trace(value, builder) if value is not None else None
        if view is None:
            return
        pieces.append(view)
    first = pieces[0]
    if len(pieces) < 2 or not rearrangements.is_computed(first.root):
        return
    if any(piece.root is not first.root or piece.axes != first.axes for piece in pieces):
        return
    steps = _steps([piece.offset for piece in pieces])
    if steps is None:
        return
    axis = int(values.attribute(concat, "axis", 0)) % len(first.axes)
    joined = views.joined([*steps, *first.axes[axis]])
    view = View(first.root, (*first.axes[:axis], joined, *first.axes[axis + 1 :]))
    way = views.way(view)
    if way is not None:
        made = rearrangements.along(first.root, way, concat, builder)
        rearrangements.put(made, concat.outputs[0], builder)


def _pieces(concat: ir.Node) -> Iterator[ir.Value | None]:
    """What a Concat joins, and in its place what another along the same axis does for it alone."""
    for value in concat.inputs:
        inner = value.producer() if value is not None else None
        if inner is not None and values.is_operator(inner, "Concat") and _nested(inner, concat):
            yield from _pieces(inner)
        else:
            yield value


def _nested(inner: ir.Node, outer: ir.Node) -> bool:
    axes = {values.attribute(node, "axis", 0) for node in (inner, outer)}
    made = inner.outputs[0]
    return len(axes) == 1 and len(made.uses()) == 1 and not made.is_graph_output()


def _steps(offsets: list[int]) -> list[tuple[int, int]] | None:
    """The steps, outermost first, that lead through offsets in their order; None for others."""
    steps: list[tuple[int, int]] = []
    while len(offsets) > 1:
        stride, count = offsets[1] - offsets[0], 1
        while count < len(offsets) and offsets[count] == offsets[0] + count * stride:
            count += 1
        groups = [offsets[start : start + count] for start in range(0, len(offsets), count)]
        expected = [[group[0] + place * stride for place in range(count)] for group in groups]
        if stride < 1 or groups != expected:
            return None
        steps.insert(0, (stride, count))
        offsets = [group[0] for group in groups]
    return steps if offsets == [0] else None
