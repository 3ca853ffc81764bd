"""Activations: Activation and LeakyReLU by their kinds, softmax and its kin."""

from __future__ import annotations

import math

import onnx_ir as ir

from modeldocs.loaders.dims import sizes
from modeldocs.loaders.emission.inference import shape_of
from modeldocs.loaders.mxnet.operation import Operation, Outputs, emits

_PLAIN = {
    "relu": "Relu",
    "sigmoid": "Sigmoid",
    "tanh": "Tanh",
    "softrelu": "Softplus",
    "softsign": "Softsign",
    "mish": "Mish",
}


@emits("Activation")
def activation(op: Operation) -> Outputs:
    """One of the plain ones, by `act_type`."""
    kind = op.settings.choice("act_type", None, *_PLAIN, "log_sigmoid")
    if kind == "log_sigmoid":
        return [op.node("Log", [op.node("Sigmoid", [op.value()])])]
    return [op.node(_PLAIN[kind], [op.value()])]


@emits("relu", "sigmoid", "tanh", "softsign")
def plain(op: Operation) -> Outputs:
    """An activation that is an operator of its own."""
    return [op.node(_PLAIN[op.source.op], [op.value()])]


@emits("LeakyReLU")
def leaky_relu(op: Operation) -> Outputs:
    """LeakyRelu, PRelu, Elu, Selu or Gelu, by `act_type`; a random slope runs as its mean."""
    read = op.settings
    kinds = ("leaky", "prelu", "rrelu", "elu", "selu", "gelu")
    kind = read.choice("act_type", "leaky", *kinds)
    if kind == "prelu":
        return [op.node("PRelu", [op.value(), _slope(op)])]
    if kind in ("selu", "gelu"):
        return [op.node(kind.capitalize(), [op.value()])]
    slope = read.number("slope", 0.25)
    if kind == "rrelu":
        slope = (read.number("lower_bound", 0.125) + read.number("upper_bound", 0.334)) / 2
    return [op.node("Elu" if kind == "elu" else "LeakyRelu", [op.value()], alpha=slope)]


def _slope(op: Operation) -> ir.Value:
    """One slope for each channel, brought along axis 1 as ONNX spreads it from the last."""
    shape = op.shape(least=1)
    channels = sizes(shape[1:2] if len(shape) > 1 else shape)
    held = op.operands[1] if len(op.operands) > 1 else None
    single = isinstance(held, ir.Value) and shape_of(held) == (1,)
    slope = op.parameter("gamma", (1,) if single else channels)
    count = sizes(shape_of(slope))
    return slope if len(shape) < 3 else op.reshaped(slope, (*count, *[1] * (len(shape) - 2)))


@emits("hard_sigmoid")
def hard_sigmoid(op: Operation) -> Outputs:
    """HardSigmoid, alpha 0.2 and beta 0.5 unless given."""
    alpha, beta = op.settings.number("alpha", 0.2), op.settings.number("beta", 0.5)
    return [op.node("HardSigmoid", [op.value()], alpha=alpha, beta=beta)]


@emits("softmax", "log_softmax", "softmin")
def softmax(op: Operation) -> Outputs:
    """Softmax along an axis, the values divided by `temperature` before."""
    shape = op.shape(least=1)
    axis = op.axis("axis", -1, len(shape))
    value = op.value()
    temperature = op.settings.number("temperature", 1.0)
    if op.settings.flag("use_length", default=False):
        return op.opaque([shape])
    if temperature not in (0, 1):
        value = op.node("Div", [value, op.scalar(temperature, value, "temperature")])
    if op.source.op == "softmin":
        value = op.node("Neg", [value])
    kind = "LogSoftmax" if op.source.op == "log_softmax" else "Softmax"
    return [op.node(kind, [value], axis=axis)]


@emits("SoftmaxActivation")
def softmax_activation(op: Operation) -> Outputs:
    """Softmax across the channels, or along the last axis: MXNet takes rows for instances."""
    mode = op.settings.choice("mode", "instance", "instance", "channel")
    axis = 1 if mode == "channel" else -1
    return [op.node("Softmax", [op.value()], axis=axis)]


def softmax_of_rest(op: Operation, value: ir.Value) -> ir.Value:
    """Softmax of all that a sample holds."""
    shape = sizes(shape_of(value))
    flat = (shape[0], math.prod(shape[1:]))
    made = op.node("Softmax", [op.reshaped(value, flat)], axis=1)
    return op.reshaped(made, shape)
