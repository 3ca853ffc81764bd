"""Emitters of Torch7's fully connected modules and embeddings."""

from __future__ import annotations

import onnx_ir as ir

from modeldocs.loaders.dims import as_text
from modeldocs.loaders.emission.linear import fully_connected
from modeldocs.loaders.torch7.operation import Flow, TorchOperation, emits


@emits("Linear", "LinearNoBias")
def linear(op: TorchOperation) -> Flow:
    """Gemm of a batch of vectors, or of one vector; the weight is outputs × inputs."""
    shape = op.shape()
    inputs, outputs = op.integer("inputSize", least=1), op.integer("outputSize", least=1)
    if len(shape) > 2 or shape[-1] != inputs:
        raise op.error(
            f"reads {as_text(shape)}, it takes batch×{inputs}",
            "put an nn.View before it, or correct its size",
        )
    rows = op.input() if len(shape) == 2 else op.reshape(op.input(), (1, inputs))
    weight = op.parameter("weight", (outputs, inputs))
    output = fully_connected(op, rows, weight, op.bias((outputs,)))
    return output if len(shape) == 2 else op.reshape(output, (outputs,))


@emits("LookupTable")
def lookup(op: TorchOperation) -> Flow:
    """Gather of rows, which Lua counts from 1."""
    rows, width = op.integer("nIndex", least=1), op.integer("nOutput", least=1)
    weight = op.parameter("weight", (rows, width))
    ids = op.cast(op.input(), ir.DataType.INT64)
    indices = op.node("Sub", [ids, op.scalar(1, ids)])
    return op.node("Gather", [weight, indices], axis=0)
