"""Casts that change values: they are layers, while others are steps on an edge.

A type keeps numbers up to some significant bits, with a fraction or without, and with a sign or
without. A cast loses values where the new type keeps less. 24 bits count as all there are: float32
is the precision in which networks are compared, and integers of 32 bits or more are indices, counts
and sizes.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import onnx
import onnx_ir as ir

from modeldocs.ir import operators
from modeldocs.normal import values
from modeldocs.normal.data_movement import strided_views

CASTS = operators.moving("cast")

_MOST = 24


class _KeptPrecision(NamedTuple):
    """What a type keeps of a number: significant bits, powers of two, a fraction, a sign."""

    bits: int
    exponent: int
    fraction: bool
    sign: bool

    def covers(self, other: _KeptPrecision) -> bool:
        """Whether all that `other` keeps is kept."""
        return (
            self.bits >= other.bits
            and self.exponent >= other.exponent
            and self.fraction >= other.fraction
            and self.sign >= other.sign
        )


def _float(bits: int, exponent: int, *, sign: bool = True) -> _KeptPrecision:
    return _KeptPrecision(min(bits, _MOST), exponent, True, sign)


def _integer(bits: int, *, sign: bool) -> _KeptPrecision:
    significant = min(bits - sign, _MOST)
    return _KeptPrecision(significant, significant, False, sign)


_KEPT = {
    ir.DataType.DOUBLE: _float(53, 127),
    ir.DataType.FLOAT: _float(24, 127),
    ir.DataType.FLOAT16: _float(11, 15),
    ir.DataType.BFLOAT16: _float(8, 127),
    ir.DataType.FLOAT8E4M3FN: _float(4, 8),
    ir.DataType.FLOAT8E4M3FNUZ: _float(4, 7),
    ir.DataType.FLOAT8E5M2: _float(3, 15),
    ir.DataType.FLOAT8E5M2FNUZ: _float(3, 15),
    ir.DataType.FLOAT4E2M1: _float(2, 2),
    ir.DataType.FLOAT8E8M0: _float(1, 127, sign=False),
    ir.DataType.BOOL: _integer(1, sign=False),
    **{
        getattr(ir.DataType, f"{prefix}INT{bits}"): _integer(bits, sign=not prefix)
        for bits in (2, 4, 8, 16, 32, 64)
        for prefix in ("", "U")
    },
}


def loses_values(node: ir.Node) -> bool:
    """Whether a node is a Cast that loses values, and no type around it tells so.

    Where the reader itself computes in the narrow type, or could read no other, as a Gather its
    indices, the types of its operands and outputs tell it. They do not where the numbers are then
    of a wider type again, or read by an operator that has outputs of another type.
    """
    if not is_narrowing(node):
        return False
    before, after = node.inputs[0], node.outputs[0]
    assert before is not None and before.dtype is not None and after.dtype is not None
    return not all(_is_told(*use, before.dtype, after.dtype) for use in _uses(after))


def is_narrowing(node: ir.Node | None) -> bool:
    """Whether a node is a Cast to a type that keeps less than its operand's."""
    if node is None or not values.is_operator(node, *CASTS) or node.inputs[0] is None:
        return False
    before, after = _kept(node.inputs[0]), _kept(node.outputs[0])
    return before is not None and after is not None and not after.covers(before)


def _kept(value: ir.Value) -> _KeptPrecision | None:
    return _KEPT.get(value.dtype) if value.dtype is not None else None


def _uses(value: ir.Value) -> Iterator[tuple[ir.Node, int]]:
    """The readers of a value with their slots, behind moves and casts that keep as much."""
    for reader, slot in value.uses():
        moved = reader.outputs[0]
        is_moved = values.is_operator(reader, *strided_views.MOVES) and slot == 0
        if is_moved or (values.is_operator(reader, *CASTS) and _kept(moved) == _kept(value)):
            yield from _uses(moved)
        else:
            yield reader, slot


def _is_told(reader: ir.Node, slot: int, before: ir.DataType, after: ir.DataType) -> bool:
    """Whether a reader of what was cast is one that has the narrow type itself, or needs it.

    A reader of booleans that is no Cast takes them for conditions, which other numbers are not.
    """
    if values.is_operator(reader, *CASTS):
        return False
    if after == ir.DataType.BOOL or any(value.dtype == after for value in reader.outputs):
        return True
    return not _accepts(reader, slot, before)


def _accepts(reader: ir.Node, slot: int, kind: ir.DataType) -> bool:
    """Whether an operand may have a type; true for operators that ONNX does not know."""
    if reader.domain not in values.DEFAULT_DOMAIN or not onnx.defs.has(reader.op_type):
        return True
    formal = onnx.defs.get_schema(reader.op_type).inputs
    accepted = formal[min(slot, len(formal) - 1)].types if formal else ()
    return not formal or f"tensor({kind.name.lower()})" in accepted
