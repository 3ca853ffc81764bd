"""Activations, and what does nothing at inference but is drawn."""

from __future__ import annotations

import onnx_ir as ir

from modeldocs.loaders.torch7.layer import Flow, Layer, emits

_PLAIN = {
    "ReLU": "Relu",
    "Tanh": "Tanh",
    "Sigmoid": "Sigmoid",
    "SoftSign": "Softsign",
    "Sqrt": "Sqrt",
    "Exp": "Exp",
    "Log": "Log",
    "Abs": "Abs",
}


@emits(*_PLAIN)
def plain(layer: Layer) -> Flow:
    """What ONNX has under a name of its own."""
    return layer.node(_PLAIN[layer.module.builtin], [layer.input], layer.shape())


@emits("LeakyReLU", "RReLU")
def leaky_relu(layer: Layer) -> Flow:
    """A slope below zero; a random one is the mean of its bounds at inference."""
    if layer.module.builtin == "LeakyReLU":
        slope = layer.number("negval", 0.01)
    else:
        slope = (layer.number("lower", 1 / 8) + layer.number("upper", 1 / 3)) / 2
    return layer.node("LeakyRelu", [layer.input], layer.shape(), alpha=slope)


@emits("PReLU")
def prelu(layer: Layer) -> Flow:
    """PRelu; no planes means one slope for all."""
    shape, planes = layer.shape(), layer.integer("nOutputPlane", 0)
    weight = layer.parameter("weight", (planes or 1,))
    if planes and (len(shape) < 2 or shape[1] != planes):
        raise layer.error(f"has {planes} slopes", "give it as many as there are planes")
    wide = layer.reshape(weight, (planes or 1, *(1,) * (len(shape) - 2)))
    return layer.node("PRelu", [layer.input, wide], shape)


@emits("ELU")
def elu(layer: Layer) -> Flow:
    """Elu."""
    return layer.node("Elu", [layer.input], layer.shape(), alpha=layer.number("alpha", 1.0))


@emits("ReLU6", "HardTanh", "Clamp", "ClippedReLU")
def clip(layer: Layer) -> Flow:
    """Clip between two bounds."""
    ends = {
        "ReLU6": lambda: (0.0, 6.0),
        "ClippedReLU": lambda: (0.0, layer.number("ceiling")),
        "HardTanh": lambda: (layer.number("min_value", -1), layer.number("max_value", 1)),
        "Clamp": lambda: (layer.number("min_value"), layer.number("max_value")),
    }[layer.module.builtin]()
    bounds = [layer.constant(end) for end in ends]
    return layer.node("Clip", [layer.input, *bounds], layer.shape())


@emits("Threshold")
def threshold(layer: Layer) -> Flow:
    """What is not above the threshold becomes a value; at zero and zero that is a Relu."""
    shape, level, value = layer.shape(), layer.number("threshold", 1e-6), layer.number("val", 0)
    if level == value == 0:
        return layer.node("Relu", [layer.input], shape)
    operands = [layer.input, layer.constant(level)]
    above = layer.emit("Greater", operands, [shape], {}, dtypes=[ir.DataType.BOOL])[0]
    return layer.node("Where", [above, layer.input, layer.constant(value)], shape)


@emits("HardShrink", "SoftShrink")
def shrink(layer: Layer) -> Flow:
    """What is near zero becomes zero; the soft kind draws the rest nearer too."""
    width = layer.number("lambda", 0.5)
    bias = width if layer.module.builtin == "SoftShrink" else 0.0
    return layer.node("Shrink", [layer.input], layer.shape(), lambd=width, bias=bias)


@emits("SoftPlus")
def softplus(layer: Layer) -> Flow:
    """Softplus of beta x, divided by beta."""
    shape, beta = layer.shape(), layer.number("beta", 1.0)
    if beta == 1.0:
        return layer.node("Softplus", [layer.input], shape)
    scaled = layer.node("Mul", [layer.input, layer.constant(beta)], shape)
    return layer.node("Div", [layer.node("Softplus", [scaled], shape), layer.constant(beta)], shape)


@emits("LogSigmoid")
def log_sigmoid(layer: Layer) -> Flow:
    """The logarithm of a sigmoid."""
    shape = layer.shape()
    return layer.node("Log", [layer.node("Sigmoid", [layer.input], shape)], shape)


@emits("TanhShrink")
def tanh_shrink(layer: Layer) -> Flow:
    """X - tanh x."""
    shape = layer.shape()
    return layer.node("Sub", [layer.input, layer.node("Tanh", [layer.input], shape)], shape)


@emits("SoftMax", "LogSoftMax", "SpatialSoftMax", "SpatialLogSoftMax", "SoftMin")
def softmax(layer: Layer) -> Flow:
    """Over the classes, which stand after the batch; of three dimensions the first is no batch."""
    shape = layer.shape()
    axis = 0 if len(shape) in (1, 3) else 1
    op = "LogSoftmax" if "Log" in layer.module.builtin else "Softmax"
    source = layer.input
    if layer.module.builtin == "SoftMin":
        source = layer.node("Neg", [source], shape)
    return layer.node(op, [source], shape, axis=axis)


@emits("CReLU")
def concatenated_relu(layer: Layer) -> Flow:
    """A Relu of the input and one of its negative, side by side after the batch."""
    shape, dims = layer.shape(), layer.optional("nInputDims")
    axis = 1 if dims is None or len(shape) > dims else 0
    axis = layer.axis(axis + 1, len(shape))
    made = [2 * n if i == axis else n for i, n in enumerate(shape)]
    both = [layer.input, layer.node("Neg", [layer.input], shape)]
    return layer.node("Relu", [layer.node("Concat", both, made, axis=axis)], made)


@emits("GatedLinearUnit")
def gated_linear_unit(layer: Layer) -> Flow:
    """The first half of a dimension, weighed by the sigmoid of the second."""
    shape, dim = layer.shape(), layer.optional("dim")
    axis = layer.axis(dim if dim is not None else len(shape), len(shape))
    if shape[axis] % 2:
        raise layer.error(f"halves {shape[axis]} elements", "give it an even number")
    half = [n // 2 if i == axis else n for i, n in enumerate(shape)]
    parts = layer.integers([shape[axis] // 2] * 2)
    value, gate = layer.emit("Split", [layer.input, parts], [half, half], {"axis": axis})
    return layer.node("Mul", [value, layer.node("Sigmoid", [gate], half)], half)


@emits("Dropout", "SpatialDropout", "VolumetricDropout", "AlphaDropout")
def dropout(layer: Layer) -> Flow:
    """Drawn though it changes nothing at inference."""
    ratio = layer.constant(layer.number("p", 0.5))
    return layer.node("Dropout", [layer.input, ratio], layer.shape())
