"""Emitters of Caffe's InnerProduct, Embed and Parameter."""

from __future__ import annotations

import onnx_ir as ir

from modeldocs.loaders.caffe.operation import CaffeOperation, emits
from modeldocs.loaders.dims import product
from modeldocs.loaders.emission.linear import fully_connected
from modeldocs.loaders.emission.operation import Outputs


@emits("InnerProduct")
def inner_product(op: CaffeOperation) -> Outputs:
    """Gemm of the blob as a matrix; the weight is outputs × inputs unless `transpose` is on."""
    param = op.param("inner_product_param")
    # A blob of unknown rank with the usual axis is a matrix with an unknown number of features.
    unranked = param.integer("axis") == 1 and op.input().shape is None
    shape = (None, None) if unranked else op.shape()
    axis = op.axis("inner_product_param", len(shape))
    rows, features = product(shape[:axis]), product(shape[axis:])
    outputs = param.maybe("num_output")
    if outputs is None:  # NVIDIA's DIGITS fills in the number of classes
        op.notes.append(f"{op.layer.where}: {op.name!r} has no num_output, drawn as ?")
    matrix = op.input()
    if len(shape) != 2 or axis != 1 or unranked:
        matrix = op.node("Flatten", [matrix], shape=(rows, features), axis=axis)
    transposed = not param.flag("transpose")
    weight_shape = (outputs, features) if transposed else (features, outputs)
    weight = op.parameter("weight", weight_shape, 0)
    bias = op.parameter("bias", (outputs,), 1) if param.flag("bias_term") else None
    result = fully_connected(op, matrix, weight, bias, transposed=transposed, shape=(rows, outputs))
    return [result if axis == 1 else op.reshape(result, (*shape[:axis], outputs))]


@emits("Embed")
def embed(op: CaffeOperation) -> Outputs:
    """Gather of rows, whose indices Caffe holds as floats."""
    param = op.param("embed_param")
    rows, outputs = param.integer("input_dim"), param.integer("num_output")
    weight = op.parameter("weight", (rows, outputs), 0)
    index = op.cast(op.input(), ir.DataType.INT64)
    result = op.node("Gather", [weight, index], axis=0)
    if param.flag("bias_term"):
        result = op.node("Add", [result, op.parameter("bias", (outputs,), 1)])
    return [result]


@emits("Parameter")
def parameter(op: CaffeOperation) -> Outputs:
    """Identity of a learned blob."""
    shape = tuple(op.param("parameter_param").message("shape").all("dim"))
    return [op.node("Identity", [op.parameter("weight", shape, 0)])]
