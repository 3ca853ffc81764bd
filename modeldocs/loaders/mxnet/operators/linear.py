"""Dense layers and products of matrices."""

from __future__ import annotations

import math

import onnx_ir as ir

from modeldocs.loaders.dims import said
from modeldocs.loaders.emission.inference import broadcast, shape_of
from modeldocs.loaders.emission.layouts import matrices_turned
from modeldocs.loaders.mxnet.operation import Operation, Outputs, emits


@emits("FullyConnected")
def fully_connected(op: Operation) -> Outputs:
    """Gemm of the flattened input, or of its last axis where `flatten` is off."""
    units = op.settings.integer("num_hidden", least=1)
    shape = op.sizes(least=1)
    flat = op.settings.flag("flatten", default=True)
    width = math.prod(shape[1:]) if flat else shape[-1]
    weight = op.parameter("weight", (units, width), dtype=op.dtype)
    operands = [weight]
    if not op.settings.flag("no_bias", default=False):
        operands.append(op.parameter("bias", (units,), dtype=op.dtype))
    value = op.value()
    if flat and len(shape) != 2:
        value = op.node("Flatten", [value], axis=1)
    if flat or len(shape) == 2:
        return [op.node("Gemm", [value, *operands], transB=1)]
    made = op.node("MatMul", [value, op.transpose(weight, (1, 0))])
    return [op.node("Add", [made, operands[1]]) if operands[1:] else made]


@emits("dot")
def dot(op: Operation) -> Outputs:
    """The last axis of the first with the first axis of the second."""
    first, second = _turned(op, 0, "transpose_a"), _turned(op, 1, "transpose_b")
    left, right = shape_of(first), shape_of(second)
    if not left or not right or left[-1] != right[0]:
        raise op.error(f"multiplies {said(left)} by {said(right)}", fix="make their sizes meet")
    if len(right) > 2:
        width = math.prod(dim for dim in right[1:] if isinstance(dim, int))
        second = op.reshaped(second, (int(right[0] or 1), width))
    made = op.node("MatMul", [first, second])
    whole = (*left[:-1], *right[1:])
    if not whole:
        return [op.reshaped(made, (1,))]
    return [op.reshaped(made, [int(dim or 1) for dim in whole])]


def _turned(op: Operation, slot: int, setting: str) -> ir.Value:
    """An operand, its axes moved round by one where a matrix would be transposed."""
    value = op.value(slot)
    rank = len(shape_of(value))
    if not op.settings.flag(setting, default=False) or rank < 2:
        return value
    return op.transpose(value, (*range(1, rank), 0) if slot == 0 else (rank - 1, *range(rank - 1)))


@emits("batch_dot", "linalg_gemm2")
def batch_dot(op: Operation) -> Outputs:
    """MatMul of stacks of matrices."""
    first, second = _swapped(op, 0, "transpose_a"), _swapped(op, 1, "transpose_b")
    left, right = shape_of(first), shape_of(second)
    stack = broadcast(left[:-2], right[:-2])
    if stack is None or left[-1] != right[-2]:
        raise op.error(f"multiplies {said(left)} by {said(right)}", fix="make their sizes meet")
    made = op.node("MatMul", [first, second])
    factor = op.settings.number("alpha", 1.0)
    return [made if factor == 1 else op.node("Mul", [made, op.scalar(factor, made)])]


def _swapped(op: Operation, slot: int, setting: str) -> ir.Value:
    rank = len(op.shape(slot, least=2))
    turn = op.settings.flag(setting, default=False)
    return op.transpose(op.value(slot), matrices_turned(rank)) if turn else op.value(slot)
