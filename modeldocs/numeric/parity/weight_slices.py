"""The piece of an array that a Slice or a Split takes."""

from __future__ import annotations

import onnx_ir as ir

from modeldocs.normal import values

Shape = tuple[int, ...]
Slice = tuple[int, int, int, bool]
"""An axis, the start and stop of a piece along it, and whether the piece is flipped."""

_END = 2**31 - 1


def slices(node: ir.Node, value: ir.Value, shape: Shape | None) -> list[Slice] | None:
    """The piece that a Slice (of steps ±1) or Split takes of a shape; None for others."""
    if shape is None:
        return None
    if values.is_operator(node, "Split"):
        axis = int(values.attribute(node, "axis", 0)) % len(shape)
        sizes = [(values.shape(part) or (0,) * len(shape))[axis] for part in node.outputs]
        start = sum(sizes[: value.index() or 0])
        return [(axis, start, start + sizes[value.index() or 0], False)]
    if not values.is_operator(node, "Slice"):
        return None
    operands = [values.constant(values.operand(node, slot)) for slot in range(1, 5)]
    starts, ends, axes, steps = ([int(n) for n in g] if g is not None else [] for g in operands)
    pieces: list[Slice] = []
    for position, (start, end) in enumerate(zip(starts, ends, strict=False)):
        axis = (axes[position] if axes else position) % len(shape)
        step = steps[position] if steps else 1
        if step not in (1, -1):
            return None
        low, high, _ = slice(start, end if abs(end) < _END else None, step).indices(shape[axis])
        pieces.append((axis, low, high, False) if step == 1 else (axis, high + 1, low + 1, True))
    return pieces
