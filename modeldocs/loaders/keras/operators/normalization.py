"""Emitters of Keras' normalizations. Scales and shifts that a layer does not have are constants."""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx_ir as ir

from modeldocs.loaders.emission import layouts, normalization
from modeldocs.loaders.keras.emitters import computes, emits
from modeldocs.loaders.keras.operation import KerasOperation


@emits("BatchNormalization")
def batch_normalization_layer(op: KerasOperation) -> ir.Value:
    """BatchNormalization by the moving statistics, along any axis; by those of the batch where it
    was called with `training=True`.
    """
    layer = op.source
    channels = int(layer.moving_mean.shape[0])
    operands = [
        *_scale_and_bias(op, (channels,)),
        op.weight(layer.moving_mean),
        op.weight(layer.moving_variance),
    ]
    epsilon, momentum = float(layer.epsilon), float(layer.momentum)
    return normalization.batch_normalization(
        op,
        op.input(),
        operands,
        axis=int(layer.axis),
        epsilon=epsilon,
        momentum=momentum,
        training=bool(op.arguments.get("training") and layer.trainable),
    )


@computes("BatchNorm")
def batch_normalization(op: KerasOperation) -> ir.Value:
    """BatchNormalization by statistics that are arguments."""
    source, axis = op.argument("x"), int(op.source.axis)
    channels = op.size(op.shape_of(source)[axis])
    scale, offset = (
        op.number(np.broadcast_to(fill, (channels,)), name=name)
        if op.arguments.get(name) is None
        else op.argument(name)
        for name, fill in (("scale", 1.0), ("offset", 0.0))
    )
    operands = [scale, offset, op.argument("mean"), op.argument("variance")]
    return normalization.batch_normalization(
        op, source, operands, axis=axis, epsilon=float(op.source.epsilon)
    )


def _scale_and_bias(op: KerasOperation, shape: tuple[int, ...]) -> tuple[ir.Value, ir.Value]:
    """The parameters gamma and beta, or constants of ones and zeros."""
    layer = op.source
    scale = _or_constant(op, layer.gamma if layer.scale else None, 1.0, shape, "scale")
    return scale, _or_constant(op, layer.beta if layer.center else None, 0.0, shape, "bias")


def _or_constant(
    op: KerasOperation, variable: Any, fill: float, shape: tuple[int, ...], name: str
) -> ir.Value:
    if variable is not None:
        return op.weight(variable)
    return op.number(np.broadcast_to(fill, shape), name=name)


def _axes(op: KerasOperation) -> list[int]:
    axis = op.source.axis
    return [int(one) for one in (axis if isinstance(axis, list | tuple) else [axis])]


@emits("LayerNormalization")
def layer_normalization(op: KerasOperation) -> ir.Value:
    """LayerNormalization, which ONNX has over the last axes; others are moved there."""
    layer, source = op.source, op.input()
    shape = op.shape_of(source)
    axes = sorted(axis % len(shape) for axis in _axes(op))
    sizes = tuple(op.size(shape[axis]) for axis in axes)
    if getattr(layer, "rms_scaling", False):
        raise NotImplementedError("it uses rms_scaling")
    scale = _or_constant(op, layer.gamma if layer.scale else None, 1.0, sizes, "scale")
    bias = op.weight(layer.beta) if layer.center else None
    return normalization.layer_normalization(
        op, source, [scale, bias], axes=axes, epsilon=float(layer.epsilon)
    )


@emits("GroupNormalization")
def group_normalization(op: KerasOperation) -> ir.Value:
    """GroupNormalization over groups of channels."""
    layer, shape = op.source, op.shape()
    rank, axis = len(shape), int(layer.axis)
    order = layouts.channels_first(rank, axis)
    channels = op.size(shape[axis])
    value = op.transpose(op.input(), order)
    if rank == 2:
        value = op.reshape(value, [*op.shape_of(value), 1])
    result = op.node(
        "GroupNormalization",
        [value, *_scale_and_bias(op, (channels,))],
        num_groups=channels if layer.groups == -1 else int(layer.groups),
        epsilon=float(layer.epsilon),
    )
    if rank == 2:
        return op.reshape(result, shape)
    return op.transpose(result, layouts.inverse(order))


@emits("RMSNormalization")
def rms_normalization(op: KerasOperation) -> ir.Value:
    """X / sqrt(mean(x²) + epsilon): ONNX has no operator for it before opset 23."""
    layer, source = op.source, op.input()
    rank = len(op.shape_of(source))
    axes = sorted(axis % rank for axis in _axes(op))
    if axes != list(range(rank - len(axes), rank)):
        raise NotImplementedError("it normalises over other axes than the last")
    operand = op.integers([axis - rank for axis in axes], "axes")
    mean = op.node("ReduceMean", [op.node("Mul", [source, source]), operand], keepdims=1)
    epsilon = op.number(float(layer.epsilon), source.dtype, "epsilon")
    root = op.node("Sqrt", [op.node("Add", [mean, epsilon])])
    return op.node("Mul", [op.node("Div", [source, root]), op.weight(layer.scale)])


@emits("UnitNormalization")
def unit_normalization(op: KerasOperation) -> ir.Value:
    """X / its length, which counts as 1e-6 at least."""
    return normalization.by_norm(op, op.input(), _axes(op), "Max", 1e-12)


@computes("Normalize")
def normalize(op: KerasOperation) -> ir.Value:
    """X / its length, whose square counts as epsilon at least."""
    source = op.source
    if source.order != 2:
        raise NotImplementedError(f"its norm is of the order {source.order}")
    epsilon = 1e-7 if source.epsilon is None else float(source.epsilon)
    return normalization.by_norm(op, op.promote(op.input()), _axes(op), "Max", epsilon)
