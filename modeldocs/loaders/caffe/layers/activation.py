"""Activations and other functions of one value."""

from __future__ import annotations

import math

import onnx_ir as ir

from modeldocs.loaders.caffe.layer import CaffeLayer, Tops, emits
from modeldocs.loaders.emission import elementwise

_PLAIN = {"Sigmoid": "Sigmoid", "TanH": "Tanh", "AbsVal": "Abs", "BNLL": "Softplus", "Mish": "Mish"}


@emits(*_PLAIN)
def plain(layer: CaffeLayer) -> Tops:
    """A function without settings."""
    return [layer.node(_PLAIN[layer.source.type], [layer.bottom()])]


@emits("ReLU")
def relu(layer: CaffeLayer) -> Tops:
    """Relu, or LeakyRelu where a negative slope is given."""
    slope = layer.param("relu_param").number("negative_slope")
    if slope:
        return [layer.node("LeakyRelu", [layer.bottom()], alpha=slope)]
    return [layer.node("Relu", [layer.bottom()])]


@emits("CReLU")
def concatenated_relu(layer: CaffeLayer) -> Tops:
    """Concat of the blob and its negative, then Relu: twice the channels."""
    axis = layer.param("crelu_param").integer("concat_axis")
    axis = layer.axis(axis, len(layer.shape(least=2)), "crelu_param")
    return [elementwise.concatenated_relu(layer, layer.bottom(), axis)]


@emits("ReLU6")
def relu6(layer: CaffeLayer) -> Tops:
    """Clip from 0 to 6."""
    return [elementwise.clip(layer, layer.bottom(), 0.0, 6.0)]


@emits("Clip")
def clip(layer: CaffeLayer) -> Tops:
    """Clip."""
    param = layer.param("clip_param")
    return [elementwise.clip(layer, layer.bottom(), param.number("min"), param.number("max"))]


@emits("PReLU")
def prelu(layer: CaffeLayer) -> Tops:
    """PRelu with a slope for each channel, or one for all."""
    rank = len(layer.shape())
    if layer.param("prelu_param").flag("channel_shared") or rank < 2:
        slope = layer.parameter("slope", (1,), 0)
    else:
        slope = layer.parameter("slope", (layer.shape()[1], *[1] * (rank - 2)), 0)
    return [layer.node("PRelu", [layer.bottom(), slope])]


@emits("ELU")
def elu(layer: CaffeLayer) -> Tops:
    """Elu."""
    alpha = layer.param("elu_param").number("alpha")
    return [layer.node("Elu", [layer.bottom()], alpha=alpha)]


@emits("Swish")
def swish(layer: CaffeLayer) -> Tops:
    """Swish: x · sigmoid(beta · x)."""
    beta = layer.param("swish_param").number("beta")
    factor = None if beta == 1 else layer.scalar(beta)
    return [elementwise.swish(layer, layer.bottom(), factor)]


@emits("Dropout")
def dropout(layer: CaffeLayer) -> Tops:
    """Dropout as in inference, where it does nothing; the ratio is kept."""
    ratio = layer.scalar(layer.param("dropout_param").number("dropout_ratio"))
    return [layer.node("Dropout", [layer.bottom(), ratio])]


@emits("Power")
def power(layer: CaffeLayer) -> Tops:
    """(shift + scale · x) ** power, as far as each of them does anything."""
    value, exponent = _affine(layer, "power_param"), layer.param("power_param").number("power")
    if exponent != 1:
        value = layer.node("Pow", [value, layer.scalar(exponent)])
    if value is layer.bottom():
        value = layer.node("Identity", [value])
    return [value]


@emits("Exp")
def exp(layer: CaffeLayer) -> Tops:
    """Power of a base: base ** (shift + scale · x); the base is e where it is not given."""
    value, base = _affine(layer, "exp_param"), layer.param("exp_param").number("base")
    if base <= 0:
        return [layer.node("Exp", [value])]
    return [layer.node("Pow", [layer.scalar(base), value])]


@emits("Log")
def log(layer: CaffeLayer) -> Tops:
    """Logarithm of shift + scale · x; the base is e where it is not given."""
    base = layer.param("log_param").number("base")
    value = layer.node("Log", [_affine(layer, "log_param")])
    if base <= 0:
        return [value]
    if base == 1:
        raise layer.error("has the base 1", at="log_param", fix="use another base")
    factor = layer.scalar(1 / math.log(base))
    return [layer.node("Mul", [value, factor])]


@emits("Threshold")
def threshold(layer: CaffeLayer) -> Tops:
    """1 where the value is above the threshold, else 0."""
    limit = layer.scalar(layer.param("threshold_param").number("threshold"))
    return [layer.cast(layer.node("Greater", [layer.bottom(), limit]), ir.DataType.FLOAT)]


def _affine(layer: CaffeLayer, field: str) -> ir.Value:
    param, value = layer.param(field), layer.bottom()
    for op, name, neutral in (("Mul", "scale", 1), ("Add", "shift", 0)):
        number = param.number(name)
        if number != neutral:
            value = layer.node(op, [value, layer.scalar(number)])
    return value
