"""What Split, Slice and Gather give, as views of what they cut."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import onnx_ir as ir

from modeldocs.normal import values, views
from modeldocs.normal.building import Builder
from modeldocs.normal.idioms import slicing
from modeldocs.normal.views import View

CUTS = ("Split", "Slice", "Gather")


def trace(value: ir.Value, builder: Builder) -> View | None:
    """What a value is of what was computed, past all that moves or cuts."""
    chain: list[ir.Value] = []
    node = value.producer()
    while values.is_operator(node, *CUTS, *views.MOVES) and node is not None:
        source = node.inputs[0]
        if source is None:
            return None
        chain.append(value)
        value, node = source, source.producer()
    view = views.whole(value)
    for made in reversed(chain):
        maker = made.producer()
        if view is None or maker is None:
            return None
        if values.is_operator(maker, *CUTS):
            view = next((held for output, held in of(maker, view, builder) if output is made), None)
        else:
            view = views.moved(view, maker)
    return view


def of(node: ir.Node, view: View, builder: Builder) -> Iterator[tuple[ir.Value, View]]:
    """Each output of a cut as a view; a number cannot be cut."""
    if not view.axes:
        return
    match node.op_type:
        case "Split":
            axis, start = int(values.attribute(node, "axis", 0)) % len(view.axes), 0
            for output in node.outputs:
                size = (values.shape(output) or (0,) * (axis + 1))[axis]
                made = views.cut(view, axis, start, size) if size else None
                start += size
                if made is not None:
                    yield output, made
        case "Slice":
            made = _sliced(slicing.cuts(node, builder), node, view)
            if made is not None:
                yield node.outputs[0], made
        case _:
            made = _gathered(node, view)
            if made is not None:
                yield node.outputs[0], made


def _sliced(cuts: list[tuple[int, int, int, int]] | None, node: ir.Node, view: View) -> View | None:
    before, after = values.shape(node.inputs[0]), values.shape(node.outputs[0])
    if cuts is None or before is None or after is None:
        return None
    made: View | None = view
    for axis, start, _, step in cuts:
        if made is None or step < 1 or not after[axis]:
            return None
        first = max(0, start + before[axis]) if start < 0 else start
        made = views.cut(made, axis, first, after[axis], step)
    return made


def _gathered(node: ir.Node, view: View) -> View | None:
    """One place of an axis, and the axis taken away."""
    place, dims = values.constant(values.operand(node, 1)), values.shape(node.inputs[0])
    if place is None or place.ndim or not dims:
        return None
    axis = int(values.attribute(node, "axis", 0)) % len(dims)
    made = views.cut(view, axis, int(place) % dims[axis], 1)
    if made is None:
        return None
    return replace(made, axes=made.axes[:axis] + made.axes[axis + 1 :])
