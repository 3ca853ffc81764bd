"""Biases: part of the convolution or product before them where nothing else reads it, else Add."""

from __future__ import annotations

from collections.abc import Sequence

import onnx_ir as ir

from modeldocs.loaders.tensorflow.graph import Emitted
from modeldocs.loaders.tensorflow.graphdef import attributes
from modeldocs.loaders.tensorflow.operation import (
    Outputs,
    TensorFlowOperation,
    UnsupportedError,
    emits,
)
from modeldocs.loaders.tensorflow.operators.arithmetic import binary
from modeldocs.loaders.tensorflow.program import GraphNode

_TAKE_BIAS = {
    "Conv2D": "Conv", "Conv3D": "Conv", "DepthwiseConv2dNative": "Conv",
    "Conv2DBackpropInput": "ConvTranspose", "Conv3DBackpropInputV2": "ConvTranspose",
    "MatMul": "Gemm",
}  # fmt: skip


@emits("BiasAdd", "BiasAddV1")
def bias_add(op: TensorFlowOperation) -> Outputs:
    """The bias of the layer before it, or Add along the channels."""
    channels_first = op.attribute("data_format", "NHWC") in ("NCHW", "NCDHW")
    rank = len(op.shape(0))
    axis = 1 if channels_first and rank > 2 else rank - 1
    joined = _joined(op, 0, op.input(1), axis)
    if joined is not None:
        return joined
    bias = op.input(1)
    if axis != rank - 1:
        bias = op.reshape(bias, (-1, *(1,) * (rank - axis - 1)))
    return op.result("Add", [op.input(0), bias])


@emits("Add", "AddV2")
def add(op: TensorFlowOperation) -> Outputs:
    """The bias of the layer before it, where it adds a parameter for each channel; else Add."""
    for slot in (0, 1):
        bias = _channel_parameter(op, 1 - slot, slot)
        joined = _joined(op, slot, *bias) if bias is not None else None
        if joined is not None:
            return joined
    return binary(op)


def _channel_parameter(
    op: TensorFlowOperation, slot: int, beside: int
) -> tuple[ir.Value, int] | None:
    """The parameter in a slot with one value for each channel, and the axis that it is along.

    None where the slot has no such parameter, or the slot `beside` has no layer with a bias.
    """
    graph = op.graph
    producer = graph.producer(op.ref(beside))
    if producer is None or producer.kind not in _TAKE_BIAS:
        return None
    shape, wide = op.shape(slot), op.shape(beside)
    axes = [axis for axis, size in enumerate(shape) if size != 1]
    if len(axes) != 1 or len(shape) > len(wide) or len(wide) != len(op.output_shape()):
        return None
    axis = len(wide) - len(shape) + axes[0]
    if wide[axis] != shape[axes[0]] or not graph.is_parameter(op.ref(slot)):
        return None
    return op.input(slot), axis


def _joined(op: TensorFlowOperation, slot: int, bias: ir.Value, axis: int) -> Outputs | None:
    """The layer in a slot emitted again with its bias; None where it takes none."""
    graph = op.graph
    producer = graph.producer(op.ref(slot))
    if producer is None or producer.kind not in _TAKE_BIAS or not op.is_only_reader(slot):
        return None
    layer = graph.emitted.get(producer.name)
    node = layer.main if layer is not None else None
    if layer is None or node is None or node.op_type != _TAKE_BIAS[producer.kind]:
        return None
    rank = len(op.shape(slot))
    channels = rank - 1 if _channels_last(producer, rank) else 1
    if len(node.inputs) != 2 or axis != channels:
        return None
    if bias.shape is None:
        raise UnsupportedError("has a bias of unknown shape")
    vector = bias if len(bias.shape) == 1 else op.reshape(bias, (-1,))
    return [_emit_again(op, layer, node, vector)]


def _channels_last(producer: GraphNode, rank: int) -> bool:
    if producer.kind == "MatMul":
        return True
    data_format = attributes.get(producer.proto, "data_format").s or b"NHWC"
    return bool(rank == 2 or data_format.endswith(b"C"))


def _emit_again(op: TensorFlowOperation, layer: Emitted, node: ir.Node, bias: ir.Value) -> ir.Value:
    """The output of a layer's nodes copied from its main node on, which gets the bias."""
    first, *rest = layer.nodes[layer.nodes.index(node) :]
    inputs = [*first.inputs, bias]
    op.graph.remove([first, *rest])
    value = op.set_main(_copy(op, first, inputs))
    for later in rest:
        value = _copy(op, later, [value])
    op.sources = [*layer.sources, op.source]
    op.padding = layer.padding
    return value


def _copy(op: TensorFlowOperation, node: ir.Node, inputs: Sequence[ir.Value | None]) -> ir.Value:
    output = ir.Value(shape=node.outputs[0].shape, type=node.outputs[0].type)
    settings = list(node.attributes.values())
    op.nodes.append(ir.Node("", node.op_type, inputs, settings, outputs=[output]))
    return output
