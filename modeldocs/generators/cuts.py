"""Where a Slice cuts, axis by axis."""

from __future__ import annotations

import onnx_ir as ir

from modeldocs.generators.network import constant
from modeldocs.normal import values


def cuts(node: ir.Node) -> dict[int, slice] | None:
    """The slice of each axis that is cut, or read backwards; None where it is computed.

    Bounds are counted from the front, and None at the ends of an axis.
    """
    shape = values.shape(node.inputs[0])
    starts, ends, axes, steps = (_integers(node, slot) for slot in range(1, 5))
    if shape is None or starts is None or ends is None:
        return None
    axes = axes if axes is not None else list(range(len(starts)))
    steps = steps if steps is not None else [1] * len(starts)
    found: dict[int, slice] = {}
    for start, end, axis, step in zip(starts, ends, axes, steps, strict=True):
        size = shape[axis % len(shape)]
        if step < 0:
            read = range(size)[start:end:step]
            if len(read) != size or step != -1:
                return None
            found[axis % len(shape)] = slice(None, None, -1)
            continue
        first, last, _ = slice(start, end, step).indices(size)
        if (first, last, step) != (0, size, 1):
            found[axis % len(shape)] = slice(first or None, last if last < size else None, step)
    return dict(sorted(found.items()))


def _integers(node: ir.Node, slot: int) -> list[int] | None:
    array = constant(values.operand(node, slot))
    return None if array is None else [int(one) for one in array.reshape(-1)]
