"""The order of elements within heads: one that queries and keys share changes no product."""

from __future__ import annotations

import onnx_ir as ir

from modeldocs.normal.builder import GraphBuilder
from modeldocs.normal.data_movement import reshape_transpose, strided_views
from modeldocs.normal.data_movement.strided_views import Steps, View


def restore(operands: list[ir.Value], builder: GraphBuilder, at: ir.Node) -> None:
    """Undo a rearrangement within the heads of queries and keys that is the same in both.

    `operands` are of shape (…, length, size), and are replaced in place. The products of queries
    and keys sum over elements of a head, whose order does not matter.
    """
    traces = [strided_views.trace(value) for value in operands[:2]]
    rearranged = [trace[0] for trace in traces if trace is not None]
    if len(rearranged) != 2 or len({_relative(view.axes[-1]) for view in rearranged}) != 1:
        return
    ordered = [_ordered(view) for view in rearranged]
    paths = [strided_views.path(view) if view is not None else None for view in ordered]
    for index, (view, path) in enumerate(zip(rearranged, paths, strict=True)):
        if path is not None and None not in paths:
            operands[index] = reshape_transpose.follow(view.root, path, at, builder)


def _ordered(view: View) -> View | None:
    """The view with its last axis in the root's order; None where that is its order."""
    steps = view.axes[-1]
    ordered = strided_views.joined(sorted(steps, reverse=True))
    if len(steps) < 2 or len(ordered) != 1:
        return None
    return View(view.root, (*view.axes[:-1], ordered), view.offset)


def _relative(steps: Steps) -> Steps:
    """Steps with strides in units of the smallest."""
    unit = min((stride for stride, _ in steps), default=1)
    return tuple((stride // unit, size) for stride, size in steps)
