"""Emitters of Keras' pooling, local, global and adaptive."""

from __future__ import annotations

import numpy as np
import onnx_ir as ir

from modeldocs.loaders.keras.emitters import computes, emits
from modeldocs.loaders.keras.operation import KerasOperation
from modeldocs.loaders.keras.operators import layout


def _each_rank(*names: str) -> list[str]:
    return [f"{name}{rank}D" for name in names for rank in (1, 2, 3)]


@emits(*_each_rank("MaxPooling", "AveragePooling"))
@computes("MaxPool", "AveragePool")
def pool(op: KerasOperation) -> ir.Value:
    """MaxPool or AveragePool, of which pads are no part; an operation may have no strides."""
    settings, rank = op.source, len(op.shape()) - 2
    window = layout.spread(settings.pool_size, rank)
    value = op.node(
        "MaxPool" if op.kind.startswith("Max") else "AveragePool",
        [layout.to_first(op, op.input())],
        padding=settings.padding,
        kernel_shape=window,
        strides=window if settings.strides is None else layout.spread(settings.strides, rank),
        auto_pad="SAME_UPPER" if settings.padding == "same" else None,
    )
    return layout.back(op, value)


@emits(*_each_rank("GlobalMaxPooling"))
def global_max_pooling(op: KerasOperation) -> ir.Value:
    """The maximum of each channel."""
    return _global(op, "GlobalMaxPool")


@emits(*_each_rank("GlobalAveragePooling"))
def global_average_pooling(op: KerasOperation) -> ir.Value:
    """The mean of each channel, over the steps that a mask keeps."""
    mask = op.mask() if len(op.shape()) == 3 else None
    argument = op.arguments.get("mask")
    mask = argument if isinstance(argument, ir.Value) else mask
    return _global(op, "GlobalAveragePool") if mask is None else _masked_mean(op, mask)


def _global(op: KerasOperation, operator: str) -> ir.Value:
    source = layout.to_first(op, op.input())
    value = op.node(operator, [source])
    if op.source.keepdims:
        return layout.back(op, value)
    return op.squeeze(value, range(2, len(op.shape_of(source))))


def _masked_mean(op: KerasOperation, mask: ir.Value) -> ir.Value:
    source = op.input()
    steps, channels = (2, 1) if op.source.data_format == "channels_first" else (1, 2)
    kept = op.cast(mask, ir.DataType.FLOAT)
    weights = op.node("Unsqueeze", [kept, op.integers([channels], "axis")])
    weights = op.cast(weights, source.dtype or ir.DataType.FLOAT)
    axes = op.integers([steps], "steps")
    keepdims = int(op.source.keepdims)
    total = op.node("ReduceSum", [op.node("Mul", [source, weights]), axes], keepdims=keepdims)
    count = op.node("ReduceSum", [weights, axes], keepdims=keepdims)
    return op.node("Div", [total, count])


@emits(*_each_rank("AdaptiveAveragePooling", "AdaptiveMaxPooling"))
def adaptive_pooling(op: KerasOperation) -> ir.Value:
    """A pool to a given output size, of equal windows where the sizes divide."""
    operator = "AveragePool" if "Average" in op.kind else "MaxPool"
    source = layout.to_first(op, op.input())
    sizes = [op.size(size) for size in op.shape_of(source)[2:]]
    output_sizes = [op.size(size) for size in layout.first_shape(op)[2:]]
    if any(np.mod(sizes, output_sizes)):
        raise NotImplementedError("its windows differ in size")
    window = [size // output for size, output in zip(sizes, output_sizes, strict=True)]
    value = op.node(operator, [source], kernel_shape=window, strides=window)
    return layout.back(op, value)
