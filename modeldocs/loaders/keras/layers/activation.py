"""Layers that are an activation."""

from __future__ import annotations

import onnx_ir as ir

from modeldocs.loaders.keras import activations
from modeldocs.loaders.keras.call import Call
from modeldocs.loaders.keras.emitters import emits


@emits("Activation")
def activation(call: Call) -> ir.Value:
    """Any function, by name or as it is."""
    function = call.operation.activation
    name = getattr(function, "__name__", "")
    if name in activations.ACTIVATIONS and function.__module__.startswith("keras."):
        return activations.ACTIVATIONS[name](call, call.input, "")
    if name == "linear":
        return call.node("Identity", [call.input])
    return activations.activate(call, call.input, function)


@emits("ReLU")
def relu(call: Call) -> ir.Value:
    """With a slope, a maximum and a threshold."""
    layer = call.operation
    return activations.relu(
        call,
        call.input,
        slope=_number(layer.negative_slope),
        maximum=None if layer.max_value is None else _number(layer.max_value),
        threshold=_number(layer.threshold),
    )


@emits("LeakyReLU")
def leaky_relu(call: Call) -> ir.Value:
    """With a slope for what is negative."""
    return activations.relu(call, call.input, slope=_number(call.operation.negative_slope))


def _number(value: object) -> float:
    return float(value)  # type: ignore[arg-type]


@emits("PReLU")
def prelu(call: Call) -> ir.Value:
    """With slopes that are learned, shared along some axes."""
    slope = call.weight(call.operation.alpha)
    return call.node("PRelu", [call.input, slope])


@emits("ELU")
def elu(call: Call) -> ir.Value:
    """Exponential for what is negative."""
    return call.node("Elu", [call.input], alpha=_number(call.operation.alpha))


@emits("Softmax")
def softmax(call: Call) -> ir.Value:
    """Along one axis or several; a mask takes positions out of it."""
    source, axis = call.input, call.operation.axis
    mask = call.mask() if call.arguments.get("mask") is None else call.boolean("mask")
    if mask is not None:
        lowest = call.number(-3e4 if source.dtype == ir.DataType.FLOAT16 else -1e9, source.dtype)
        source = call.node("Where", [mask, source, lowest])
    if isinstance(axis, list | tuple) and len(axis) > 1:
        axes = call.integers([int(one) for one in axis], "axes")
        total = call.node("ReduceLogSumExp", [source, axes], keepdims=1)
        made = call.node("Exp", [call.node("Sub", [source, total])])
    else:
        only = axis[0] if isinstance(axis, list | tuple) and axis else axis
        if not isinstance(only, int):
            raise call.error(f"has the axis {axis!r}", fix="give it a number")
        made = activations.softmax(call, source, axis=int(only))
    if mask is None:
        return made
    return call.node("Where", [mask, made, call.number(0.0, made.dtype)])
