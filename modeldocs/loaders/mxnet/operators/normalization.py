"""Emitters of MXNet's normalizations."""

from __future__ import annotations

import onnx_ir as ir

from modeldocs.loaders.dims import Dims, sizes
from modeldocs.loaders.emission import normalization
from modeldocs.loaders.emission.operation import Outputs
from modeldocs.loaders.mxnet.operation import MxnetOperation, emits


@emits("BatchNorm")
def batch_norm(op: MxnetOperation) -> Outputs:
    """BatchNormalization by the running statistics, epsilon 1e-3 by default.

    `fix_gamma` is on by default: the operator then runs with 1 for the stored gamma, so that the
    operand is a frozen parameter of ones. ONNX has no operator that gives the statistics too.
    """
    shape = op.shape(least=1)
    axis = op.axis("axis", 1 if len(shape) > 1 else 0, len(shape))
    (channels,) = sizes(shape[axis : axis + 1])
    is_fixed = op.settings.flag("fix_gamma", default=True)
    gives_statistics = op.outputs > 1
    fixed = is_fixed and not gives_statistics
    operands = [
        op.parameter("gamma", (channels,), trainable=not fixed, fixed=fixed),
        op.parameter("beta", (channels,)),
        op.parameter("moving_mean", (channels,), trainable=False),
        op.parameter("moving_var", (channels,), trainable=False),
    ]
    if gives_statistics:
        return op.opaque([shape, (channels,), (channels,)], [op.input(), *operands])
    return [
        normalization.batch_normalization(
            op,
            op.input(),
            operands,
            axis=axis,
            epsilon=op.settings.number("eps", 1e-3),
            momentum=op.settings.number("momentum", 0.9),
        )
    ]


@emits("InstanceNorm")
def instance_norm(op: MxnetOperation) -> Outputs:
    """InstanceNormalization, epsilon 1e-3 by default."""
    shape = op.shape(least=3)
    epsilon = op.settings.number("eps", 1e-3)
    operands = [op.input(), *_scale_and_shift(op, shape[1:2])]
    return [op.node("InstanceNormalization", operands, epsilon=epsilon)]


def _scale_and_shift(op: MxnetOperation, channels: Dims) -> list[ir.Value]:
    count = sizes(channels)
    return [op.parameter("gamma", count), op.parameter("beta", count)]


@emits("LayerNorm")
def layer_norm(op: MxnetOperation) -> Outputs:
    """LayerNormalization along one axis, epsilon 1e-5 by default."""
    shape = op.shape(least=1)
    axis = op.axis("axis", -1, len(shape))
    operands = _scale_and_shift(op, shape[axis : axis + 1])
    epsilon = op.settings.number("eps", 1e-5)
    value = op.input()
    return [normalization.layer_normalization(op, value, operands, axes=[axis], epsilon=epsilon)]


@emits("GroupNorm")
def group_norm(op: MxnetOperation) -> Outputs:
    """GroupNormalization; MXNet has a scale and a shift for each group, ONNX for each channel."""
    shape = op.sizes(least=3)
    groups = op.settings.integer("num_groups", 1, least=1)
    if shape[1] % groups:
        raise op.error(f"has {shape[1]} channels in {groups} groups", fix="divide them evenly")
    operands = [op.input()]
    for value in _scale_and_shift(op, (groups,)):
        column = op.reshaped(value, (groups, 1))
        target = op.integers((groups, shape[1] // groups))
        expanded = op.node("Expand", [column, target])
        operands.append(op.reshaped(expanded, shape[1:2]))
    epsilon = op.settings.number("eps", 1e-5)
    return [op.node("GroupNormalization", operands, num_groups=groups, epsilon=epsilon)]


@emits("LRN")
def lrn(op: MxnetOperation) -> Outputs:
    """LRN over channels; as in ONNX, alpha is divided by the window's size."""
    size = op.settings.integer("nsize", least=1)
    if size % 2 == 0:
        raise op.error(f"has the even size {size}", fix="use an odd nsize")
    return [
        op.node(
            "LRN",
            [op.input()],
            size=size,
            alpha=op.settings.number("alpha", 1e-4),
            beta=op.settings.number("beta", 0.75),
            bias=op.settings.number("knorm", 2.0),
        )
    ]


@emits("L2Normalization")
def l2_normalization(op: MxnetOperation) -> Outputs:
    """Division by the root of the sum of squares and epsilon, over the axes that `mode` names."""
    rank = len(op.shape(least=2))
    mode = op.settings.choice("mode", "instance", "instance", "channel", "spatial")
    axes = {"instance": range(1, rank), "channel": range(1, 2), "spatial": range(2, rank)}[mode]
    epsilon = op.settings.number("eps", 1e-10)
    return [normalization.by_norm(op, op.input(), axes, "Add", epsilon)]
