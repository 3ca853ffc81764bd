"""The places within heads of queries and keys: in one order in both, it says nothing."""

from __future__ import annotations

import onnx_ir as ir

from modeldocs.normal import rearrangements, views
from modeldocs.normal.building import Builder
from modeldocs.normal.views import Steps, View


def in_order(operands: list[ir.Value], builder: Builder, at: ir.Node) -> None:
    """Queries and keys of … x length x size, their places as these were computed.

    Both are changed in `operands` where both had been rearranged alike: products sum over places.
    """
    found = [views.trace(value) for value in operands[:2]]
    traced = [held[0] for held in found if held is not None]
    if len(traced) != 2 or len({_relative(view.axes[-1]) for view in traced}) != 1:
        return
    plain = [_plain(view) for view in traced]
    ways = [views.way(view) if view is not None else None for view in plain]
    for index, (view, way) in enumerate(zip(traced, ways, strict=True)):
        if way is not None and None not in ways:
            operands[index] = rearrangements.along(view.root, way, at, builder)


def _plain(view: View) -> View | None:
    """The view with the places of its last axis in the root's order; None where they are."""
    held = view.axes[-1]
    ordered = views.joined(sorted(held, reverse=True))
    if len(held) < 2 or len(ordered) != 1:
        return None
    return View(view.root, (*view.axes[:-1], ordered), view.offset)


def _relative(steps: Steps) -> Steps:
    """Steps counted in the least of them."""
    least = min((stride for stride, _ in steps), default=1)
    return tuple((stride // least, size) for stride, size in steps)
