"""Pooling, local and global."""

from __future__ import annotations

import numpy as np
import onnx_ir as ir

from modeldocs.loaders.keras.call import Call
from modeldocs.loaders.keras.emitters import emits
from modeldocs.loaders.keras.layers import layout


@emits("MaxPooling1D", "MaxPooling2D", "MaxPooling3D")
def max_pooling(call: Call) -> ir.Value:
    """The largest of each window."""
    return pool(call, "MaxPool")


@emits("AveragePooling1D", "AveragePooling2D", "AveragePooling3D")
def average_pooling(call: Call) -> ir.Value:
    """The mean of each window; what lies outside does not count."""
    return pool(call, "AveragePool")


def pool(call: Call, operator: str) -> ir.Value:
    """A pool with the window of a layer, or of an operation, whose strides may be left out."""
    told, rank = call.operation, len(call.shape()) - 2
    window = layout.spread(told.pool_size, rank)
    made = call.node(
        operator,
        [layout.to_first(call, call.input)],
        padding=told.padding,
        kernel_shape=window,
        strides=window if told.strides is None else layout.spread(told.strides, rank),
        auto_pad="SAME_UPPER" if told.padding == "same" else None,
    )
    return layout.back(call, made)


@emits("GlobalMaxPooling1D", "GlobalMaxPooling2D", "GlobalMaxPooling3D")
def global_max_pooling(call: Call) -> ir.Value:
    """The largest of each channel."""
    return _global(call, "GlobalMaxPool")


@emits("GlobalAveragePooling1D", "GlobalAveragePooling2D", "GlobalAveragePooling3D")
def global_average_pooling(call: Call) -> ir.Value:
    """The mean of each channel; of those steps that a mask leaves."""
    mask = call.mask() if len(call.shape()) == 3 else None
    given = call.arguments.get("mask")
    mask = given if isinstance(given, ir.Value) else mask
    return _global(call, "GlobalAveragePool") if mask is None else _masked_mean(call, mask)


def _global(call: Call, operator: str) -> ir.Value:
    first = layout.to_first(call, call.input)
    rank = len(call.shape(first))
    made = call.node(operator, [first])
    if call.operation.keepdims:
        return layout.back(call, made)
    axes = call.integers(range(2, rank), "axes")
    return call.node("Squeeze", [made, axes])


def _masked_mean(call: Call, mask: ir.Value) -> ir.Value:
    source = call.input
    steps = 2 if call.operation.data_format == "channels_first" else 1
    axis = 1 if steps == 2 else 2
    wide = call.node(
        "Unsqueeze", [call.cast(mask, ir.DataType.FLOAT), call.integers([axis], "axis")]
    )
    weights = wide if source.dtype == ir.DataType.FLOAT else call.cast(wide, _dtype(source))
    axes = call.integers([steps], "steps")
    keep = int(call.operation.keepdims)
    total = call.node("ReduceSum", [call.node("Mul", [source, weights]), axes], keepdims=keep)
    count = call.node("ReduceSum", [weights, axes], keepdims=keep)
    return call.node("Div", [total, count])


def _dtype(value: ir.Value) -> ir.DataType:
    assert value.dtype is not None
    return value.dtype


@emits(
    "AdaptiveAveragePooling1D",
    "AdaptiveAveragePooling2D",
    "AdaptiveAveragePooling3D",
    "AdaptiveMaxPooling1D",
    "AdaptiveMaxPooling2D",
    "AdaptiveMaxPooling3D",
)
def adaptive_pooling(call: Call) -> ir.Value:
    """Windows that make an output of a given size: equal ones, where the sizes divide."""
    layer = call.operation
    operator = "AveragePool" if "Average" in type(layer).__name__ else "MaxPool"
    first = layout.to_first(call, call.input)
    sizes = [call.size(size) for size in call.shape(first)[2:]]
    wanted = [call.size(size) for size in layout.first_shape(call)[2:]]
    if any(np.mod(sizes, wanted)):
        raise NotImplementedError("its windows differ in size")
    windows = [size // out for size, out in zip(sizes, wanted, strict=True)]
    made = call.node(operator, [first], kernel_shape=windows, strides=windows)
    return layout.back(call, made)
