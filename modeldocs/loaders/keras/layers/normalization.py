"""Normalisations. Scales and shifts that a layer does without are constants, not parameters."""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx_ir as ir

from modeldocs.loaders.emission import layouts, normalization
from modeldocs.loaders.keras.call import Call
from modeldocs.loaders.keras.emitters import emits


@emits("BatchNormalization")
def batch_normalization(call: Call) -> ir.Value:
    """By the moving statistics, along any axis."""
    layer, source = call.operation, call.input
    channels = int(layer.moving_mean.shape[0])
    operands = [
        _or_constant(call, layer.gamma if layer.scale else None, 1.0, (channels,), "scale"),
        _or_constant(call, layer.beta if layer.center else None, 0.0, (channels,), "bias"),
        call.weight(layer.moving_mean),
        call.weight(layer.moving_variance),
    ]
    epsilon, momentum = float(layer.epsilon), float(layer.momentum)
    return normalization.batch_normalization(
        call, source, operands, axis=int(layer.axis), epsilon=epsilon, momentum=momentum
    )


def _or_constant(
    call: Call, variable: Any, fill: float, shape: tuple[int, ...], name: str
) -> ir.Value:
    """The parameter of a variable, or a constant where the layer has none."""
    if variable is not None:
        return call.weight(variable)
    return call.number(np.broadcast_to(fill, shape), name=name)


@emits("LayerNormalization")
def layer_normalization(call: Call) -> ir.Value:
    """Over the last axes, which is what ONNX has; over others after they were put last."""
    layer, source = call.operation, call.input
    rank = len(call.shape(source))
    given = layer.axis if isinstance(layer.axis, list | tuple) else [layer.axis]
    axes = sorted(axis % rank for axis in given)
    normal = tuple(call.size(call.shape(source)[axis]) for axis in axes)
    gamma = layer.gamma if layer.scale or getattr(layer, "rms_scaling", False) else None
    if getattr(layer, "rms_scaling", False):
        raise NotImplementedError("rms_scaling is not what its name says")
    scale = _or_constant(call, gamma, 1.0, normal, "scale")
    bias = call.weight(layer.beta) if layer.center else None
    epsilon = float(layer.epsilon)
    return normalization.layer_normalization(
        call, source, [scale, bias], axes=axes, epsilon=epsilon
    )


@emits("GroupNormalization")
def group_normalization(call: Call) -> ir.Value:
    """Over groups of channels."""
    layer, source = call.operation, call.input
    rank = len(call.shape(source))
    order = layouts.channels_first(rank, int(layer.axis))
    channels = call.size(call.shape(source)[int(layer.axis)])
    first = call.transpose(source, order)
    if rank == 2:
        first = call.reshape(first, [*call.shape(first), 1])
    made = call.node(
        "GroupNormalization",
        [
            first,
            _or_constant(call, layer.gamma if layer.scale else None, 1.0, (channels,), "scale"),
            _or_constant(call, layer.beta if layer.center else None, 0.0, (channels,), "bias"),
        ],
        num_groups=channels if layer.groups == -1 else int(layer.groups),
        epsilon=float(layer.epsilon),
    )
    if rank == 2:
        return call.reshape(made, call.shape(source))
    return call.transpose(made, layouts.inverse(order))


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
    mean = call.node("ReduceMean", [call.node("Mul", [source, source]), listed], keepdims=1)
    epsilon = call.number(float(layer.epsilon), source.dtype, "epsilon")
    root = call.node("Sqrt", [call.node("Add", [mean, epsilon])])
    plain = call.node("Div", [source, root])
    return call.node("Mul", [plain, call.weight(layer.scale)])


@emits("UnitNormalization")
def unit_normalization(call: Call) -> ir.Value:
    """By the length of the vector: the root of the sum of squares, at least 1e-6."""
    layer, source = call.operation, call.input
    given = layer.axis if isinstance(layer.axis, list | tuple) else [layer.axis]
    axes = [int(axis) for axis in given]
    return normalization.by_length(call, source, axes, 1e-12)
