"""Dense layers and tables of vectors."""

from __future__ import annotations

import onnx_ir as ir

from modeldocs.loaders.dims import said
from modeldocs.loaders.torch7.layer import Flow, Layer, emits


@emits("Linear", "LinearNoBias")
def linear(layer: Layer) -> Flow:
    """Gemm; the weight is out x in. A single vector needs no batch."""
    shape = layer.shape()
    inner, outer = layer.integer("inputSize", least=1), layer.integer("outputSize", least=1)
    if len(shape) > 2 or shape[-1] != inner:
        raise layer.error(
            f"reads {said(shape)}, it takes batch×{inner}",
            "put an nn.View before it, or correct its size",
        )
    rows = layer.input if len(shape) == 2 else layer.reshape(layer.input, (1, inner))
    operands = [rows, layer.parameter("weight", (outer, inner))]
    if layer.module.parameter("bias"):
        operands.append(layer.parameter("bias", (outer,)))
    made = layer.node("Gemm", operands, transB=1)
    return made if len(shape) == 2 else layer.reshape(made, (outer,))


@emits("LookupTable")
def lookup(layer: Layer) -> Flow:
    """Gather of rows, which Lua counts from 1."""
    rows, width = layer.integer("nIndex", least=1), layer.integer("nOutput", least=1)
    weight = layer.parameter("weight", (rows, width))
    ids = layer.cast(layer.input, ir.DataType.INT64)
    moved = layer.node("Sub", [ids, layer.scalar(1, ids)])
    return layer.node("Gather", [weight, moved], axis=0)
