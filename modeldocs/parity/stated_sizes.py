"""What a network states of its sizes: the shapes it reshapes to, and constants of as many rows.

A trace for one length has that length in both. For a smaller one, they are made smaller.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import combinations

import numpy as np
import onnx_ir as ir

from modeldocs.normal import values
from modeldocs.normal.builder import Builder
from modeldocs.parity.edge_path import Shape

_Before = Mapping[ir.Value, Shape | None]
"""The shapes that values had."""

_Place = tuple[int, int]
"""An operand of a node and one of its axes, counted from the last."""


def follow(node: ir.Node, before: _Before, builder: Builder) -> None:
    """Make the constant operands of a node follow the sizes of the others."""
    if node.op_type == "Reshape":
        _restate(node, before, builder)
        return
    for places in _equal_axes(node, before):
        sizes = [_dim(values.shape(node.inputs[slot]), axis) for slot, axis in places]
        if min(sizes) < max(sizes):
            slot, axis = places[sizes.index(max(sizes))]
            _cut(node, slot, axis, min(sizes), builder)


def _restate(node: ir.Node, before: _Before, builder: Builder) -> None:
    """State the shape that a Reshape gives what has other sizes now."""
    data, output = node.inputs[0], node.outputs[0]
    was = before.get(data) if data is not None else None
    now, own = values.shape(data), before[output]
    if was is None or now is None or own is None:
        return
    stated: list[int] = []
    for ours, theirs in _parts(was, own):
        stated += _scaled(was[ours], now[ours], own[theirs])
    node.replace_input_with(1, builder.numbers(stated, f"{output.name}/shape"))


def _parts(ours: Shape, theirs: Shape) -> Iterator[tuple[slice, slice]]:
    """Runs of axes of both shapes that have as many elements, as short as they can be."""
    i = j = 0
    start = i, j
    left = right = 1
    while i < len(ours) or j < len(theirs):
        if j == len(theirs) or (i < len(ours) and left <= right):
            left, i = left * ours[i], i + 1
        else:
            right, j = right * theirs[j], j + 1
        if left == right and i > start[0] and j > start[1]:
            yield slice(start[0], i), slice(start[1], j)
            start = i, j
    yield slice(start[0], i), slice(start[1], j)


def _scaled(was: Shape, now: Shape, stated: Shape) -> list[int]:
    """Sizes whose product follows: those that were equal to one that changed, else the first that
    can be divided.
    """
    result = list(stated)
    for old, new in zip(was, now, strict=True):
        if old == new:
            continue
        at = next((i for i, size in enumerate(result) if size == old), None)
        if at is None:
            at = next((i for i, size in enumerate(result) if size * new % old == 0), None)
        if at is not None:
            result[at] = result[at] * new // old
    return result


def _equal_axes(node: ir.Node, before: _Before) -> Iterator[tuple[_Place, _Place]]:
    """The axes of two operands that are of one size, whatever it is."""
    shapes = {
        slot: _was(value, before) for slot, value in enumerate(node.inputs) if value is not None
    }
    if node.op_type == "Attention":
        yield from (((0, -2), (3, -2)), ((1, -2), (3, -1))) if 3 in shapes else ()
        return
    if node.op_type == "MatMul":
        yield (0, -1), (1, -2)
        axes = list(range(-max(map(len, shapes.values())), -2))
    elif _is_elementwise(shapes.values(), before[node.outputs[0]]):
        axes = list(range(-max(map(len, shapes.values())), 0))
    elif node.op_type == "Concat":
        joined = values.attribute(node, "axis", 0) % len(shapes[0]) - len(shapes[0])
        axes = [axis for axis in range(-len(shapes[0]), 0) if axis != joined]
    else:
        return
    for (i, first), (j, second) in combinations(shapes.items(), 2):
        for axis in axes:
            if _dim(first, axis) == _dim(second, axis) > 1:
                yield (i, axis), (j, axis)


def _was(value: ir.Value, before: _Before) -> Shape:
    """The shape that an operand had; constants have kept theirs."""
    return before.get(value) or values.shape(value) or ()


def _is_elementwise(shapes: Iterable[Shape], output: Shape | None) -> bool:
    """Whether operands are broadcast to the output."""
    try:
        return np.broadcast_shapes(*shapes) == output
    except ValueError:
        return False


def _dim(shape: Shape | None, axis: int) -> int:
    """The size of an axis that is counted from the last; 0 where there is none."""
    return shape[axis] if shape is not None and -axis <= len(shape) else 0


def _cut(node: ir.Node, slot: int, axis: int, size: int, builder: Builder) -> None:
    """Keep the first rows of a constant operand along an axis; a weight is kept whole."""
    operand = node.inputs[slot]
    data = values.constant(operand)
    if operand is None or data is None or values.is_parameter(operand):
        return
    kept = np.take(data, range(size), axis)
    node.replace_input_with(slot, builder.constant(kept, f"{operand.name}/{size}"))
