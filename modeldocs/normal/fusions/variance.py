"""Variances of data: the first half of every norm of data."""

from __future__ import annotations

from dataclasses import dataclass

import onnx_ir as ir

from modeldocs.normal import values
from modeldocs.normal.fusions import matching


@dataclass(frozen=True)
class Statistics:
    """A variance of `x` over `axes`, and its nodes; `mean` is None for the mean square."""

    x: ir.Value
    mean: ir.Value | None
    axes: tuple[int, ...]
    nodes: tuple[ir.Node, ...]


def statistics(variance: ir.Value) -> Statistics | None:
    """A value as a variance of data: mean((x - m)²), mean(x²) - m², or the mean square mean(x²)."""
    mean = matching.producer(variance, "ReduceMean")
    if mean is not None:
        return _of_squares(mean)
    sub = matching.producer(variance, "Sub")
    squares = matching.producer(sub.inputs[0], "ReduceMean") if sub else None
    mean_square = _of_squares(squares) if squares else None
    square = matching.squared(sub.inputs[1]) if sub else None
    if mean_square is None or mean_square.mean is not None or square is None or sub is None:
        return None
    x, axes = mean_square.x, mean_square.axes
    first = matching.producer(square[0], "ReduceMean")
    if first is None or first.inputs[0] is not x or _axes(first) != axes:
        return None
    return Statistics(x, square[0], axes, (first, *mean_square.nodes, *square[1], sub))


def _of_squares(mean: ir.Node) -> Statistics | None:
    """A mean of squares, of centred data or of the data themselves."""
    axes, square = _axes(mean), matching.squared(mean.inputs[0])
    if axes is None or square is None:
        return None
    base, nodes = square
    centred = matching.producer(base, "Sub")
    first = matching.producer(centred.inputs[1], "ReduceMean") if centred else None
    x = centred.inputs[0] if centred else None
    if first is not None and x is not None and first.inputs[0] is x and _axes(first) == axes:
        return Statistics(x, first.outputs[0], axes, (first, *_producers(nodes[0]), *nodes, mean))
    return Statistics(base, None, axes, (*nodes, mean))


def _producers(node: ir.Node) -> list[ir.Node]:
    """The producers of a node's operands."""
    return [one for value in node.inputs if value and (one := value.producer())]


def _axes(mean: ir.Node) -> tuple[int, ...] | None:
    """The axes of a mean that keeps them as axes of size 1; None for others."""
    return matching.reduced_axes(mean) if values.attribute(mean, "keepdims", 1) else None
