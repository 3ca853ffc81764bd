"""Masks that are combined of a constant and a computed mask, or computed as numbers to add.

Decoders often mask later positions and padding by one mask: the `And` of two, or the `Min` or the
product of zeros and ones, cast to booleans. As numbers to add to scores it is `(1 - kept) * -1e9`.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import onnx_ir as ir

from modeldocs.ir import operators
from modeldocs.normal import values
from modeldocs.normal.builder import GraphBuilder

_VALUE_PRESERVING = operators.moving("identity", "cast", "reshape")


def factors(mask: ir.Value, builder: GraphBuilder, at: ir.Node) -> list[ir.Value] | None:
    """The two masks that a mask of kept scores combines, as booleans; None where it combines none.

    New nodes go before `at`.
    """
    value, node = mask, mask.producer()
    while (
        node is not None
        and values.is_operator(node, *_VALUE_PRESERVING)
        and node.inputs[0] is not None
    ):
        value = node.inputs[0]
        node = value.producer()
    if node is None or not values.is_operator(node, "And", "Min", "Mul"):
        return None
    operands = [operand for operand in node.inputs if operand is not None]
    constants = [array for operand in operands if (array := values.constant(operand)) is not None]
    if len(constants) != 1 or len(operands) != 2 or not np.isin(constants[0], (0, 1)).all():
        return None
    if mask.dtype != ir.DataType.BOOL or (node.op_type != "And" and _is_fraction(value)):
        return None
    shapes = [_reshaped_dims(operand, value, mask) for operand in operands]
    if None in shapes:
        return None
    return [
        _as_mask(operand, shape, builder, at)
        for operand, shape in zip(operands, shapes, strict=True)
        if shape is not None
    ]


def kept_by_sum(
    added: ir.Value, highest: float, builder: GraphBuilder, at: ir.Node
) -> ir.Value | None:
    """The booleans `kept` of `(1 - kept) * number`, for a number up to `highest`; else None."""
    node = added.producer()
    if node is None or not values.is_operator(node, "Mul"):
        return None
    for value, other in (tuple(node.inputs), tuple(node.inputs)[::-1]):
        number = values.uniform(other)
        opposite = value.producer() if value is not None else None
        if number is None or number > highest or not values.is_operator(opposite, "Sub"):
            continue
        if opposite is None or values.uniform(opposite.inputs[0]) != 1:
            continue
        source = opposite.inputs[1]
        cast = source.producer() if source is not None else None
        if cast is not None and values.is_operator(cast, "Cast") and cast.inputs[0] is not None:
            return _as_booleans(cast.inputs[0], builder, at)
    return None


def _is_fraction(value: ir.Value) -> bool:
    return value.dtype is None or not value.dtype.is_integer()


def _reshaped_dims(operand: ir.Value, combined: ir.Value, mask: ir.Value) -> tuple[int, ...] | None:
    """The shape of an operand after the Reshapes that lead from `combined` to `mask`.

    None where they do more than insert and remove axes of size 1.
    """
    dims, before, after = (values.shape(value) for value in (operand, combined, mask))
    if dims is None or before is None or after is None or len(dims) > len(before):
        return None
    dims = (1,) * (len(before) - len(dims)) + dims
    return _insert_ones(dims, before, after)


def _insert_ones(
    dims: Sequence[int], before: Sequence[int], after: Sequence[int]
) -> tuple[int, ...] | None:
    reversed_dims: list[int] = []
    remaining = list(zip(dims, before, strict=True))
    for dim in reversed(after):
        while remaining and remaining[-1][1] == 1 != dim:
            remaining.pop()
        if remaining and remaining[-1][1] == dim:
            reversed_dims.append(remaining.pop()[0])
        elif dim == 1:
            reversed_dims.append(1)
        else:
            return None
    if any(size != 1 for _, size in remaining):
        return None
    return tuple(reversed(reversed_dims))


def _as_mask(
    operand: ir.Value, dims: tuple[int, ...], builder: GraphBuilder, at: ir.Node
) -> ir.Value:
    array = values.constant(operand)
    if array is not None:
        return builder.constant(array.astype(bool).reshape(dims), f"{operand.name}/kept")
    operand = _as_booleans(operand, builder, at)
    if values.shape(operand) == dims:
        return operand
    return builder.before(at, builder.reshape(operand, dims))


def _as_booleans(value: ir.Value, builder: GraphBuilder, at: ir.Node) -> ir.Value:
    if value.dtype == ir.DataType.BOOL:
        return value
    cast = builder.node("Cast", [value], [ir.AttrInt64("to", int(ir.DataType.BOOL))], like=value)
    cast.outputs[0].type = ir.TensorType(ir.DataType.BOOL)
    return builder.before(at, cast)
