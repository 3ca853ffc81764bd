"""Concatenations of all pieces of a tensor, as a Reshape and a Transpose.

Merging of patches is one: some ports slice every other row and column and concatenate the four
images along their channels, others reshape and transpose.
"""

from __future__ import annotations

from collections.abc import Iterator

import onnx_ir as ir

from modeldocs.normal import values
from modeldocs.normal.builder import GraphBuilder
from modeldocs.normal.data_movement import reshape_transpose, slice_views, strided_views
from modeldocs.normal.data_movement.strided_views import View


def rearrange(model: ir.Model) -> None:
    """Replace every Concat of all pieces of one tensor by the shortest path to its result."""
    builder = GraphBuilder(model.graph)
    for node in list(model.graph):
        if node.graph is not None and values.is_operator(node, "Concat"):
            _replace(node, builder)


def _replace(concat: ir.Node, builder: GraphBuilder) -> None:
    pieces = []
    for value in _pieces(concat):
        view = slice_views.trace(value) if value is not None else None
        if view is None:
            return
        pieces.append(view)
    first = pieces[0]
    if len(pieces) < 2 or not reshape_transpose.is_computed(first.root):
        return
    if any(piece.root is not first.root or piece.axes != first.axes for piece in pieces):
        return
    steps = _steps([piece.offset for piece in pieces])
    if steps is None:
        return
    axis = int(values.attribute(concat, "axis", 0)) % len(first.axes)
    joined = strided_views.joined([*steps, *first.axes[axis]])
    view = View(first.root, (*first.axes[:axis], joined, *first.axes[axis + 1 :]))
    path = strided_views.path(view)
    if path is not None:
        value = reshape_transpose.follow(first.root, path, concat, builder)
        reshape_transpose.replace(concat.outputs[0], value, builder)


def _pieces(concat: ir.Node) -> Iterator[ir.Value | None]:
    """The operands of a Concat, with those of nested Concats along the same axis in their place."""
    for value in concat.inputs:
        inner = value.producer() if value is not None else None
        if inner is not None and values.is_operator(inner, "Concat") and _is_nested(inner, concat):
            yield from _pieces(inner)
        else:
            yield value


def _is_nested(inner: ir.Node, outer: ir.Node) -> bool:
    """Whether both concatenate along one axis, and nothing else reads the inner one."""
    axes = {values.attribute(node, "axis", 0) for node in (inner, outer)}
    return len(axes) == 1 and values.sole_consumer(inner.outputs[0]) is outer


def _steps(offsets: list[int]) -> list[tuple[int, int]] | None:
    """Steps (stride, count), outermost first, that visit these offsets in order, if any."""
    steps: list[tuple[int, int]] = []
    while len(offsets) > 1:
        stride, count = offsets[1] - offsets[0], 1
        while count < len(offsets) and offsets[count] == offsets[0] + count * stride:
            count += 1
        groups = [offsets[start : start + count] for start in range(0, len(offsets), count)]
        expected = [[group[0] + index * stride for index in range(count)] for group in groups]
        if stride < 1 or groups != expected:
            return None
        steps.insert(0, (stride, count))
        offsets = [group[0] for group in groups]
    return steps if offsets == [0] else None
