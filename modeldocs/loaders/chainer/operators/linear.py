"""Emitters of Chainer's dense layers, embeddings and matrix products."""

from __future__ import annotations

import onnx_ir as ir

from modeldocs.loaders.chainer.operation import ChainerOperation, emits
from modeldocs.loaders.emission.layouts import matrices_turned
from modeldocs.loaders.emission.operation import Outputs


@emits("LinearFunction")
def linear(op: ChainerOperation) -> Outputs:
    """Gemm; the weight is out x in."""
    return [op.node("Gemm", op.inputs, transB=1)]


@emits("MatMul", "BatchMatMul")
def matmul(op: ChainerOperation) -> Outputs:
    """MatMul, its operands and result transposed by the settings."""
    first, second = (
        _transposed(op, value, len(op.shape(index))) if op.setting(name) else value
        for index, (value, name) in enumerate(zip(op.inputs, ("transa", "transb"), strict=True))
    )
    product = op.node("MatMul", [first, second])
    rank = len(op.output_shape())
    return [_transposed(op, product, rank) if op.setting("transc") else product]


def _transposed(op: ChainerOperation, value: ir.Value, rank: int) -> ir.Value:
    return op.transpose(value, matrices_turned(rank)) if rank >= 2 else value


@emits("EmbedIDFunction")
def embed(op: ChainerOperation) -> Outputs:
    """Gather of rows; those of `ignore_label` are zero."""
    ids, weight = op.inputs
    ignored = op.setting("ignore_label")
    if ignored is None:
        return [op.node("Gather", [weight, ids], axis=0)]
    mask = op.node("Equal", [ids, op.scalar(ignored, ids)])
    valid = op.node("Where", [mask, op.scalar(0, ids), ids], dtype=ids.dtype)
    rows = op.node("Gather", [weight, valid], axis=0)
    return [op.node("Where", [op.reshape(mask, (*op.shape(), 1)), op.scalar(0, rows), rows])]
