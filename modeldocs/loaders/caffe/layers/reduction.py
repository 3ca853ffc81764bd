"""Softmax, ArgMax and Reduction."""

from __future__ import annotations

import onnx_ir as ir

from modeldocs.ir import Dim
from modeldocs.loaders.caffe.layer import CaffeLayer, Tops, emits
from modeldocs.loaders.dims import Dims, product

_REDUCTIONS = {
    "SUM": "ReduceSum", "ASUM": "ReduceL1", "SUMSQ": "ReduceSumSquare", "MEAN": "ReduceMean",
}  # fmt: skip


@emits("Softmax")
def softmax(layer: CaffeLayer) -> Tops:
    """Softmax along one axis, of each pixel where there are some."""
    axis = layer.axis(
        layer.param("softmax_param").integer("axis"), len(layer.shape()), "softmax_param"
    )
    return [layer.node("Softmax", [layer.bottom()], axis=axis)]


@emits("Reduction")
def reduction(layer: CaffeLayer) -> Tops:
    """A Reduce over the last axes, times a coefficient."""
    param, shape = layer.param("reduction_param"), layer.shape()
    axis = layer.axis(param.integer("axis"), len(shape), "reduction_param")
    axes = layer.integers(list(range(axis, len(shape))), "axes")
    op, coefficient = _REDUCTIONS[param.text("operation")], param.number("coeff")
    made = layer.node(op, [layer.bottom(), axes], keepdims=0)
    if coefficient == 1:
        return [made]
    return [layer.node("Mul", [made, layer.scalar(coefficient)])]


@emits("ArgMax")
def arg_max(layer: CaffeLayer) -> Tops:
    """ArgMax along an axis; the top few, or those of a whole sample, stay Caffe's own."""
    param, shape = layer.param("argmax_param"), layer.shape()
    best, values = param.integer("top_k"), param.flag("out_max_val")
    if not param.has("axis"):
        # Over the whole sample, with the indices before the values.
        made: Dims = (*shape[:1], 2 if values else 1, best)
        return layer.opaque([_within(layer, made, best, product(shape[1:]))], param="argmax_param")
    axis = layer.axis(param.integer("axis"), len(shape), "argmax_param")
    final = (*shape[:axis], best, *shape[axis + 1 :])
    if best > 1 or values:
        return layer.opaque([final], param="argmax_param")
    index = layer.node("ArgMax", [layer.bottom()], axis=axis, keepdims=1)
    return [layer.cast(index, ir.DataType.FLOAT)]


def _within(layer: CaffeLayer, made: Dims, best: int, limit: Dim) -> Dims:
    if isinstance(limit, int) and best > limit:
        raise layer.error(f"picks more than its {limit} values", fix="lower top_k")
    return made
