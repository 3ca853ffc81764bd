"""Matrix products: InnerProduct and Embed."""

from __future__ import annotations

import onnx_ir as ir

from modeldocs.loaders.caffe.layer import CaffeLayer, Tops, emits
from modeldocs.loaders.dims import Dims, product


@emits("InnerProduct")
def inner_product(layer: CaffeLayer) -> Tops:
    """Gemm, after a Flatten where the blob is no matrix; weights are out × in."""
    param = layer.param("inner_product_param")
    first = param.integer("axis")
    # Of a blob of unknown rank that it takes row by row, only the features are not known.
    rowwise = first == 1 and layer.bottom().shape is None
    shape = (None, None) if rowwise else layer.shape()
    axis = layer.axis(first, len(shape), "inner_product_param")
    features, outputs = product(shape[axis:]), param.maybe("num_output")
    if outputs is None:  # NVIDIA's DIGITS fills in the number of classes
        layer.notes.append(f"{layer.source.where}: {layer.name!r} has no num_output, drawn as ?")
    transposed = param.flag("transpose")
    weight_shape = (features, outputs) if transposed else (outputs, features)
    inputs = [_matrix(layer, shape, axis), layer.parameter("weight", weight_shape, 0)]
    if param.flag("bias_term"):
        inputs.append(layer.parameter("bias", (outputs,), 1))
    rows = product(shape[:axis])
    made = layer.node("Gemm", inputs, shape=(rows, outputs), transB=int(not transposed))
    if axis == 1:
        return [made]
    return [layer.reshape(made, (*shape[:axis], outputs))]


def _matrix(layer: CaffeLayer, shape: Dims, axis: int) -> ir.Value:
    if len(shape) == 2 and axis == 1 and layer.bottom().shape is not None:
        return layer.bottom()
    flat = (product(shape[:axis]), product(shape[axis:]))
    return layer.node("Flatten", layer.bottoms[:1], shape=flat, axis=axis)


@emits("Embed")
def embed(layer: CaffeLayer) -> Tops:
    """Gather of rows by index; Caffe's indices are floats."""
    param = layer.param("embed_param")
    rows, outputs = param.integer("input_dim"), param.integer("num_output")
    weight = layer.parameter("weight", (rows, outputs), 0)
    index = layer.cast(layer.bottom(), ir.DataType.INT64)
    made = layer.node("Gather", [weight, index], axis=0)
    if not param.flag("bias_term"):
        return [made]
    return [layer.node("Add", [made, layer.parameter("bias", (outputs,), 1)])]


@emits("Parameter")
def parameter(layer: CaffeLayer) -> Tops:
    """A learned blob of its own."""
    shape = tuple(layer.param("parameter_param").message("shape").all("dim"))
    return [layer.node("Identity", [layer.parameter("weight", shape, 0)])]
