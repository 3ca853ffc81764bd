"""Emitters of Caffe's activations and other functions of one blob."""

from __future__ import annotations

import onnx_ir as ir

from modeldocs.loaders.caffe.operation import CaffeOperation, emits, renames
from modeldocs.loaders.emission import elementwise
from modeldocs.loaders.emission.operation import Outputs

_PLAIN = {"Sigmoid": "Sigmoid", "TanH": "Tanh", "AbsVal": "Abs", "BNLL": "Softplus", "Mish": "Mish"}


@renames(_PLAIN)
def plain(op: CaffeOperation, operator: str) -> Outputs:
    """The ONNX operator of the same function."""
    return [op.node(operator, [op.input()])]


@emits("ReLU")
def relu(op: CaffeOperation) -> Outputs:
    """Relu, or LeakyRelu where a negative slope is given."""
    slope = op.param("relu_param").number("negative_slope")
    if slope:
        return [op.node("LeakyRelu", [op.input()], alpha=slope)]
    return [op.node("Relu", [op.input()])]


@emits("CReLU")
def concatenated_relu(op: CaffeOperation) -> Outputs:
    """Relu of the blob and of its negative, joined along an axis."""
    axis = op.axis("crelu_param", len(op.shape(least=2)), "concat_axis")
    return [elementwise.concatenated_relu(op, op.input(), axis)]


@emits("ReLU6")
def relu6(op: CaffeOperation) -> Outputs:
    """Clip from 0 to 6."""
    return [elementwise.clip(op, op.input(), 0.0, 6.0)]


@emits("Clip")
def clip(op: CaffeOperation) -> Outputs:
    param = op.param("clip_param")
    return [elementwise.clip(op, op.input(), param.number("min"), param.number("max"))]


@emits("PReLU")
def prelu(op: CaffeOperation) -> Outputs:
    """PRelu with a slope per channel, or one for all."""
    shape = op.shape()
    shared = op.param("prelu_param").flag("channel_shared") or len(shape) < 2
    slopes = (1,) if shared else (shape[1], *[1] * (len(shape) - 2))
    return [op.node("PRelu", [op.input(), op.parameter("slope", slopes, 0)])]


@emits("ELU")
def elu(op: CaffeOperation) -> Outputs:
    alpha = op.param("elu_param").number("alpha")
    return [op.node("Elu", [op.input()], alpha=alpha)]


@emits("Swish")
def swish(op: CaffeOperation) -> Outputs:
    """X · sigmoid(beta · x)."""
    beta = op.param("swish_param").number("beta")
    factor = None if beta == 1 else op.scalar(beta)
    return [elementwise.swish(op, op.input(), factor)]


@emits("Dropout")
def dropout(op: CaffeOperation) -> Outputs:
    """Dropout with its ratio; at inference it changes nothing."""
    ratio = op.scalar(op.param("dropout_param").number("dropout_ratio"))
    return [op.node("Dropout", [op.input(), ratio])]


@emits("Power")
def power(op: CaffeOperation) -> Outputs:
    """(shift + scale · x) ** power, without the nodes that would change nothing."""
    value, exponent = _affine(op, "power_param"), op.param("power_param").number("power")
    if exponent != 1:
        value = op.node("Pow", [value, op.scalar(exponent)])
    if value is op.input():
        value = op.node("Identity", [value])
    return [value]


@emits("Exp")
def exp(op: CaffeOperation) -> Outputs:
    """Base ** (shift + scale · x); the base is e where it is not positive."""
    value, base = _affine(op, "exp_param"), op.param("exp_param").number("base")
    if base <= 0:
        return [op.node("Exp", [value])]
    return [op.node("Pow", [op.scalar(base), value])]


@emits("Log")
def log(op: CaffeOperation) -> Outputs:
    """Logarithm of shift + scale · x; the base is e where it is not positive."""
    base = op.param("log_param").number("base")
    value = _affine(op, "log_param")
    if base <= 0:
        return [op.node("Log", [value])]
    if base == 1:
        raise op.error("has the base 1", at="log_param", fix="use another base")
    return [elementwise.logarithm(op, value, base)]


@emits("Threshold")
def threshold(op: CaffeOperation) -> Outputs:
    """1 where the value is above the threshold, else 0."""
    limit = op.scalar(op.param("threshold_param").number("threshold"))
    return [op.cast(op.node("Greater", [op.input(), limit]), ir.DataType.FLOAT)]


def _affine(op: CaffeOperation, field: str) -> ir.Value:
    """Shift + scale · x, by the settings of a field."""
    param, value = op.param(field), op.input()
    scale, shift = param.number("scale"), param.number("shift")
    if scale != 1:
        value = op.node("Mul", [value, op.scalar(scale)])
    if shift != 0:
        value = op.node("Add", [value, op.scalar(shift)])
    return value
