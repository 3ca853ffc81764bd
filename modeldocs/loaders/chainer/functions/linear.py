"""Products with weights, and of matrices."""

from __future__ import annotations

from collections.abc import Sequence

import onnx_ir as ir

from modeldocs.loaders.chainer.step import Step, emits
from modeldocs.loaders.emission.layouts import matrices_turned


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
    product = step.node("MatMul", [first, second])
    return [step.transpose(product, matrices_turned(len(made)))]


def _turned(step: Step, value: ir.Value, index: int) -> ir.Value:
    rank = len(step.shape(index))
    return step.transpose(value, matrices_turned(rank)) if rank >= 2 else value


@emits("EmbedIDFunction")
def embed(step: Step) -> Sequence[ir.Value]:
    """Gather of rows; those of `ignore_label` are zero."""
    ids, weight = step.operands
    ignored = step.setting("ignore_label")
    if ignored is None:
        return [step.node("Gather", [weight, ids], axis=0)]
    mask = step.node("Equal", [ids, step.scalar(ignored, ids)])
    kept = step.node("Where", [mask, step.scalar(0, ids), ids], dtype=ids.dtype)
    rows = step.node("Gather", [weight, kept], axis=0)
    return [
        step.node("Where", [step.reshape(mask, (*step.shape(), 1)), step.scalar(0, rows), rows])
    ]
