"""Convolutions: kernels are stored (spatial…, in, out), ONNX wants (out, in, spatial…)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import onnx_ir as ir

from modeldocs.loaders.emission.windows import same
from modeldocs.loaders.keras import activations
from modeldocs.loaders.keras.call import Call
from modeldocs.loaders.keras.emitters import emits
from modeldocs.loaders.keras.layers import layout


@emits("Conv1D", "Conv2D", "Conv3D", "BaseConv")
def convolution(call: Call) -> ir.Value:
    """A convolution, its bias and its activation."""
    layer = call.operation
    rank = len(layer.kernel_size)
    kernel = call.transpose(call.weight(layer.kernel), [rank + 1, rank, *range(rank)])
    bias = call.weight(layer.bias) if layer.use_bias else None
    made = convolve(call, layout.to_first(call, call.input), kernel, bias, group=layer.groups)
    return activations.activate(call, layout.back(call, made), layer.activation)


@emits("DepthwiseConv1D", "DepthwiseConv2D", "BaseDepthwiseConv")
def depthwise(call: Call) -> ir.Value:
    """One or more filters a channel."""
    layer = call.operation
    source = layout.to_first(call, call.input)
    bias = call.weight(layer.bias) if layer.use_bias else None
    made = _depthwise(call, source, layer.kernel, bias, label="")
    return activations.activate(call, layout.back(call, made), layer.activation)


@emits("SeparableConv1D", "SeparableConv2D", "BaseSeparableConv")
def separable(call: Call) -> ir.Value:
    """A depthwise convolution, then a pointwise one."""
    layer = call.operation
    rank = len(layer.kernel_size)
    source = layout.to_first(call, call.input)
    deep = _depthwise(call, source, layer.depthwise_kernel, None, label="depthwise")
    kernel = call.transpose(call.weight(layer.pointwise_kernel), [rank + 1, rank, *range(rank)])
    bias = call.weight(layer.bias) if layer.use_bias else None
    made = call.node("Conv", [deep, kernel, bias], label="pointwise", kernel_shape=[1] * rank)
    return activations.activate(call, layout.back(call, made), layer.activation)


def _depthwise(
    call: Call, source: ir.Value, variable: Any, bias: ir.Value | None, *, label: str
) -> ir.Value:
    """Kernels are stored (spatial…, channels, multiplier)."""
    layer, kernel = call.operation, call.weight(variable)
    rank = len(layer.kernel_size)
    *window, channels, multiplier = (int(size) for size in variable.shape)
    if multiplier == 1:
        kernel = call.transpose(kernel, [rank, rank + 1, *range(rank)])
    else:
        kernel = call.transpose(kernel, [rank, rank + 1, *range(rank)])
        kernel = call.reshape(kernel, [channels * multiplier, 1, *window])
    return convolve(call, source, kernel, bias, group=channels, label=label)


def convolve(
    call: Call,
    source: ir.Value,
    kernel: ir.Value,
    bias: ir.Value | None,
    *,
    group: int,
    label: str = "",
) -> ir.Value:
    """ONNX's Conv, channels first, with the settings of a layer or of the operation `Conv`."""
    told = call.operation
    window = [call.size(size) for size in call.shape(kernel)[2:]]
    strides = layout.spread(told.strides, len(window))
    dilations = layout.spread(told.dilation_rate, len(window))
    return call.node(
        "Conv",
        [source, kernel, bias],
        label=label,
        padding=told.padding,
        kernel_shape=window,
        strides=strides,
        dilations=dilations,
        group=group,
        **padding(told.padding, call.shape(source)[2:], window, strides, dilations),
    )


def padding(
    strategy: str,
    sizes: Sequence[int | None],
    window: Sequence[int],
    strides: Sequence[int],
    dilations: Sequence[int],
) -> dict[str, Any]:
    """ONNX's attributes for a padding strategy.

    A dilated window has its pads as numbers where the sizes are known: onnxruntime takes
    `auto_pad` without dilation alone.
    """
    if strategy == "causal":
        return {"pads": [(window[0] - 1) * dilations[0], 0]}
    if strategy != "same":
        return {}
    if all(dilation == 1 for dilation in dilations) or None in sizes:
        return {"auto_pad": "SAME_UPPER"}
    return {"pads": same([int(size or 0) for size in sizes], window, strides, dilations)}
