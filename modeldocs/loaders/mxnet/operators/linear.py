"""Emitters of MXNet's dense layers and matrix products."""

from __future__ import annotations

import math

import onnx_ir as ir

from modeldocs.loaders.dims import as_text
from modeldocs.loaders.emission import linear
from modeldocs.loaders.emission.inference import broadcast, shape_of
from modeldocs.loaders.emission.layouts import matrices_turned
from modeldocs.loaders.emission.operation import Outputs
from modeldocs.loaders.mxnet.operation import MxnetOperation, emits


@emits("FullyConnected")
def fully_connected(op: MxnetOperation) -> Outputs:
    """Gemm of the flattened input; MatMul along the last axis where `flatten` is off."""
    units = op.settings.integer("num_hidden", least=1)
    shape = op.sizes(least=1)
    flatten = op.settings.flag("flatten", default=True)
    width = math.prod(shape[1:]) if flatten else shape[-1]
    weight = op.parameter("weight", (units, width), dtype=op.dtype)
    bias = None
    if not op.settings.flag("no_bias", default=False):
        bias = op.parameter("bias", (units,), dtype=op.dtype)
    value = op.input()
    if flatten and len(shape) != 2:
        value = op.node("Flatten", [value], axis=1)
    return [linear.fully_connected(op, value, weight, bias)]


@emits("dot")
def dot(op: MxnetOperation) -> Outputs:
    """The product over the last axis of the first operand and the first axis of the second."""
    first, second = _rotated(op, 0, "transpose_a"), _rotated(op, 1, "transpose_b")
    left, right = shape_of(first), shape_of(second)
    if not left or not right or left[-1] != right[0]:
        raise _mismatch(op, first, second)
    if len(right) > 2:
        width = math.prod(dim for dim in right[1:] if isinstance(dim, int))
        second = op.reshaped(second, (int(right[0] or 1), width))
    product = op.node("MatMul", [first, second])
    # MXNet has no tensors without dimensions.
    shape = (*left[:-1], *right[1:]) or (1,)
    return [op.reshaped(product, [int(dim or 1) for dim in shape])]


def _rotated(op: MxnetOperation, slot: int, setting: str) -> ir.Value:
    """An operand whose axes are rotated by one, which transposes a matrix."""
    value = op.input(slot)
    rank = len(shape_of(value))
    if not op.settings.flag(setting, default=False) or rank < 2:
        return value
    return op.transpose(value, (*range(1, rank), 0) if slot == 0 else (rank - 1, *range(rank - 1)))


@emits("batch_dot", "linalg_gemm2")
def batch_dot(op: MxnetOperation) -> Outputs:
    """MatMul of batches of matrices."""
    first, second = _transposed(op, 0, "transpose_a"), _transposed(op, 1, "transpose_b")
    product = _matmul(op, first, second)
    factor = op.settings.number("alpha", 1.0)
    return [product if factor == 1 else op.node("Mul", [product, op.scalar(factor, product)])]


def _transposed(op: MxnetOperation, slot: int, setting: str) -> ir.Value:
    rank = len(op.shape(slot, least=2))
    transposes = op.settings.flag(setting, default=False)
    return op.transpose(op.input(slot), matrices_turned(rank)) if transposes else op.input(slot)


@emits("_np_dot", "_npi_matmul")
def numpy_product(op: MxnetOperation) -> Outputs:
    """MatMul; numpy's `dot` by a tensor of more than two dimensions is another product."""
    first, second = op.exactly(2)
    left, right = shape_of(first), shape_of(second)
    if len(left) < 2 or len(right) < 2 or (len(right) > 2 and op.kind == "_np_dot"):
        return op.opaque([None])
    return [_matmul(op, first, second)]


def _matmul(op: MxnetOperation, first: ir.Value, second: ir.Value) -> ir.Value:
    left, right = shape_of(first), shape_of(second)
    if broadcast(left[:-2], right[:-2]) is None or left[-1] != right[-2]:
        raise _mismatch(op, first, second)
    return op.node("MatMul", [first, second])


def _mismatch(op: MxnetOperation, first: ir.Value, second: ir.Value) -> Exception:
    left, right = as_text(shape_of(first)), as_text(shape_of(second))
    return op.error(f"cannot multiply {left} by {right}", fix="make their shapes match")
