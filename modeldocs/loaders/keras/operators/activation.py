"""Emitters of Keras' activations: layers and operations."""

from __future__ import annotations

import onnx_ir as ir

from modeldocs.loaders.emission import elementwise
from modeldocs.loaders.keras.emitters import computes, emits
from modeldocs.loaders.keras.operation import KerasOperation
from modeldocs.loaders.keras.operators import activation_functions as functions

_OPERATIONS = {
    "Relu": "relu",
    "Relu6": "relu6",
    "Selu": "selu",
    "Softplus": "softplus",
    "Softsign": "softsign",
    "HardSigmoid": "hard_sigmoid",
    "HardSilu": "hard_silu",
    "Silu": "silu",
}
"""Functions without settings by the operation's name."""


@emits("Activation")
def activation(op: KerasOperation) -> ir.Value:
    """Any function, by name or as a callable."""
    function = op.source.activation
    name = functions.known_name(function)
    if name in functions.ACTIVATIONS:
        return functions.ACTIVATIONS[name](op, op.input(), "")
    if getattr(function, "__name__", "") == "linear":
        return op.node("Identity", [op.input()])
    return functions.activate(op, op.input(), function)


@computes(*_OPERATIONS)
def plain(op: KerasOperation) -> ir.Value:
    """A function without settings."""
    return functions.ACTIVATIONS[_OPERATIONS[op.kind]](op, op.promote(op.input()), "")


@emits("ReLU")
@computes("ReLU")
def relu(op: KerasOperation) -> ir.Value:
    """ReLU with a slope, a maximum and a threshold."""
    maximum = op.source.max_value
    return functions.relu(
        op,
        op.input(),
        slope=float(op.source.negative_slope),
        maximum=None if maximum is None else float(maximum),
        threshold=float(op.source.threshold),
    )


@emits("LeakyReLU")
@computes("LeakyRelu")
def leaky_relu(op: KerasOperation) -> ir.Value:
    """ReLU with a slope for negative values."""
    return functions.relu(op, op.input(), slope=float(op.source.negative_slope))


@emits("PReLU")
def prelu(op: KerasOperation) -> ir.Value:
    """PRelu; the slopes are shared along some axes."""
    return op.node("PRelu", [op.input(), op.weight(op.source.alpha)])


@emits("ELU")
def elu_layer(op: KerasOperation) -> ir.Value:
    return op.node("Elu", [op.input()], alpha=float(op.source.alpha))


@computes("Elu", "Celu")
def elu(op: KerasOperation) -> ir.Value:
    """Elu or Celu."""
    return op.node(op.kind, [op.promote(op.input())], alpha=float(op.source.alpha))


@computes("Gelu")
def gelu(op: KerasOperation) -> ir.Value:
    """Gelu, exact or approximated by tanh."""
    approximate = "tanh" if op.source.approximate else "none"
    return op.node("Gelu", [op.promote(op.input())], approximate=approximate)


@emits("Softmax")
def softmax_layer(op: KerasOperation) -> ir.Value:
    """Softmax over one axis or several; masked positions become 0."""
    value, axis = op.input(), op.source.axis
    mask = op.mask() if op.arguments.get("mask") is None else op.boolean("mask")
    if mask is not None:
        lowest = op.number(-3e4 if value.dtype == ir.DataType.FLOAT16 else -1e9, value.dtype)
        value = op.node("Where", [mask, value, lowest])
    if isinstance(axis, list | tuple) and len(axis) > 1:
        axes = op.integers([int(one) for one in axis], "axes")
        total = op.node("ReduceLogSumExp", [value, axes], keepdims=1)
        result = op.node("Exp", [op.node("Sub", [value, total])])
    else:
        single = axis[0] if isinstance(axis, list | tuple) and axis else axis
        if not isinstance(single, int):
            raise op.error(f"has the axis {axis!r}", fix="give it a number")
        result = op.node("Softmax", [value], axis=single)
    if mask is None:
        return result
    return op.node("Where", [mask, result, op.number(0.0, result.dtype)])


@computes("Softmax", "LogSoftmax")
def softmax(op: KerasOperation) -> ir.Value:
    """Softmax or LogSoftmax over one axis or several."""
    axis, value = op.source.axis, op.promote(op.input())
    if isinstance(axis, int):
        return op.node(op.kind, [value], axis=axis)
    rank = len(op.shape())
    axes = range(rank) if axis is None else sorted(int(one) % rank for one in axis)
    operand = op.integers(list(axes), "axes")
    total = op.node("ReduceLogSumExp", [value, operand], keepdims=1)
    logarithm = op.node("Sub", [value, total])
    return logarithm if op.kind == "LogSoftmax" else op.node("Exp", [logarithm])


@computes("LogSigmoid")
def log_sigmoid(op: KerasOperation) -> ir.Value:
    """-softplus(-x), which is stable for large numbers."""
    return op.node("Neg", [op.node("Softplus", [op.node("Neg", [op.input()])])])


@computes("HardTanh")
def hard_tanh(op: KerasOperation) -> ir.Value:
    """Clip between -1 and 1."""
    return functions.clip(op, op.input(), -1.0, 1.0)


@computes("TanhShrink")
def tanh_shrink(op: KerasOperation) -> ir.Value:
    """X - tanh(x)."""
    return op.node("Sub", [op.input(), op.node("Tanh", [op.input()])])


@computes("SoftShrink", "HardShrink")
def shrink(op: KerasOperation) -> ir.Value:
    """Shrink: zero up to a threshold, which SoftShrink subtracts from larger values."""
    threshold = float(op.source.threshold)
    bias = threshold if op.kind == "SoftShrink" else 0.0
    return op.node("Shrink", [op.input()], lambd=threshold, bias=bias)


@computes("Glu")
def glu(op: KerasOperation) -> ir.Value:
    """One half times the sigmoid of the other."""
    axis = int(op.source.axis)
    value, gate = op.node_of_several("Split", [op.input()], 2, axis=axis, num_outputs=2)
    return elementwise.gated_by_half(op, value, gate)
