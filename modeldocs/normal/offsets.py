"""Where a layer begins to read a parameter that it reads a part of: positions from the third on."""

from __future__ import annotations

import numpy as np
import onnx_ir as ir

from modeldocs.normal import plumbing, values


def start(value: ir.Value | None) -> int | None:
    """The first index of the rows in a row that are read of a parameter; None where it is 0.

    Nor is it told where it is a multiple of the number of rows: equal parts of a joined parameter
    (queries, keys and values) are no shift.
    """
    node = value.producer() if value is not None else None
    while node is not None and values.is_operator(node, *plumbing.MOVES):
        value = node.inputs[0]
        node = value.producer() if value is not None else None
    if node is None or not node.inputs or not values.is_parameter(node.inputs[0]):
        return None
    taken = _taken(node)
    if (
        taken is None
        or len(taken) < 2
        or not np.array_equal(np.diff(taken), np.ones(len(taken) - 1))
    ):
        return None
    first = int(taken[0])
    return first if first > 0 and first % len(taken) else None


def _taken(node: ir.Node) -> np.ndarray | None:
    """The indices along the only axis that a node cuts, None where they are not known."""
    shape = values.shape(node.inputs[0])
    if shape is None:
        return None
    if values.is_operator(node, "Gather"):
        chosen = values.constant(node.inputs[1])
        axis = int(values.attribute(node, "axis", 0)) % len(shape)
        return None if chosen is None else np.ravel(chosen) % shape[axis]
    if not values.is_operator(node, "Slice"):
        return None
    read = [values.constant(one) for one in node.inputs[1:] if one is not None]
    given = [np.ravel(one) for one in read if one is not None]
    if len(given) < 2 or len(given) != len(read):
        return None
    starts, ends, *rest = given
    axes = rest[0] if rest else np.arange(len(starts))
    steps = rest[1] if len(rest) > 1 else np.ones(len(starts), int)
    cut = [
        np.arange(shape[axis])[slice(int(first), int(last), int(step))]
        for first, last, axis, step in zip(starts, ends, axes, steps, strict=True)
    ]
    cut = [one for one, axis in zip(cut, axes, strict=True) if len(one) != shape[axis]]
    return cut[0] if len(cut) == 1 else None
