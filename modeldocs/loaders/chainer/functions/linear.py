"""Products with weights, and of matrices."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import onnx_ir as ir

from modeldocs.loaders.chainer.step import Step, emits


@emits("LinearFunction")
def linear(step: Step) -> Sequence[ir.Value]:
    """Gemm; the weight is out x in."""
    return [step.node("Gemm", step.operands, transB=1)]


@emits("MatMul", "BatchMatMul")
def matmul(step: Step) -> Sequence[ir.Value]:
    """MatMul, its operands and its result turned as the settings say."""
    first, second = step.operands
    first = _turned(step, first, 0) if step.setting("transa") else first
    second = _turned(step, second, 1) if step.setting("transb") else second
    made = step.made()
    if not step.setting("transc") or len(made) < 2:
        return [step.node("MatMul", [first, second])]
    inner = (*made[:-2], made[-1], made[-2])
    product = step.node("MatMul", [first, second], inner)
    return [step.transpose(product, _swap(len(made)))]


def _swap(rank: int) -> list[int]:
    return [*range(rank - 2), rank - 1, rank - 2]


def _turned(step: Step, value: ir.Value, index: int) -> ir.Value:
    rank = len(step.shape(index))
    return step.transpose(value, _swap(rank)) if rank >= 2 else value


@emits("EmbedIDFunction")
def embed(step: Step) -> Sequence[ir.Value]:
    """Gather of rows; those of `ignore_label` are zero."""
    ids, weight = step.operands
    ignored = step.setting("ignore_label")
    if ignored is None:
        return [step.node("Gather", [weight, ids], axis=0)]
    dtype, shape = step.call.inputs[0].dtype, step.shape()
    label = step.constant(ignored, dtype)
    mask = step.node("Equal", [ids, label], shape, dtype=np.bool_)
    kept = step.node("Where", [mask, step.constant(0, dtype), ids], shape, dtype=dtype)
    rows = step.node("Gather", [weight, kept], axis=0)
    wide = step.reshape(mask, (*shape, 1), dtype=np.bool_)
    return [step.node("Where", [wide, step.constant(0.0), rows])]
