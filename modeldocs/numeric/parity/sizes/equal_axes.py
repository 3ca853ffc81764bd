"""Axes of two operands of a node that are of one size, whatever that is."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

import numpy as np
import onnx_ir as ir

from modeldocs.normal import values
from modeldocs.numeric.parity.edge_path import Shape
from modeldocs.numeric.parity.sizes.changed_sizes import ChangedSizes

Place = tuple[int, int]
"""An operand of a node and one of its axes, counted from the last: (0, -1)."""


def of(node: ir.Node, changed: ChangedSizes) -> Iterator[tuple[Place, Place]]:
    """The places that have to be of one size, by the sizes that they had."""
    shapes = {
        slot: changed.was(value) for slot, value in enumerate(node.inputs) if value is not None
    }
    if node.op_type == "Attention":
        yield from (((0, -2), (3, -2)), ((1, -2), (3, -1))) if 3 in shapes else ()
    elif node.op_type == "MatMul" and min(map(len, shapes.values())) > 1:
        yield (0, -1), (1, -2)
        yield from _equal(shapes, range(-max(map(len, shapes.values())), -2))
    elif node.op_type == "ScatterND":
        of_indices, of_updates = len(shapes[1]), len(shapes[2])
        for axis in range(of_indices - 1):
            yield (1, axis - of_indices), (2, axis - of_updates)
    elif node.op_type == "Concat":
        rank = len(shapes[0])
        joined = values.attribute(node, "axis", 0) % max(rank, 1) - rank
        yield from _equal(shapes, [axis for axis in range(-rank, 0) if axis != joined])
    elif is_elementwise(list(shapes.values()), changed.was(node.outputs[0])):
        yield from _equal(shapes, range(-max(map(len, shapes.values()), default=0), 0))


def is_elementwise(shapes: list[Shape], output: Shape) -> bool:
    """Whether operands are broadcast to the output."""
    try:
        return np.broadcast_shapes(*shapes) == output
    except ValueError:
        return False


def size(shape: Shape, axis: int) -> int:
    """The size of an axis that is counted from the last; 1 where there is none."""
    return shape[axis] if -axis <= len(shape) else 1


def _equal(shapes: dict[int, Shape], axes: range | list[int]) -> Iterator[tuple[Place, Place]]:
    for (i, first), (j, second) in combinations(shapes.items(), 2):
        for axis in axes:
            if size(first, axis) == size(second, axis) > 1:
                yield (i, axis), (j, axis)
