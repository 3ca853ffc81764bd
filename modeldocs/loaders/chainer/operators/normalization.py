"""Emitters of Chainer's normalizations."""

from __future__ import annotations

import math

from modeldocs.loaders.chainer.operation import ChainerOperation, emits
from modeldocs.loaders.emission import normalization
from modeldocs.loaders.emission.layouts import axes_last, inverse
from modeldocs.loaders.emission.operation import Outputs


@emits("FixedBatchNormalization")
def fixed_batch_normalization(op: ChainerOperation) -> Outputs:
    """BatchNormalization by the running statistics, of channels or of several axes together."""
    epsilon, axes, shape = op.number("eps"), op.integers_of("key_axis"), op.shape()
    if axes == [1]:
        return [op.node("BatchNormalization", op.inputs, epsilon=epsilon)]
    order = axes_last(len(shape), axes)
    last = op.transpose(op.input(), order)
    features = math.prod(shape[axis] for axis in axes)
    rows = op.reshape(last, (math.prod(shape) // max(features, 1), features))
    stored = [op.reshape(value, (features,)) for value in op.inputs[1:]]
    output = op.node("BatchNormalization", [rows, *stored], epsilon=epsilon)
    output = op.reshape(output, [shape[axis] for axis in order])
    return [op.transpose(output, inverse(order))]


@emits("BatchNormalization")
def batch_normalization(op: ChainerOperation) -> Outputs:
    """BatchNormalization by the statistics of the batch, which training mode and links without
    statistics have.
    """
    if op.integers_of("key_axis") != [1]:
        return op.opaque()
    channels = op.shape()[1]
    statistics = [op.filled(channels, number, "statistics") for number in (0.0, 1.0)]
    operands, epsilon = [*op.inputs[1:3], *statistics], op.number("eps")
    return [
        normalization.batch_normalization(op, op.input(), operands, epsilon=epsilon, training=True)
    ]


@emits("LayerNormalization")
def layer_normalization(op: ChainerOperation) -> Outputs:
    """LayerNormalization over the last of two axes."""
    return [op.node("LayerNormalization", op.inputs, axis=-1, epsilon=op.number("eps"))]


@emits("GroupNormalization")
def group_normalization(op: ChainerOperation) -> Outputs:
    """GroupNormalization; scale and shift are per channel, as in ONNX."""
    groups, epsilon = op.integer("groups"), op.number("eps")
    return [op.node("GroupNormalization", op.inputs, num_groups=groups, epsilon=epsilon)]


@emits("LocalResponseNormalization")
def local_response_normalization(op: ChainerOperation) -> Outputs:
    """LRN over n // 2 channels on both sides; Chainer does not divide alpha by their number."""
    size = 2 * (op.integer("n") // 2) + 1
    return [
        op.node(
            "LRN",
            op.inputs,
            size=size,
            alpha=op.number("alpha") * size,
            beta=op.number("beta"),
            bias=op.number("k"),
        )
    ]


@emits("NormalizeL2")
def normalize_l2(op: ChainerOperation) -> Outputs:
    """Division by the sum of the norm and epsilon, which ONNX's LpNormalization does not have."""
    norm = op.node("ReduceL2", [op.input(), op.integers(op.integers_of("axis"))], keepdims=1)
    divisor = op.node("Add", [norm, op.scalar(op.number("eps"), norm)])
    return [op.node("Div", [op.input(), divisor])]
