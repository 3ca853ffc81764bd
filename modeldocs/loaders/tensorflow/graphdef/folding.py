"""Integers computed from constants and shapes, where TensorFlow does not compute them itself."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from modeldocs.loaders.tensorflow.graphdef import attributes
from modeldocs.loaders.tensorflow.program import GraphNode

Numbers = np.ndarray[Any, Any]

_ARITHMETIC = {
    "Add": np.add,
    "AddV2": np.add,
    "Sub": np.subtract,
    "Mul": np.multiply,
    "FloorDiv": np.floor_divide,
    "Maximum": np.maximum,
    "Minimum": np.minimum,
}
KINDS = ("StridedSlice", *_ARITHMETIC)


def folded(node: GraphNode, operands: Sequence[Numbers | None]) -> Numbers | None:
    """The result of a node of `KINDS` for integers; None where it is not known."""
    integers = [
        operand for operand in operands if operand is not None and operand.dtype.kind == "i"
    ]
    if len(integers) < len(operands):
        return None
    if node.kind == "StridedSlice":
        return _cut(node, integers) if len(integers) == 4 and integers[0].ndim == 1 else None
    if len(integers) != 2 or (node.kind == "FloorDiv" and not integers[1].all()):
        return None
    with np.errstate(over="ignore"):
        try:
            result: Numbers = np.asarray(_ARITHMETIC[node.kind](*integers))
        except ValueError:  # shapes that do not fit, which TensorFlow tells
            return None
    return result


def _cut(node: GraphNode, operands: Sequence[Numbers]) -> Numbers | None:
    """Part of a vector of numbers."""
    values, *bounds = operands
    if any(bound.size != 1 for bound in bounds) or _mask(node, "ellipsis_mask", "new_axis_mask"):
        return None
    begin, end, step = (int(bound.reshape(-1)[0]) for bound in bounds)
    if _mask(node, "shrink_axis_mask"):
        return np.asarray(values[begin]) if -values.size <= begin < values.size else None
    start = None if _mask(node, "begin_mask") else begin
    stop = None if _mask(node, "end_mask") else end
    return values[start:stop:step] if step else None


def _mask(node: GraphNode, *names: str) -> bool:
    attributes_found = (attributes.get(node.proto, name) for name in names)
    return any(attribute.i & 1 for attribute in attributes_found if attribute is not None)
