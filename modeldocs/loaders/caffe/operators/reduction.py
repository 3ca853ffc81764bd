"""Emitters of Caffe's Softmax, ArgMax and Reduction."""

from __future__ import annotations

import onnx_ir as ir

from modeldocs.loaders.caffe.operation import CaffeOperation, emits
from modeldocs.loaders.dims import product
from modeldocs.loaders.emission.operation import Outputs

_REDUCTIONS = {
    "SUM": "ReduceSum", "ASUM": "ReduceL1", "SUMSQ": "ReduceSumSquare", "MEAN": "ReduceMean",
}  # fmt: skip


@emits("Softmax")
def softmax(op: CaffeOperation) -> Outputs:
    """Softmax along one axis."""
    axis = op.axis("softmax_param", len(op.shape()))
    return [op.node("Softmax", [op.input()], axis=axis)]


@emits("Reduction")
def reduction(op: CaffeOperation) -> Outputs:
    """A reduction of the last axes, times a coefficient."""
    param, rank = op.param("reduction_param"), len(op.shape())
    axes = range(op.axis("reduction_param", rank), rank)
    result = op.reduce(_REDUCTIONS[param.text("operation")], op.input(), axes)
    coefficient = param.number("coeff")
    if coefficient != 1:
        result = op.node("Mul", [result, op.scalar(coefficient)])
    return [result]


@emits("ArgMax")
def arg_max(op: CaffeOperation) -> Outputs:
    """ArgMax along an axis; the first `top_k`, or those of a whole sample, stay Caffe's own."""
    param, shape = op.param("argmax_param"), op.shape()
    count, values = param.integer("top_k"), param.flag("out_max_val")
    if not param.has("axis"):
        limit = product(shape[1:])
        if isinstance(limit, int) and count > limit:
            raise op.error(f"picks more than its {limit} values", fix="lower top_k")
        # The indices of a sample come before their values.
        return op.opaque([(*shape[:1], 2 if values else 1, count)], param="argmax_param")
    axis = op.axis("argmax_param", len(shape))
    if count > 1 or values:
        final = (*shape[:axis], count, *shape[axis + 1 :])
        return op.opaque([final], param="argmax_param")
    index = op.node("ArgMax", [op.input()], axis=axis, keepdims=1)
    return [op.cast(index, ir.DataType.FLOAT)]
