"""Activations, and what does nothing at inference but is drawn."""

from __future__ import annotations

from modeldocs.loaders.emission import cutting, elementwise
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
    return layer.node(_PLAIN[layer.module.builtin], [layer.input])


@emits("LeakyReLU", "RReLU")
def leaky_relu(layer: Layer) -> Flow:
    """A slope below zero; a random one is the mean of its bounds at inference."""
    if layer.module.builtin == "LeakyReLU":
        slope = layer.number("negval", 0.01)
    else:
        slope = (layer.number("lower", 1 / 8) + layer.number("upper", 1 / 3)) / 2
    return layer.node("LeakyRelu", [layer.input], alpha=slope)


@emits("PReLU")
def prelu(layer: Layer) -> Flow:
    """PRelu; no planes means one slope for all."""
    shape, planes = layer.shape(), layer.integer("nOutputPlane", 0)
    weight = layer.parameter("weight", (planes or 1,))
    if planes and (len(shape) < 2 or shape[1] != planes):
        raise layer.error(f"has {planes} slopes", "give it as many as there are planes")
    wide = layer.reshape(weight, (planes or 1, *(1,) * (len(shape) - 2)))
    return layer.node("PRelu", [layer.input, wide])


@emits("ELU")
def elu(layer: Layer) -> Flow:
    """Elu."""
    return layer.node("Elu", [layer.input], alpha=layer.number("alpha", 1.0))


@emits("ReLU6", "HardTanh", "Clamp", "ClippedReLU")
def clip(layer: Layer) -> Flow:
    """Clip between two bounds."""
    ends = {
        "ReLU6": lambda: (0.0, 6.0),
        "ClippedReLU": lambda: (0.0, layer.number("ceiling")),
        "HardTanh": lambda: (layer.number("min_value", -1), layer.number("max_value", 1)),
        "Clamp": lambda: (layer.number("min_value"), layer.number("max_value")),
    }[layer.module.builtin]()
    return elementwise.clip(layer, layer.input, *ends)


@emits("Threshold")
def threshold(layer: Layer) -> Flow:
    """What is not above the threshold becomes a value; at zero and zero that is a Relu."""
    level, value = layer.number("threshold", 1e-6), layer.number("val", 0)
    if level == value == 0:
        return layer.node("Relu", [layer.input])
    above = layer.node("Greater", [layer.input, layer.constant(level)])
    return layer.node("Where", [above, layer.input, layer.constant(value)])


@emits("HardShrink", "SoftShrink")
def shrink(layer: Layer) -> Flow:
    """What is near zero becomes zero; the soft kind draws the rest nearer too."""
    width = layer.number("lambda", 0.5)
    bias = width if layer.module.builtin == "SoftShrink" else 0.0
    return layer.node("Shrink", [layer.input], lambd=width, bias=bias)


@emits("SoftPlus")
def softplus(layer: Layer) -> Flow:
    """Softplus of beta x, divided by beta."""
    return elementwise.softplus(layer, layer.input, layer.number("beta", 1.0))


@emits("LogSigmoid")
def log_sigmoid(layer: Layer) -> Flow:
    """The logarithm of a sigmoid."""
    return layer.node("Log", [layer.node("Sigmoid", [layer.input])])


@emits("TanhShrink")
def tanh_shrink(layer: Layer) -> Flow:
    """X - tanh x."""
    return layer.node("Sub", [layer.input, layer.node("Tanh", [layer.input])])


@emits("SoftMax", "LogSoftMax", "SpatialSoftMax", "SpatialLogSoftMax", "SoftMin")
def softmax(layer: Layer) -> Flow:
    """Over the classes, which stand after the batch; of three dimensions the first is no batch."""
    shape = layer.shape()
    axis = 0 if len(shape) in (1, 3) else 1
    op = "LogSoftmax" if "Log" in layer.module.builtin else "Softmax"
    source = layer.input
    if layer.module.builtin == "SoftMin":
        source = layer.node("Neg", [source])
    return layer.node(op, [source], axis=axis)


@emits("CReLU")
def concatenated_relu(layer: Layer) -> Flow:
    """A Relu of the input and one of its negative, side by side after the batch."""
    shape, dims = layer.shape(), layer.optional("nInputDims")
    axis = 1 if dims is None or len(shape) > dims else 0
    axis = layer.axis(axis + 1, len(shape))
    return elementwise.concatenated_relu(layer, layer.input, axis)


@emits("GatedLinearUnit")
def gated_linear_unit(layer: Layer) -> Flow:
    """The first half of a dimension, weighed by the sigmoid of the second."""
    shape, dim = layer.shape(), layer.optional("dim")
    axis = layer.axis(dim if dim is not None else len(shape), len(shape))
    if shape[axis] % 2:
        raise layer.error(f"halves {shape[axis]} elements", "give it an even number")
    value, gate = cutting.split(layer, layer.input, [shape[axis] // 2] * 2, axis)
    return elementwise.gated_by_half(layer, value, gate)


@emits("Dropout", "SpatialDropout", "VolumetricDropout", "AlphaDropout")
def dropout(layer: Layer) -> Flow:
    """Drawn though it changes nothing at inference."""
    ratio = layer.constant(layer.number("p", 0.5))
    return layer.node("Dropout", [layer.input, ratio])
