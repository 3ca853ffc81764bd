"""Normalisations: ONNX has its channels at axis 1, and no epsilon for norms of vectors."""

from __future__ import annotations

from collections.abc import Sequence

import onnx_ir as ir

from modeldocs.loaders.emission.builder import NodeBuilder
from modeldocs.loaders.emission.inference import shape_of
from modeldocs.loaders.emission.layouts import axes_last, channels_first, inverse


def batch_normalization(
    layer: NodeBuilder,
    value: ir.Value,
    operands: Sequence[ir.Value],
    *,
    axis: int = 1,
    epsilon: float,
    momentum: float | None = None,
    training: bool = False,
) -> ir.Value:
    """By running statistics along an axis; `operands` are scale, bias, mean and variance.

    In `training` the statistics of the batch are used instead.
    """
    rank = len(shape_of(value))
    order = channels_first(rank, axis) if rank > 1 else [0]
    first = layer.transpose(value, order)
    result, *_ = layer.node_of_several(
        "BatchNormalization",
        [first, *operands],
        # In training the running statistics are outputs, too.
        3 if training else 1,
        epsilon=epsilon,
        momentum=momentum,
        training_mode=1 if training else None,
    )
    return layer.transpose(result, inverse(order))


def layer_normalization(
    layer: NodeBuilder,
    value: ir.Value,
    operands: Sequence[ir.Value | None],
    *,
    axes: Sequence[int],
    epsilon: float,
) -> ir.Value:
    """Over some axes, which go last for it; `operands` are scale and bias of those."""
    order = axes_last(len(shape_of(value)), axes)
    last = layer.transpose(value, order)
    normalised = layer.node(
        "LayerNormalization", [last, *operands], axis=-len(axes), epsilon=epsilon
    )
    return layer.transpose(normalised, inverse(order))


def by_norm(
    layer: NodeBuilder, value: ir.Value, axes: Sequence[int], op: str, epsilon: float
) -> ir.Value:
    """X / sqrt(op(sum of squares, epsilon)), where the operator is Add or Max."""
    squares = layer.reduce("ReduceSumSquare", value, axes, keeps_axes=True)
    bounded = layer.node(op, [squares, layer.scalar(epsilon, value, "epsilon")])
    return layer.node("Div", [value, layer.node("Sqrt", [bounded])])
