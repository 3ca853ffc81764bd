"""Emitters of MXNet's activations and softmaxes."""

from __future__ import annotations

import math

import onnx_ir as ir

from modeldocs.loaders.dims import sizes
from modeldocs.loaders.emission import elementwise
from modeldocs.loaders.emission.inference import shape_of
from modeldocs.loaders.emission.operation import Outputs
from modeldocs.loaders.mxnet.operation import MxnetOperation, emits

_SIMPLE = {
    "relu": "Relu", "sigmoid": "Sigmoid", "tanh": "Tanh", "softrelu": "Softplus",
    "softsign": "Softsign", "mish": "Mish",
}  # fmt: skip


@emits("Activation")
def activation(op: MxnetOperation) -> Outputs:
    """An activation without settings, by `act_type`."""
    kind = op.settings.choice("act_type", None, *_SIMPLE, "log_sigmoid")
    if kind == "log_sigmoid":
        return [op.node("Log", [op.node("Sigmoid", [op.input()])])]
    return [op.node(_SIMPLE[kind], [op.input()])]


@emits("LeakyReLU")
def leaky_relu(op: MxnetOperation) -> Outputs:
    """LeakyRelu, PRelu, Elu, Selu or Gelu, by `act_type`; a random slope is its mean here."""
    settings = op.settings
    kinds = ("leaky", "prelu", "rrelu", "elu", "selu", "gelu")
    kind = settings.choice("act_type", "leaky", *kinds)
    if kind == "prelu":
        return [op.node("PRelu", [op.input(), _slope(op)])]
    if kind in ("selu", "gelu"):
        return [op.node(kind.capitalize(), [op.input()])]
    slope = settings.number("slope", 0.25)
    if kind == "rrelu":
        low, high = settings.number("lower_bound", 0.125), settings.number("upper_bound", 0.334)
        slope = (low + high) / 2
    return [op.node("Elu" if kind == "elu" else "LeakyRelu", [op.input()], alpha=slope)]


def _slope(op: MxnetOperation) -> ir.Value:
    """One slope for each channel, in a shape that ONNX broadcasts along axis 1."""
    shape = op.shape(least=1)
    channels = sizes(shape[1:2] if len(shape) > 1 else shape)
    operand = op.inputs[1] if len(op.inputs) > 1 else None
    is_single = isinstance(operand, ir.Value) and shape_of(operand) == (1,)
    slope = op.parameter("gamma", (1,) if is_single else channels)
    return elementwise.per_channel(op, slope, len(shape))


@emits("hard_sigmoid")
def hard_sigmoid(op: MxnetOperation) -> Outputs:
    """HardSigmoid, by default with alpha 0.2 and beta 0.5."""
    alpha, beta = op.settings.number("alpha", 0.2), op.settings.number("beta", 0.5)
    return [op.node("HardSigmoid", [op.input()], alpha=alpha, beta=beta)]


@emits("softmax", "log_softmax", "softmin")
def softmax(op: MxnetOperation) -> Outputs:
    """Softmax along an axis of the values divided by `temperature`."""
    shape = op.shape(least=1)
    axis = op.axis("axis", -1, len(shape))
    value = op.input()
    temperature = op.settings.number("temperature", 1.0)
    if op.settings.flag("use_length", default=False):
        return op.opaque([shape])
    if temperature not in (0, 1):
        value = op.node("Div", [value, op.scalar(temperature, value, "temperature")])
    if op.kind == "softmin":
        value = op.node("Neg", [value])
    operator = "LogSoftmax" if op.kind == "log_softmax" else "Softmax"
    return [op.node(operator, [value], axis=axis)]


@emits("SoftmaxActivation")
def softmax_activation(op: MxnetOperation) -> Outputs:
    """Softmax over the channels, or along the last axis: MXNet takes rows for instances."""
    mode = op.settings.choice("mode", "instance", "instance", "channel")
    axis = 1 if mode == "channel" else -1
    return [op.node("Softmax", [op.input()], axis=axis)]


def softmax_per_sample(op: MxnetOperation, value: ir.Value) -> ir.Value:
    """Softmax over all elements of a sample."""
    shape = sizes(shape_of(value))
    flat = (shape[0], math.prod(shape[1:]))
    output = op.node("Softmax", [op.reshaped(value, flat)], axis=1)
    return op.reshaped(output, shape)
