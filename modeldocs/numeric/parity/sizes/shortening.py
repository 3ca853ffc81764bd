"""Operands that keep their first rows: constants, and what is computed of constants and weights.

A table of positions is as long as the words that a trace had. It is a constant, or is looked up,
sliced or repeated for so many.
"""

from __future__ import annotations

import numpy as np
import onnx_ir as ir

from modeldocs.normal import values
from modeldocs.normal.data_movement import permutations
from modeldocs.numeric.parity.sizes import equal_axes, stated_sizes
from modeldocs.numeric.parity.sizes.changed_sizes import ChangedSizes


def shorten(node: ir.Node, slot: int, axis: int, size: int, changed: ChangedSizes) -> bool:
    """Keep the first `size` elements of an operand along an axis, counted from the last; whether
    that can be. What several nodes read is shortened for all of them.
    """
    operand = node.inputs[slot]
    if operand is None or values.is_parameter(operand):
        return False
    data = values.constant(operand)
    if data is not None:
        changed.replace(node, slot, np.take(data, range(size), axis))
        return True
    producer = operand.producer()
    if producer is None or changed.now(operand)[axis] != changed.was(operand)[axis]:
        return False  # an input, or its size was decided by what it is computed of
    changed.is_behind = True
    return _shorten_output(producer, axis, size, changed)


def _shorten_output(node: ir.Node, axis: int, size: int, changed: ChangedSizes) -> bool:
    output = changed.was(node.outputs[0])
    match node.op_type:
        case "Expand":
            return _state(node, axis, size, changed)
        case "Slice":
            return _end(node, axis + len(output), size, changed)
        case "Gather":
            return _look_up(node, axis + len(output), size, changed)
        case "GatherElements":
            return shorten(node, 1, axis, size, changed)
        case "Transpose":
            order = permutations.of_node(node)
            source = None if order is None else order[axis + len(output)] - len(output)
            return source is not None and shorten(node, 0, source, size, changed)
        case "Reshape":
            return _before_reshape(node, axis + len(output), size, changed)
    shapes = [changed.was(value) for value in node.inputs if value is not None]
    if equal_axes.is_elementwise(shapes, output):
        old = output[axis]
        return all(
            shorten(node, slot, axis, size, changed)
            for slot, value in enumerate(node.inputs)
            if equal_axes.size(changed.was(value), axis) == old
        )
    keeps = axis < -1 and shapes and shapes[0][:-1] == output[:-1]
    return bool(keeps) and shorten(node, 0, axis, size, changed)


def _state(node: ir.Node, axis: int, size: int, changed: ChangedSizes) -> bool:
    """Repeat fewer times; what is not repeated along the axis is shortened itself."""
    stated = values.constant(node.inputs[1])
    if stated is None:
        return False
    if equal_axes.size(changed.was(node.inputs[0]), axis) != 1:
        return shorten(node, 0, axis, size, changed)
    sizes = np.array(stated)
    sizes[axis] = size
    changed.replace(node, 1, sizes)
    return True


def _end(node: ir.Node, axis: int, size: int, changed: ChangedSizes) -> bool:
    """End a Slice earlier along one of its axes, which then has positive steps of one."""
    given = [values.constant(value) for value in node.inputs[1:]]
    starts, ends, axes, steps = (*given, None, None, None, None)[:4]
    rank = len(changed.was(node.inputs[0]))
    if starts is None or ends is None or (steps is not None and (steps != 1).any()):
        return False
    cut = range(rank) if axes is None else [int(one) % rank for one in axes]
    if axis not in cut:
        return shorten(node, 0, axis - rank, size, changed)
    place = list(cut).index(axis)
    if starts[place] < 0:
        return False
    sooner = np.array(ends)
    sooner[place] = starts[place] + size
    changed.replace(node, 2, sooner)
    return True


def _look_up(node: ir.Node, axis: int, size: int, changed: ChangedSizes) -> bool:
    """Look fewer rows up, or of fewer columns."""
    data, indices = changed.was(node.inputs[0]), changed.was(node.inputs[1])
    at = values.attribute(node, "axis", 0) % len(data)
    if at <= axis < at + len(indices):
        return shorten(node, 1, axis - at - len(indices), size, changed)
    own = axis if axis < at else axis - len(indices) + 1
    return shorten(node, 0, own - len(data), size, changed)


def _before_reshape(node: ir.Node, axis: int, size: int, changed: ChangedSizes) -> bool:
    """Shorten what is reshaped along the axis that becomes this one, alone or beside others of one
    element.
    """
    data, output = changed.was(node.inputs[0]), changed.was(node.outputs[0])
    for ours, theirs in stated_sizes.parts(data, output):
        if axis in range(*theirs.indices(len(output))):
            for place in range(*ours.indices(len(data))):
                if data[place] == output[axis]:
                    return shorten(node, 0, place - len(data), size, changed)
    return False
