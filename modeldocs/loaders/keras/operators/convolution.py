"""Emitters of Keras' convolutions: kernels are stored (spatial…, in, out)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import onnx_ir as ir

from modeldocs.loaders.emission.windows import same
from modeldocs.loaders.keras.emitters import computes, emits
from modeldocs.loaders.keras.operation import KerasOperation
from modeldocs.loaders.keras.operators import layout
from modeldocs.loaders.keras.operators.activation_functions import activate


@emits("Conv1D", "Conv2D", "Conv3D", "BaseConv")
def convolution(op: KerasOperation) -> ir.Value:
    """Conv with its bias, and the activation."""
    layer = op.source
    kernel = outputs_first(op, op.weight(layer.kernel))
    bias = op.bias()
    value = _convolve(op, layout.to_first(op, op.input()), kernel, bias, group=layer.groups)
    return activate(op, layout.back(op, value), layer.activation)


@computes("Conv")
def convolution_by_kernel(op: KerasOperation) -> ir.Value:
    """Conv with a kernel that is an argument."""
    value = layout.to_first(op, op.argument("inputs"))
    kernel = outputs_first(op, op.argument("kernel"))
    group = op.size(op.shape_of(value)[1]) // op.size(op.shape_of(kernel)[1])
    return layout.back(op, _convolve(op, value, kernel, None, group=group))


@emits("DepthwiseConv1D", "DepthwiseConv2D", "BaseDepthwiseConv")
def depthwise(op: KerasOperation) -> ir.Value:
    """Conv with one or more filters for each channel, and the activation."""
    source = layout.to_first(op, op.input())
    value = _depthwise(op, source, op.source.kernel, op.bias(), label="")
    return activate(op, layout.back(op, value), op.source.activation)


@emits("SeparableConv1D", "SeparableConv2D", "BaseSeparableConv")
def separable(op: KerasOperation) -> ir.Value:
    """A depthwise Conv, a pointwise one, and the activation."""
    layer = op.source
    source = layout.to_first(op, op.input())
    deep = _depthwise(op, source, layer.depthwise_kernel, None, label="depthwise")
    kernel = outputs_first(op, op.weight(layer.pointwise_kernel))
    window = [1] * len(layer.kernel_size)
    value = op.node("Conv", [deep, kernel, op.bias()], label="pointwise", kernel_shape=window)
    return activate(op, layout.back(op, value), layer.activation)


def outputs_first(op: KerasOperation, kernel: ir.Value) -> ir.Value:
    """A kernel with its last two axes first and swapped: (out, in, spatial…) as ONNX has it."""
    rank = len(op.shape_of(kernel)) - 2
    return op.transpose(kernel, [rank + 1, rank, *range(rank)])


def _depthwise(
    op: KerasOperation, source: ir.Value, variable: Any, bias: ir.Value | None, *, label: str
) -> ir.Value:
    """Kernels are stored (spatial…, channels, multiplier)."""
    *window, channels, multiplier = (int(size) for size in variable.shape)
    rank = len(window)
    kernel = op.transpose(op.weight(variable), [rank, rank + 1, *range(rank)])
    if multiplier != 1:
        kernel = op.reshape(kernel, [channels * multiplier, 1, *window])
    return _convolve(op, source, kernel, bias, group=channels, label=label)


def _convolve(
    op: KerasOperation,
    source: ir.Value,
    kernel: ir.Value,
    bias: ir.Value | None,
    *,
    group: int,
    label: str = "",
) -> ir.Value:
    """Conv, channels at axis 1, with the settings of a layer or of the operation `Conv`."""
    settings = op.source
    window = [op.size(size) for size in op.shape_of(kernel)[2:]]
    strides = layout.spread(settings.strides, len(window))
    dilations = layout.spread(settings.dilation_rate, len(window))
    return op.node(
        "Conv",
        [source, kernel, bias],
        label=label,
        padding=settings.padding,
        kernel_shape=window,
        strides=strides,
        dilations=dilations,
        group=group,
        **_pads(settings.padding, op.shape_of(source)[2:], window, strides, dilations),
    )


def _pads(
    strategy: str,
    sizes: Sequence[int | None],
    window: Sequence[int],
    strides: Sequence[int],
    dilations: Sequence[int],
) -> dict[str, Any]:
    """ONNX's attributes for a padding strategy.

    The pads of a dilated window are numbers where the sizes are known: onnxruntime accepts
    `auto_pad` without dilation alone.
    """
    if strategy == "causal":
        return {"pads": [(window[0] - 1) * dilations[0], 0]}
    if strategy != "same":
        return {}
    if all(dilation == 1 for dilation in dilations) or None in sizes:
        return {"auto_pad": "SAME_UPPER"}
    return {"pads": same([int(size or 0) for size in sizes], window, strides, dilations)}
