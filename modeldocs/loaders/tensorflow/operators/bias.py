"""Biases: part of the convolution or product that they alone follow, else an addition."""

from __future__ import annotations

from typing import Any

import onnx_ir as ir

from modeldocs.loaders.tensorflow.emission import Emission, Results, UnsupportedError, emits
from modeldocs.loaders.tensorflow.operators.arithmetic import binary

_TAKE_BIAS = {
    "Conv2D": "Conv", "Conv3D": "Conv", "DepthwiseConv2dNative": "Conv",
    "Conv2DBackpropInput": "ConvTranspose", "Conv3DBackpropInputV2": "ConvTranspose",
    "MatMul": "Gemm",
}  # fmt: skip


@emits("BiasAdd", "BiasAddV1")
def bias_add(emission: Emission) -> Results:
    """The bias of what it follows, or Add along the channels."""
    channels_first = emission.attribute("data_format", "NHWC") in ("NCHW", "NCDHW")
    rank = len(emission.shape(0))
    axis = 1 if channels_first and rank > 2 else rank - 1
    joined = _joined(emission, 0, emission.value(1), axis)
    if joined is not None:
        return joined
    bias = emission.value(1)
    if axis != rank - 1:
        bias = emission.reshape(bias, (-1, *(1,) * (rank - axis - 1)))
    return emission.result("Add", [emission.value(0), bias])


@emits("Add", "AddV2")
def add(emission: Emission) -> Results:
    """The bias of what it follows, where it adds a parameter for each channel; else Add."""
    for slot in (0, 1):
        bias = _channel_parameter(emission, 1 - slot, slot)
        joined = _joined(emission, slot, *bias) if bias is not None else None
        if joined is not None:
            return joined
    return binary(emission)


def _channel_parameter(emission: Emission, slot: int, beside: int) -> tuple[ir.Value, int] | None:
    """The parameter in a slot and the axis that it stands along, if it is one for each channel."""
    drawing = emission.drawing
    maker = drawing.producer(emission.ref(beside))
    if maker is None or maker.kind not in _TAKE_BIAS:
        return None
    shape, wide = emission.shape(slot), emission.shape(beside)
    axes = [axis for axis, size in enumerate(shape) if size != 1]
    if len(axes) != 1 or len(shape) > len(wide) or len(wide) != len(emission.made_shape()):
        return None
    axis = len(wide) - len(shape) + axes[0]
    if wide[axis] != shape[axes[0]] or not drawing.is_parameter(emission.ref(slot)):
        return None
    return emission.value(slot), axis


def _joined(emission: Emission, slot: int, bias: ir.Value, axis: int) -> Results | None:
    """The layer in a slot drawn again with its bias; None where it takes none."""
    drawing = emission.drawing
    maker = drawing.producer(emission.ref(slot))
    if maker is None or maker.kind not in _TAKE_BIAS or not emission.is_alone(slot):
        return None
    held = drawing.drawn.get(maker.name)
    node = held.main() if held is not None else None
    if held is None or node is None or node.op_type != _TAKE_BIAS[maker.kind]:
        return None
    rank = len(emission.shape(slot))
    channels = rank - 1 if _channels_last(maker, rank) else 1
    if len(node.inputs) != 2 or axis != channels:
        return None
    return _redrawn(emission, held, node, _flat(emission, bias))


def _channels_last(maker: Any, rank: int) -> bool:
    if maker.kind == "MatMul":
        return True
    told = maker.proto.attr["data_format"].s if "data_format" in maker.proto.attr else b"NHWC"
    return bool(rank == 2 or told.endswith(b"C"))


def _flat(emission: Emission, bias: ir.Value) -> ir.Value:
    if bias.shape is None:
        raise UnsupportedError("has a bias of which the shape is not known")
    return bias if len(bias.shape) == 1 else emission.reshape(bias, (-1,))


def _redrawn(emission: Emission, held: Emission, node: ir.Node, bias: ir.Value) -> Results:
    """The nodes of `held` anew from its main one on, which is given the bias."""
    old = held.nodes[held.nodes.index(node) :]
    inputs = [*node.inputs, bias]
    tail = old[1:]
    emission.drawing.take_out(old)
    made = _like(node.outputs[0])
    emission.nodes.append(
        ir.Node("", node.op_type, inputs, list(node.attributes.values()), outputs=[made])
    )
    emission.is_main(made)
    for later in tail:
        source, made = made, _like(later.outputs[0])
        settings = list(later.attributes.values())
        emission.nodes.append(ir.Node("", later.op_type, [source], settings, outputs=[made]))
    emission.operations = [*held.operations, emission.operation]
    emission.padding = held.padding
    return [made]


def _like(value: ir.Value) -> ir.Value:
    return ir.Value(shape=value.shape, type=value.type)
