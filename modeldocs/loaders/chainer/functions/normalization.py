"""Normalisations, with Chainer's own epsilons."""

from __future__ import annotations

import math
from collections.abc import Sequence

import onnx_ir as ir

from modeldocs.loaders.chainer.step import Step, emits
from modeldocs.loaders.emission.layouts import axes_last, inverse


@emits("FixedBatchNormalization")
def fixed_batch_normalization(step: Step) -> Sequence[ir.Value]:
    """BatchNormalization with running statistics, over channels or over the axes it was given."""
    epsilon = float(step.setting("eps"))
    keys = [int(axis) for axis in step.setting("key_axis")]
    shape = step.shape()
    if keys == [1]:
        return [step.node("BatchNormalization", step.operands, epsilon=epsilon)]
    perm = axes_last(len(shape), keys)
    moved = step.transpose(step.operands[0], perm)
    features = math.prod(shape[axis] for axis in keys)
    rows = step.reshape(moved, (math.prod(shape) // max(features, 1), features))
    stored = [step.reshape(value, (features,)) for value in step.operands[1:]]
    made = step.node("BatchNormalization", [rows, *stored], epsilon=epsilon)
    back = step.reshape(made, [shape[axis] for axis in perm])
    return [step.transpose(back, inverse(perm))]


@emits("LayerNormalization")
def layer_normalization(step: Step) -> Sequence[ir.Value]:
    """LayerNormalization of the last of two axes."""
    epsilon = float(step.setting("eps"))
    return [step.node("LayerNormalization", step.operands, axis=-1, epsilon=epsilon)]


@emits("GroupNormalization")
def group_normalization(step: Step) -> Sequence[ir.Value]:
    """GroupNormalization; scale and shift are per channel, as ONNX has them."""
    groups, epsilon = int(step.setting("groups")), float(step.setting("eps"))
    return [step.node("GroupNormalization", step.operands, num_groups=groups, epsilon=epsilon)]


@emits("LocalResponseNormalization")
def local_response_normalization(step: Step) -> Sequence[ir.Value]:
    """LRN. Chainer takes n // 2 channels to both sides, and does not divide alpha by n."""
    size = 2 * (int(step.setting("n")) // 2) + 1
    return [
        step.node(
            "LRN",
            step.operands,
            size=size,
            alpha=float(step.setting("alpha")) * size,
            beta=float(step.setting("beta")),
            bias=float(step.setting("k")),
        )
    ]


@emits("NormalizeL2")
def normalize_l2(step: Step) -> Sequence[ir.Value]:
    """Division by the norm plus epsilon, which ONNX's LpNormalization does not have."""
    axes = [int(axis) for axis in step.setting("axis")]
    norm = step.node("ReduceL2", [step.operands[0], step.integers(axes)], keepdims=1)
    moved = step.node("Add", [norm, step.scalar(float(step.setting("eps")), norm)])
    return [step.node("Div", [step.operands[0], moved])]
