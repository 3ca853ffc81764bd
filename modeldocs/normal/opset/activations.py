"""Softmax of two dimensions, and operands that were stretched along an axis of their own."""

from __future__ import annotations

import onnx_ir as ir

from modeldocs.normal import values
from modeldocs.normal.opset.rules import changed_in
from modeldocs.normal.opset.upgrade import Upgrade, UpgradeError


@changed_in(13, "Softmax", "LogSoftmax", "Hardmax")
def flattening(old: Upgrade) -> ir.Value | None:
    """Over all axes from `axis` on, of the operand as a matrix; since 13 over one axis."""
    rank, axis = values.rank(old.x), int(old.attribute("axis", 1))
    dims = old.x.shape
    if rank is not None and dims is not None:
        axis += rank if axis < 0 else 0
        if all(dim == 1 for dim in dims[axis + 1 :]) and axis < rank:
            old.node.attributes["axis"] = ir.AttrInt64("axis", axis)
            return None
    matrix = old.emit("Flatten", [old.x], {"axis": axis})
    normed = old.emit(old.node.op_type, [matrix], {"axis": 1})
    known = values.shape(old.x)
    target = (
        old.integers(known, "shape")
        if known is not None
        else old.emit("Shape", [old.x], dtype=ir.DataType.INT64)
    )
    return old.replace(old.emit("Reshape", [normed, target]))


@changed_in(7, "Add", "Sub", "Mul", "Div", "Pow", "And", "Or", "Xor", "Equal", "Greater", "Less")
def stretched(old: Upgrade) -> ir.Value | None:
    """The second operand is stretched from `axis` on, by default at the end, if `broadcast`."""
    broadcast, axis = old.take("broadcast", 0), old.take("axis")
    if broadcast and axis is not None:
        b = old.operand(1)
        rank_a, rank_b = old.rank(old.x), old.rank(b)
        _stretch(old, 1, rank_a - (axis + rank_a if axis < 0 else axis) - rank_b)
    return None


@changed_in(7, "PRelu")
def slope_by_channel(old: Upgrade) -> ir.Value | None:
    """One slope, or one for each channel, whose axis is the second."""
    if old.rank(old.operand(1)) == 1:
        _stretch(old, 1, old.rank(old.x) - 2)
    return None


def _stretch(old: Upgrade, slot: int, trailing: int) -> None:
    """Give an operand trailing axes of size 1."""
    operand = old.operand(slot)
    if trailing < 0 or operand is None:
        raise UpgradeError
    if trailing:
        rank = old.rank(operand)
        axes = old.integers(range(rank, rank + trailing), "axes")
        old.put(slot, old.emit("Unsqueeze", [operand, axes]))


@changed_in(3, "GRU")
def direction(old: Upgrade) -> None:
    """The first version misspelled the default of `direction`."""
    if old.attribute("direction") == "foward":
        old.node.attributes["direction"] = ir.AttrString("direction", "forward")
