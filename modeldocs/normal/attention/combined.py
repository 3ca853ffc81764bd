"""Masks that are computed: of booleans combined with a constant, or of numbers that shut scores.

Decoders often shut what comes later and what is padding by one mask: `And` of two, or the `Min` or
the product of zeros and ones, cast to booleans. Added to scores it is `(1 - kept) * -1e9`.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import onnx_ir as ir

from modeldocs.normal import values, views
from modeldocs.normal.building import Builder
from modeldocs.normal.idioms import algebra

_PASSED = ("Cast", "Identity", *views.RESHAPES)
_OF_NUMBERS = ("Min", "Mul")


def apart(mask: ir.Value, builder: Builder, at: ir.Node) -> list[ir.Value] | None:
    """What a mask that keeps scores is combined of, each as booleans; None where it is not.

    New nodes go before `at`.
    """
    value, node = mask, mask.producer()
    while node is not None and values.is_operator(node, *_PASSED) and node.inputs[0] is not None:
        value = node.inputs[0]
        node = value.producer()
    if node is None or not values.is_operator(node, "And", *_OF_NUMBERS):
        return None
    held = [operand for operand in node.inputs if operand is not None]
    constants = [array for operand in held if (array := values.constant(operand)) is not None]
    if len(constants) != 1 or len(held) != 2 or not np.isin(constants[0], (0, 1)).all():
        return None
    if mask.dtype != ir.DataType.BOOL or (node.op_type != "And" and _is_fraction(value)):
        return None
    targets = [_seen(operand, value, mask) for operand in held]
    if None in targets:
        return None
    return [
        _as_mask(operand, target, builder, at)
        for operand, target in zip(held, targets, strict=True)
        if target is not None
    ]


def kept(added: ir.Value, lowest: float, builder: Builder, at: ir.Node) -> ir.Value | None:
    """The zeros and ones of `(1 - kept) * number` as booleans, for a number up to `lowest`."""
    node = added.producer()
    if node is None or not values.is_operator(node, "Mul"):
        return None
    for value, other in (tuple(node.inputs), tuple(node.inputs)[::-1]):
        number = algebra.uniform(other)
        opposite = value.producer() if value is not None else None
        if number is None or number > lowest or not values.is_operator(opposite, "Sub"):
            continue
        if opposite is None or algebra.uniform(opposite.inputs[0]) != 1:
            continue
        source = opposite.inputs[1]
        cast = source.producer() if source is not None else None
        if cast is not None and values.is_operator(cast, "Cast") and cast.inputs[0] is not None:
            return _as_booleans(cast.inputs[0], builder, at)
    return None


def _is_fraction(value: ir.Value) -> bool:
    return value.dtype is None or not value.dtype.is_integer()


def _seen(operand: ir.Value, made: ir.Value, mask: ir.Value) -> tuple[int, ...] | None:
    """The shape of an operand once axes of size one are put in, or taken out, as for the mask."""
    dims, whole, wanted = (values.shape(value) for value in (operand, made, mask))
    if dims is None or whole is None or wanted is None or len(dims) > len(whole):
        return None
    dims = (1,) * (len(whole) - len(dims)) + dims
    return _stretched(dims, whole, wanted)


def _stretched(
    dims: Sequence[int], whole: Sequence[int], wanted: Sequence[int]
) -> tuple[int, ...] | None:
    found: list[int] = []
    left = list(zip(dims, whole, strict=True))
    for dim in reversed(wanted):
        while left and left[-1][1] == 1 != dim:
            left.pop()
        if left and left[-1][1] == dim:
            found.append(left.pop()[0])
        elif dim == 1:
            found.append(1)
        else:
            return None
    return tuple(reversed(found)) if all(size == 1 for _, size in left) else None


def _as_mask(operand: ir.Value, dims: tuple[int, ...], builder: Builder, at: ir.Node) -> ir.Value:
    array = values.constant(operand)
    if array is not None:
        return builder.constant(array.astype(bool).reshape(dims), f"{operand.name}/kept")
    operand = _as_booleans(operand, builder, at)
    return (
        operand
        if values.shape(operand) == dims
        else builder.before(at, builder.reshape(operand, dims))
    )


def _as_booleans(value: ir.Value, builder: Builder, at: ir.Node) -> ir.Value:
    if value.dtype == ir.DataType.BOOL:
        return value
    cast = builder.node("Cast", [value], [ir.AttrInt64("to", int(ir.DataType.BOOL))], like=value)
    cast.outputs[0].type = ir.TensorType(ir.DataType.BOOL)
    return builder.before(at, cast)
