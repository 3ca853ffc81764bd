"""The first index of a parameter that a layer reads in part, as position embeddings from 2 on."""

from __future__ import annotations

import numpy as np
import onnx_ir as ir

from modeldocs.normal import values
from modeldocs.normal.data_movement import tracing


def start(value: ir.Value | None) -> int | None:
    """The first of the contiguous rows that are read of a parameter; None where it is 0.

    It is None, too, where it is a multiple of the number of rows: equal parts of one parameter
    (queries, keys and values) are no offset.
    """
    node = value.producer() if value is not None else None
    while node is not None and tracing.is_move(node):
        value = node.inputs[0]
        node = value.producer() if value is not None else None
    if node is None or not node.inputs or not values.is_parameter(node.inputs[0]):
        return None
    indices = _indices(node)
    if indices is None or len(indices) < 2 or bool((np.diff(indices) != 1).any()):
        return None
    first = int(indices[0])
    return first if first > 0 and first % len(indices) else None


def _indices(node: ir.Node) -> np.ndarray | None:
    """The indices along the only axis that a node cuts; None where they are not known."""
    shape = values.shape(node.inputs[0])
    if shape is None:
        return None
    if values.is_operator(node, "Gather"):
        indices = values.constant(node.inputs[1])
        axis = int(values.attribute(node, "axis", 0)) % len(shape)
        return None if indices is None else np.ravel(indices) % shape[axis]
    if not values.is_operator(node, "Slice"):
        return None
    operands = [values.constant(one) for one in node.inputs[1:] if one is not None]
    arrays = [np.ravel(one) for one in operands if one is not None]
    if len(arrays) < 2 or len(arrays) != len(operands):
        return None
    starts, ends, *rest = arrays
    axes = rest[0] if rest else np.arange(len(starts))
    steps = rest[1] if len(rest) > 1 else np.ones(len(starts), int)
    ranges = [
        np.arange(shape[axis])[slice(int(first), int(last), int(step))]
        for first, last, axis, step in zip(starts, ends, axes, steps, strict=True)
    ]
    parts = [one for one, axis in zip(ranges, axes, strict=True) if len(one) != shape[axis]]
    return parts[0] if len(parts) == 1 else None
