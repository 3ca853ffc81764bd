"""Matrix products: InnerProduct and Embed."""

from __future__ import annotations

import math

import onnx_ir as ir

from modeldocs.loaders.caffe.layer import CaffeLayer, Tops, emits
from modeldocs.loaders.dims import Dims, sizes


@emits("InnerProduct")
def inner_product(layer: CaffeLayer) -> Tops:
    """Gemm, after a Flatten where the blob is no matrix; weights are out × in."""
    param = layer.param("inner_product_param")
    shape = layer.shape()
    axis = layer.axis(param.integer("axis"), len(shape), "inner_product_param")
    features, outputs = math.prod(sizes(shape[axis:])), param.integer("num_output")
    transposed = param.flag("transpose")
    weight_shape = (features, outputs) if transposed else (outputs, features)
    inputs = [_matrix(layer, axis), layer.parameter("weight", weight_shape, 0)]
    if param.flag("bias_term"):
        inputs.append(layer.parameter("bias", (outputs,), 1))
    rows: Dims = shape[:1] if axis == 1 else (math.prod(sizes(shape[:axis])),)
    made = layer.node("Gemm", inputs, (*rows, outputs), transB=int(not transposed))
    if axis == 1:
        return [made]
    final = (*shape[:axis], outputs)
    return [layer.node("Reshape", [made, layer.shape_constant(sizes(final))], final)]


def _matrix(layer: CaffeLayer, axis: int) -> ir.Value:
    shape = layer.shape()
    if len(shape) == 2 and axis == 1:
        return layer.bottom()
    rows: Dims = shape[:1] if axis == 1 else (math.prod(sizes(shape[:axis])),)
    flat = (*rows, math.prod(sizes(shape[axis:])))
    return layer.node("Flatten", layer.bottoms[:1], flat, axis=axis)


@emits("Embed")
def embed(layer: CaffeLayer) -> Tops:
    """Gather of rows by index; Caffe's indices are floats."""
    param = layer.param("embed_param")
    rows, outputs = param.integer("input_dim"), param.integer("num_output")
    weight = layer.parameter("weight", (rows, outputs), 0)
    index = layer.emit(
        "Cast",
        layer.bottoms[:1],
        [layer.shape()],
        {"to": int(ir.DataType.INT64)},
        dtypes=[ir.DataType.INT64],
    )[0]
    shape = (*layer.shape(), outputs)
    made = layer.node("Gather", [weight, index], shape, axis=0)
    if not param.flag("bias_term"):
        return [made]
    return [layer.node("Add", [made, layer.parameter("bias", (outputs,), 1)], shape)]


@emits("Parameter")
def parameter(layer: CaffeLayer) -> Tops:
    """A learned blob of its own."""
    shape = tuple(layer.param("parameter_param").message("shape").all("dim"))
    return [layer.node("Identity", [layer.parameter("weight", shape, 0)], shape)]
