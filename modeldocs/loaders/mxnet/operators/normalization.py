"""Normalization: BatchNorm, LayerNorm, InstanceNorm, GroupNorm, LRN and L2Normalization."""

from __future__ import annotations

from typing import Any

import onnx_ir as ir

from modeldocs.loaders.dims import Dims, sizes
from modeldocs.loaders.emission import normalization
from modeldocs.loaders.mxnet.operation import Operation, Outputs, emits


@emits("BatchNorm")
def batch_norm(op: Operation) -> Outputs:
    """BatchNormalization by the running statistics.

    `fix_gamma` is on unless turned off: the gamma that is stored then runs as 1, so the operand
    is that gamma, frozen, with the value 1. Epsilon is 1e-3 unless given.
    """
    shape = op.shape(least=1)
    axis = op.axis("axis", 1 if len(shape) > 1 else 0, len(shape))
    (channels,) = sizes(shape[axis : axis + 1])
    fixed = op.settings.flag("fix_gamma", default=True)
    if op.outputs > 1:
        return _with_statistics(op, shape, channels)
    operands = [
        op.parameter("gamma", (channels,), trainable=not fixed, fixed=fixed),
        op.parameter("beta", (channels,)),
        op.parameter("moving_mean", (channels,), trainable=False),
        op.parameter("moving_var", (channels,), trainable=False),
    ]
    return [
        normalization.batch_normalization(
            op,
            op.value(),
            operands,
            axis=axis,
            epsilon=op.settings.number("eps", 1e-3),
            momentum=op.settings.number("momentum", 0.9),
        )
    ]


def _with_statistics(op: Operation, shape: Dims, channels: int) -> Outputs:
    """Mean and variance are outputs too: ONNX has no such operator for inference."""
    kinds = ("gamma", "beta", "moving_mean", "moving_var")
    operands = [
        op.parameter(kind, (channels,),
                     trainable=not kind.startswith("moving"))
        for kind in kinds
    ]  # fmt: skip
    return op.opaque([shape, (channels,), (channels,)], [op.value(), *operands])


@emits("InstanceNorm")
def instance_norm(op: Operation) -> Outputs:
    """InstanceNormalization, epsilon 1e-3 unless given."""
    shape = op.shape(least=3)
    epsilon = op.settings.number("eps", 1e-3)
    operands = [op.value(), *_scale_and_shift(op, shape[1:2])]
    return [op.node("InstanceNormalization", operands, epsilon=epsilon)]


def _scale_and_shift(op: Operation, channels: Dims) -> list[ir.Value]:
    count = sizes(channels)
    return [op.parameter("gamma", count), op.parameter("beta", count)]


@emits("LayerNorm")
def layer_norm(op: Operation) -> Outputs:
    """LayerNormalization along one axis, which goes last for it."""
    shape = op.shape(least=1)
    axis = op.axis("axis", -1, len(shape))
    operands = _scale_and_shift(op, shape[axis : axis + 1])
    epsilon = op.settings.number("eps", 1e-5)
    value = op.value()
    return [normalization.layer_normalization(op, value, operands, axes=[axis], epsilon=epsilon)]


@emits("GroupNorm")
def group_norm(op: Operation) -> Outputs:
    """GroupNormalization; MXNet has a scale and shift for each group, ONNX for each channel."""
    shape = op.sizes(least=3)
    groups = op.settings.integer("num_groups", 1, least=1)
    if shape[1] % groups:
        raise op.error(f"has {shape[1]} channels in {groups} groups", fix="divide them evenly")
    wide = (groups, shape[1] // groups)
    operands = [op.value()]
    for value in _scale_and_shift(op, (groups,)):
        spread = op.node("Expand", [op.reshaped(value, (groups, 1)), op.integers(wide)])
        operands.append(op.reshaped(spread, shape[1:2]))
    epsilon = op.settings.number("eps", 1e-5)
    return [op.node("GroupNormalization", operands, num_groups=groups, epsilon=epsilon)]


@emits("LRN")
def lrn(op: Operation) -> Outputs:
    """LRN across channels; MXNet divides alpha by the window's size, as ONNX does."""
    size = op.settings.integer("nsize", least=1)
    if size % 2 == 0:
        raise op.error(f"has the even size {size}", fix="use an odd nsize")
    read = op.settings
    alpha, beta, bias = (
        read.number("alpha", 1e-4),
        read.number("beta", 0.75),
        read.number("knorm", 2.0),
    )
    attributes: dict[str, Any] = {"size": size, "alpha": alpha, "beta": beta, "bias": bias}
    return [op.node("LRN", [op.value()], **attributes)]


@emits("L2Normalization")
def l2_normalization(op: Operation) -> Outputs:
    """Division by the root of the sum of squares and epsilon, over what `mode` names."""
    shape = op.shape(least=2)
    mode = op.settings.choice("mode", "instance", "instance", "channel", "spatial")
    first = 1 if mode == "instance" else 2
    axes = [1] if mode == "channel" else list(range(first, len(shape)))
    epsilon = op.settings.number("eps", 1e-10)
    return [normalization.by_root_of_squares(op, op.value(), axes, epsilon)]
