"""How data give their own variance: the first half of every norm of data."""

from __future__ import annotations

from dataclasses import dataclass

import onnx_ir as ir

from modeldocs.normal import values
from modeldocs.normal.idioms import matching


@dataclass(frozen=True)
class Statistics:
    """How data give their own variance: of `x`, over `axes`; `mean` is None for the mean square."""

    x: ir.Value
    mean: ir.Value | None
    axes: tuple[int, ...]
    nodes: tuple[ir.Node, ...]


def statistics(variance: ir.Value) -> Statistics | None:
    """How a variance comes from data: mean((x - m)²), or mean(x²), with or without less m²."""
    mean = matching.producer(variance, "ReduceMean")
    if mean is not None:
        return _of_squares(mean)
    less = matching.producer(variance, "Sub")
    squares = matching.producer(less.inputs[0], "ReduceMean") if less else None
    told = _of_squares(squares) if squares else None
    base = matching.squared(less.inputs[1]) if less else None
    if told is None or told.mean is not None or base is None or less is None:
        return None
    first = matching.producer(base[0], "ReduceMean")
    if first is None or first.inputs[0] is not told.x or _axes(first) != told.axes:
        return None
    return Statistics(told.x, base[0], told.axes, (first, *told.nodes, *base[1], less))


def _of_squares(mean: ir.Node) -> Statistics | None:
    axes, base = _axes(mean), matching.squared(mean.inputs[0])
    if axes is None or base is None:
        return None
    held, nodes = base
    centred = matching.producer(held, "Sub")
    first = matching.producer(centred.inputs[1], "ReduceMean") if centred else None
    x = centred.inputs[0] if centred else None
    if first is not None and x is not None and first.inputs[0] is x and _axes(first) == axes:
        return Statistics(x, first.outputs[0], axes, (first, *_makers(nodes[0]), *nodes, mean))
    return Statistics(held, None, axes, (*nodes, mean))


def _makers(square: ir.Node) -> list[ir.Node]:
    """What makes the operands of a square."""
    return [maker for value in square.inputs if value and (maker := value.producer())]


def _axes(mean: ir.Node) -> tuple[int, ...] | None:
    """The axes that a mean is taken over, where they stay as axes of one element."""
    return matching.reduced_axes(mean) if values.attribute(mean, "keepdims", 1) else None
