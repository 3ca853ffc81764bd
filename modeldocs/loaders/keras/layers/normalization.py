"""Normalisations. Scales and shifts that a layer does without are constants, not parameters."""

from __future__ import annotations

from typing import Any

import onnx_ir as ir

from modeldocs.loaders.keras import shapes
from modeldocs.loaders.keras.call import Call
from modeldocs.loaders.keras.emitters import emits


@emits("BatchNormalization")
def batch_normalization(call: Call) -> ir.Value:
    """By the moving statistics, along any axis."""
    layer, source = call.operation, call.input
    rank, axis = len(call.shape(source)), int(layer.axis)
    order = shapes.to_channels_first(rank, axis)
    channels = int(layer.moving_mean.shape[0])
    first = call.transpose(source, order)
    made = call.add(
        "BatchNormalization",
        first,
        _or_constant(call, layer.gamma if layer.scale else None, 1.0, (channels,), "scale"),
        _or_constant(call, layer.beta if layer.center else None, 0.0, (channels,), "bias"),
        call.weight(layer.moving_mean),
        call.weight(layer.moving_variance),
        epsilon=float(layer.epsilon),
        momentum=float(layer.momentum),
        shape=call.shape(first),
    )
    return call.transpose(made, shapes.inverse(order))


def _or_constant(
    call: Call, variable: Any, fill: float, shape: tuple[int, ...], name: str
) -> ir.Value:
    """The parameter of a variable, or a constant where the layer has none."""
    if variable is not None:
        return call.weight(variable)
    return call.full(fill, shape, name)


@emits("LayerNormalization")
def layer_normalization(call: Call) -> ir.Value:
    """Over the last axes, which is what ONNX has; over others after they were put last."""
    layer, source = call.operation, call.input
    rank = len(call.shape(source))
    given = layer.axis if isinstance(layer.axis, list | tuple) else [layer.axis]
    axes = sorted(axis % rank for axis in given)
    order = [*(axis for axis in range(rank) if axis not in axes), *axes]
    last = call.transpose(source, order)
    normal = tuple(call.size(size) for size in call.shape(last)[rank - len(axes) :])
    gamma = layer.gamma if layer.scale or getattr(layer, "rms_scaling", False) else None
    if getattr(layer, "rms_scaling", False):
        raise NotImplementedError("rms_scaling is not what its name says")
    scale = _or_constant(call, gamma, 1.0, normal, "scale")
    bias = call.weight(layer.beta) if layer.center else None
    made = call.add(
        "LayerNormalization",
        last,
        scale,
        bias,
        axis=-len(axes),
        epsilon=float(layer.epsilon),
        shape=call.shape(last),
    )
    return call.transpose(made, shapes.inverse(order))


@emits("GroupNormalization")
def group_normalization(call: Call) -> ir.Value:
    """Over groups of channels."""
    layer, source = call.operation, call.input
    rank = len(call.shape(source))
    order = shapes.to_channels_first(rank, int(layer.axis))
    channels = call.size(call.shape(source)[int(layer.axis)])
    first = call.transpose(source, order)
    if rank == 2:
        first = call.reshape(first, [*call.shape(first), 1])
    made = call.add(
        "GroupNormalization",
        first,
        _or_constant(call, layer.gamma if layer.scale else None, 1.0, (channels,), "scale"),
        _or_constant(call, layer.beta if layer.center else None, 0.0, (channels,), "bias"),
        num_groups=channels if layer.groups == -1 else int(layer.groups),
        epsilon=float(layer.epsilon),
        shape=call.shape(first),
    )
    if rank == 2:
        return call.reshape(made, call.shape(source))
    return call.transpose(made, shapes.inverse(order))


@emits("RMSNormalization")
def rms_normalization(call: Call) -> ir.Value:
    """By the root of the mean square, without a mean: an operator of its own from opset 23 on."""
    layer, source = call.operation, call.input
    rank = len(call.shape(source))
    given = layer.axis if isinstance(layer.axis, list | tuple) else [layer.axis]
    axes = sorted(axis % rank for axis in given)
    if axes != list(range(rank - len(axes), rank)):
        raise NotImplementedError("it normalises over other axes than the last")
    listed = call.integers([axis - rank for axis in axes], "axes")
    mean = call.add("ReduceMean", call.add("Mul", source, source), listed, keepdims=1)
    epsilon = call.number(float(layer.epsilon), source.dtype, "epsilon")
    root = call.add("Sqrt", call.add("Add", mean, epsilon))
    plain = call.add("Div", source, root, shape=call.shape(source))
    return call.add("Mul", plain, call.weight(layer.scale), shape=call.shape(source))


@emits("UnitNormalization")
def unit_normalization(call: Call) -> ir.Value:
    """By the length of the vector: the root of the sum of squares, at least 1e-6."""
    layer, source = call.operation, call.input
    given = layer.axis if isinstance(layer.axis, list | tuple) else [layer.axis]
    axes = call.integers([int(axis) for axis in given], "axes")
    squares = call.add("ReduceSumSquare", source, axes, keepdims=1, label="squares")
    least = call.number(1e-12, source.dtype, "epsilon")
    length = call.add("Sqrt", call.add("Max", squares, least, label="least"), label="length")
    return call.add("Div", source, length, shape=call.shape(source))
