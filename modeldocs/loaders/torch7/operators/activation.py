"""Emitters of Torch7's activations, and of dropout."""

from __future__ import annotations

from modeldocs.loaders.emission import cutting, elementwise
from modeldocs.loaders.torch7.operation import Flow, TorchOperation, emits, renames

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


@renames(_PLAIN)
def plain(op: TorchOperation, operator: str) -> Flow:
    """The ONNX operator of the same function."""
    return op.node(operator, [op.input()])


@emits("LeakyReLU", "RReLU")
def leaky_relu(op: TorchOperation) -> Flow:
    """LeakyRelu; the random slope of RReLU is the mean of its bounds at inference."""
    if op.kind == "LeakyReLU":
        slope = op.number("negval", 0.01)
    else:
        slope = (op.number("lower", 1 / 8) + op.number("upper", 1 / 3)) / 2
    return op.node("LeakyRelu", [op.input()], alpha=slope)


@emits("PReLU")
def prelu(op: TorchOperation) -> Flow:
    """PRelu with a slope per channel, or one for all where `nOutputPlane` is 0."""
    shape, planes = op.shape(), op.integer("nOutputPlane", 0)
    weight = op.parameter("weight", (planes or 1,))
    if planes and (len(shape) < 2 or shape[1] != planes):
        raise op.error(f"has {planes} slopes", "give it as many as there are planes")
    slopes = elementwise.per_channel(op, weight, len(shape))
    return op.node("PRelu", [op.input(), slopes])


@emits("ELU")
def elu(op: TorchOperation) -> Flow:
    """Elu; alpha is 1 unless given."""
    return op.node("Elu", [op.input()], alpha=op.number("alpha", 1.0))


@emits("ReLU6", "HardTanh", "Clamp", "ClippedReLU")
def clip(op: TorchOperation) -> Flow:
    """Clip between two bounds."""
    ends = {
        "ReLU6": lambda: (0.0, 6.0),
        "ClippedReLU": lambda: (0.0, op.number("ceiling")),
        "HardTanh": lambda: (op.number("min_value", -1), op.number("max_value", 1)),
        "Clamp": lambda: (op.number("min_value"), op.number("max_value")),
    }[op.kind]()
    return elementwise.clip(op, op.input(), *ends)


@emits("Threshold")
def threshold(op: TorchOperation) -> Flow:
    """Relu; with another threshold or replacement, Where(x > threshold, x, val)."""
    level, value = op.number("threshold", 1e-6), op.number("val", 0)
    if level == value == 0:
        return op.node("Relu", [op.input()])
    above = op.node("Greater", [op.input(), op.constant(level)])
    return op.node("Where", [above, op.input(), op.constant(value)])


@emits("HardShrink", "SoftShrink")
def shrink(op: TorchOperation) -> Flow:
    """Shrink; the soft kind moves the other values towards zero by lambda."""
    width = op.number("lambda", 0.5)
    bias = width if op.kind == "SoftShrink" else 0.0
    return op.node("Shrink", [op.input()], lambd=width, bias=bias)


@emits("SoftPlus")
def softplus(op: TorchOperation) -> Flow:
    """Softplus(beta · x) / beta."""
    return elementwise.softplus(op, op.input(), op.number("beta", 1.0))


@emits("LogSigmoid")
def log_sigmoid(op: TorchOperation) -> Flow:
    """Log(sigmoid(x))."""
    return op.node("Log", [op.node("Sigmoid", [op.input()])])


@emits("TanhShrink")
def tanh_shrink(op: TorchOperation) -> Flow:
    """X - tanh(x)."""
    return op.node("Sub", [op.input(), op.node("Tanh", [op.input()])])


@emits("SoftMax", "LogSoftMax", "SpatialSoftMax", "SpatialLogSoftMax", "SoftMin")
def softmax(op: TorchOperation) -> Flow:
    """Softmax over axis 1; over axis 0 of a vector or an image without a batch.

    SoftMin is the softmax of -x.
    """
    shape = op.shape()
    axis = 0 if len(shape) in (1, 3) else 1
    kind = "LogSoftmax" if "Log" in op.kind else "Softmax"
    value = op.input()
    if op.kind == "SoftMin":
        value = op.node("Neg", [value])
    return op.node(kind, [value], axis=axis)


@emits("CReLU")
def concatenated_relu(op: TorchOperation) -> Flow:
    """Relu of the input and of its negative, joined along the first axis of an item."""
    shape, dims = op.shape(), op.optional("nInputDims")
    axis = 1 if dims is None or len(shape) > dims else 0
    axis = op.axis(axis + 1, len(shape))
    return elementwise.concatenated_relu(op, op.input(), axis)


@emits("GatedLinearUnit")
def gated_linear_unit(op: TorchOperation) -> Flow:
    """The first half of a dimension times the sigmoid of the second."""
    shape, dim = op.shape(), op.optional("dim")
    axis = op.axis(dim if dim is not None else len(shape), len(shape))
    if shape[axis] % 2:
        raise op.error(f"halves {shape[axis]} elements", "give it an even number")
    value, gate = cutting.split(op, op.input(), [shape[axis] // 2] * 2, axis)
    return elementwise.gated_by_half(op, value, gate)


@emits("Dropout", "SpatialDropout", "VolumetricDropout", "AlphaDropout")
def dropout(op: TorchOperation) -> Flow:
    """Dropout, which changes nothing at inference, unless that is stochastic."""
    operands = [op.input(), op.constant(op.number("p", 0.5))]
    if op.flag("stochastic_inference"):
        operands.append(op.constant(True))
    return op.node("Dropout", operands)
