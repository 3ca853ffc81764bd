"""Activations and other functions of one value."""

from __future__ import annotations

import math

import onnx_ir as ir

from modeldocs.loaders.caffe.layer import CaffeLayer, Tops, emits
from modeldocs.loaders.dims import product

_PLAIN = {"Sigmoid": "Sigmoid", "TanH": "Tanh", "AbsVal": "Abs", "BNLL": "Softplus", "Mish": "Mish"}


@emits(*_PLAIN)
def plain(layer: CaffeLayer) -> Tops:
    """A function without settings."""
    return [layer.node(_PLAIN[layer.source.type], [layer.bottom()], layer.shape())]


@emits("ReLU")
def relu(layer: CaffeLayer) -> Tops:
    """Relu, or LeakyRelu where a negative slope is given."""
    slope = layer.param("relu_param").number("negative_slope")
    if slope:
        return [layer.node("LeakyRelu", [layer.bottom()], layer.shape(), alpha=slope)]
    return [layer.node("Relu", [layer.bottom()], layer.shape())]


@emits("CReLU")
def concatenated_relu(layer: CaffeLayer) -> Tops:
    """Concat of the blob and its negative, then Relu: twice the channels."""
    shape = layer.shape(least=2)
    axis = layer.axis(layer.param("crelu_param").integer("concat_axis"), len(shape), "crelu_param")
    negative = layer.node("Neg", [layer.bottom()], shape)
    final = (*shape[:axis], product((shape[axis], 2)), *shape[axis + 1 :])
    both = layer.node("Concat", [layer.bottom(), negative], final, axis=axis)
    return [layer.node("Relu", [both], final)]


@emits("ReLU6")
def relu6(layer: CaffeLayer) -> Tops:
    """Clip from 0 to 6."""
    return _clip(layer, 0.0, 6.0)


@emits("Clip")
def clip(layer: CaffeLayer) -> Tops:
    """Clip."""
    param = layer.param("clip_param")
    return _clip(layer, param.number("min"), param.number("max"))


def _clip(layer: CaffeLayer, low: float, high: float) -> Tops:
    ends = [layer.scalar("min", low), layer.scalar("max", high)]
    return [layer.node("Clip", [layer.bottom(), *ends], layer.shape())]


@emits("PReLU")
def prelu(layer: CaffeLayer) -> Tops:
    """PRelu with a slope for each channel, or one for all."""
    rank = len(layer.shape())
    if layer.param("prelu_param").flag("channel_shared") or rank < 2:
        slope = layer.parameter("slope", (1,), 0)
    else:
        slope = layer.parameter("slope", (layer.shape()[1], *[1] * (rank - 2)), 0)
    return [layer.node("PRelu", [layer.bottom(), slope], layer.shape())]


@emits("ELU")
def elu(layer: CaffeLayer) -> Tops:
    """Elu."""
    alpha = layer.param("elu_param").number("alpha")
    return [layer.node("Elu", [layer.bottom()], layer.shape(), alpha=alpha)]


@emits("Swish")
def swish(layer: CaffeLayer) -> Tops:
    """Swish: x · sigmoid(beta · x)."""
    shape, beta = layer.shape(), layer.param("swish_param").number("beta")
    inner = layer.bottom()
    if beta != 1:
        inner = layer.node("Mul", [inner, layer.scalar("beta", beta)], shape)
    gate = layer.node("Sigmoid", [inner], shape)
    return [layer.node("Mul", [layer.bottom(), gate], shape)]


@emits("Dropout")
def dropout(layer: CaffeLayer) -> Tops:
    """Dropout as in inference, where it does nothing; the ratio is kept."""
    ratio = layer.scalar("ratio", layer.param("dropout_param").number("dropout_ratio"))
    return [layer.node("Dropout", [layer.bottom(), ratio], layer.shape())]


@emits("Power")
def power(layer: CaffeLayer) -> Tops:
    """(shift + scale · x) ** power, as far as each of them does anything."""
    value, exponent = _affine(layer, "power_param"), layer.param("power_param").number("power")
    if exponent != 1:
        value = layer.node("Pow", [value, layer.scalar("power", exponent)], layer.shape())
    if value is layer.bottom():
        value = layer.node("Identity", [value], layer.shape())
    return [value]


@emits("Exp")
def exp(layer: CaffeLayer) -> Tops:
    """Power of a base: base ** (shift + scale · x); the base is e where it is not given."""
    value, base = _affine(layer, "exp_param"), layer.param("exp_param").number("base")
    if base <= 0:
        return [layer.node("Exp", [value], layer.shape())]
    return [layer.node("Pow", [layer.scalar("base", base), value], layer.shape())]


@emits("Log")
def log(layer: CaffeLayer) -> Tops:
    """Logarithm of shift + scale · x; the base is e where it is not given."""
    base = layer.param("log_param").number("base")
    value = layer.node("Log", [_affine(layer, "log_param")], layer.shape())
    if base <= 0:
        return [value]
    if base == 1:
        raise layer.error("has the base 1", at="log_param", mend="use another base")
    factor = layer.scalar("factor", 1 / math.log(base))
    return [layer.node("Mul", [value, factor], layer.shape())]


@emits("Threshold")
def threshold(layer: CaffeLayer) -> Tops:
    """1 where the value is above the threshold, else 0."""
    limit = layer.scalar("threshold", layer.param("threshold_param").number("threshold"))
    above = layer.emit(
        "Greater", [layer.bottom(), limit], [layer.shape()], {}, dtypes=[ir.DataType.BOOL]
    )
    return [layer.node("Cast", above, layer.shape(), to=int(ir.DataType.FLOAT))]


def _affine(layer: CaffeLayer, field: str) -> ir.Value:
    param, value = layer.param(field), layer.bottom()
    for op, name, neutral in (("Mul", "scale", 1), ("Add", "shift", 0)):
        number = param.number(name)
        if number != neutral:
            value = layer.node(op, [value, layer.scalar(name, number)], layer.shape())
    return value
