"""Whole numbers computed from known ones: sizes that a graph cuts out of a shape, or doubles."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from modeldocs.loaders.tensorflow import attributes
from modeldocs.loaders.tensorflow.program import Operation

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


def folded(operation: Operation, read: Sequence[Numbers | None]) -> Numbers | None:
    """What an operation of `KINDS` gives of whole numbers; None where that is not told."""
    known = [one for one in read if one is not None and one.dtype.kind == "i"]
    if len(known) < len(read):
        return None
    if operation.kind == "StridedSlice":
        return _cut(operation, known) if len(known) == 4 and known[0].ndim == 1 else None
    if len(known) != 2 or (operation.kind == "FloorDiv" and not known[1].all()):
        return None
    with np.errstate(over="ignore"):
        try:
            made: Numbers = np.asarray(_ARITHMETIC[operation.kind](*known))
        except ValueError:  # shapes that do not fit, which TensorFlow tells
            return None
    return made


def _cut(operation: Operation, known: Sequence[Numbers]) -> Numbers | None:
    """Part of a row of numbers."""
    values, *ends = known
    if any(one.size != 1 for one in ends) or _mask(operation, "ellipsis_mask", "new_axis_mask"):
        return None
    begin, end, step = (int(one.reshape(-1)[0]) for one in ends)
    if _mask(operation, "shrink_axis_mask"):
        return np.asarray(values[begin]) if -values.size <= begin < values.size else None
    start = None if _mask(operation, "begin_mask") else begin
    stop = None if _mask(operation, "end_mask") else end
    return values[start:stop:step] if step else None


def _mask(operation: Operation, *names: str) -> bool:
    held = (attributes.get(operation.proto, name) for name in names)
    return any(one.i & 1 for one in held if one is not None)
