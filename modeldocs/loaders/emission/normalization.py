"""Normalisations: ONNX has its channels at axis 1, and no epsilon for norms of vectors."""

from __future__ import annotations

from collections.abc import Sequence

import onnx_ir as ir

from modeldocs.loaders.emission.builder import Builder
from modeldocs.loaders.emission.inference import shape_of
from modeldocs.loaders.emission.layouts import axes_last, channels_first, inverse


def batch_normalization(
    layer: Builder,
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
    layer: Builder,
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


def by_root_of_squares(
    layer: Builder, value: ir.Value, axes: Sequence[int], epsilon: float
) -> ir.Value:
    """X / sqrt(sum of squares + epsilon)."""
    squares = _squares(layer, value, axes)
    shifted = layer.node("Add", [squares, layer.scalar(epsilon, value, "eps")])
    return layer.node("Div", [value, layer.node("Sqrt", [shifted])])


def by_length(layer: Builder, value: ir.Value, axes: Sequence[int], least: float) -> ir.Value:
    """X / sqrt(max(sum of squares, least))."""
    squares = _squares(layer, value, axes)
    bounded = layer.node("Max", [squares, layer.scalar(least, value, "epsilon")])
    return layer.node("Div", [value, layer.node("Sqrt", [bounded])])


def _squares(layer: Builder, value: ir.Value, axes: Sequence[int]) -> ir.Value:
    return layer.node("ReduceSumSquare", [value, layer.integers(axes, "axes")], keepdims=1)
