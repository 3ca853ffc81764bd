"""Outputs of Split, Slice and Gather as views of the tensor that they cut."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import onnx_ir as ir

from modeldocs.ir import operators
from modeldocs.normal import values
from modeldocs.normal.data_movement import strided_views
from modeldocs.normal.data_movement.strided_views import View
from modeldocs.normal.fusions import slicing

CUTS = operators.moving("cut") | {"Gather"}


def trace(value: ir.Value) -> View | None:
    """A value as a view of the tensor that it is cut and moved from; None where it is none."""
    chain: list[ir.Value] = []
    node = value.producer()
    while values.is_operator(node, *CUTS, *strided_views.MOVES) and node is not None:
        source = node.inputs[0]
        if source is None:
            return None
        chain.append(value)
        value, node = source, source.producer()
    view = strided_views.whole(value)
    for current in reversed(chain):
        producer = current.producer()
        if view is None or producer is None:
            return None
        if values.is_operator(producer, *CUTS):
            view = dict(outputs(producer, view)).get(current)
        else:
            view = strided_views.through(view, producer)
    return view


def outputs(node: ir.Node, view: View) -> Iterator[tuple[ir.Value, View]]:
    """The outputs of a cut, each with its view, given the view of its operand."""
    if not view.axes:
        return
    match node.op_type:
        case "Split":
            axis, start = int(values.attribute(node, "axis", 0)) % len(view.axes), 0
            for output in node.outputs:
                size = (values.shape(output) or (0,) * (axis + 1))[axis]
                piece = strided_views.cut(view, axis, start, size) if size else None
                start += size
                if piece is not None:
                    yield output, piece
        case "Slice":
            piece = _slice(slicing.cuts(node), node, view)
            if piece is not None:
                yield node.outputs[0], piece
        case _:
            piece = _gather(node, view)
            if piece is not None:
                yield node.outputs[0], piece


def _slice(cuts: list[tuple[int, int, int, int]] | None, node: ir.Node, view: View) -> View | None:
    before, after = values.shape(node.inputs[0]), values.shape(node.outputs[0])
    if cuts is None or before is None or after is None:
        return None
    piece: View | None = view
    for axis, start, _, step in cuts:
        if piece is None or step < 1 or not after[axis]:
            return None
        first = max(0, start + before[axis]) if start < 0 else start
        piece = strided_views.cut(piece, axis, first, after[axis], step)
    return piece


def _gather(node: ir.Node, view: View) -> View | None:
    """The view of one index of an axis, which is removed; None for several indices."""
    index, dims = values.constant(values.operand(node, 1)), values.shape(node.inputs[0])
    if index is None or index.ndim or not dims:
        return None
    axis = int(values.attribute(node, "axis", 0)) % len(dims)
    piece = strided_views.cut(view, axis, int(index) % dims[axis], 1)
    if piece is None:
        return None
    return replace(piece, axes=piece.axes[:axis] + piece.axes[axis + 1 :])
