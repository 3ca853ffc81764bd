"""Emitters of TensorFlow's convolutions: kernels are stored (spatial…, in, out)."""

from __future__ import annotations

from collections.abc import Sequence

import onnx_ir as ir

from modeldocs.ir import Dim
from modeldocs.loaders.tensorflow.operation import (
    Outputs,
    TensorFlowOperation,
    UnsupportedError,
    emits,
)
from modeldocs.loaders.tensorflow.operators.layout import ImageLayout, layout_of


@emits("Conv2D", "Conv3D")
def convolution(op: TensorFlowOperation) -> Outputs:
    """Conv; the groups follow from the kernel's input channels."""
    layout = layout_of(op)
    kernel = _kernel_shape(op, layout)
    weight = op.transpose(op.input(1), _kernel_order(layout.rank))
    channels = op.shape(0)[layout.channels]
    # Channels that are not known are those of the kernel.
    channels = kernel[-2] if channels is None else channels
    if not isinstance(channels, int) or kernel[-2] < 1 or channels % kernel[-2]:
        raise UnsupportedError("has a kernel that does not fit its channels")
    return _conv(layout, weight, kernel[:-2], channels // kernel[-2])


@emits("DepthwiseConv2dNative")
def depthwise(op: TensorFlowOperation) -> Outputs:
    """Conv with a group for each channel; the kernel is (height, width, in, multiplier)."""
    layout = layout_of(op)
    height, width, channels, multiplier = _kernel_shape(op, layout)
    weight = op.transpose(op.input(1), (2, 3, 0, 1))
    if multiplier != 1:
        weight = op.reshape(weight, (channels * multiplier, 1, height, width))
    return _conv(layout, weight, [height, width], channels)


def _conv(layout: ImageLayout, weight: ir.Value, kernel: Sequence[int], group: int) -> Outputs:
    op = layout.op
    strides, dilations = layout.strides_and_dilations()
    sizes = layout.shape(op.shape(0))[2:]
    pads = layout.pads(sizes, kernel, strides, dilations)
    value = op.node(
        "Conv",
        [layout.first(op.input(0)), weight],
        kernel_shape=list(kernel),
        strides=strides,
        dilations=dilations,
        group=group,
        **pads,
    )
    return layout.result(value)


@emits("Conv2DBackpropInput", "Conv3DBackpropInputV2")
def transposed(op: TensorFlowOperation) -> Outputs:
    """ConvTranspose; the kernel is (spatial…, out, in), and an operand is the output's shape."""
    layout = layout_of(op, 2)
    kernel = _kernel_shape(op, layout)
    output_shape, input_shape = op.output_shape(), op.shape(2)
    strides, dilations = layout.strides_and_dilations()
    outputs, inputs = layout.shape(output_shape)[2:], layout.shape(input_shape)[2:]
    pads = layout.pads(outputs, kernel[:-2], strides, dilations).get("pads")
    if pads is None:
        raise UnsupportedError("has an output of unknown size")
    output_padding = _output_padding(outputs, inputs, kernel, strides, dilations, pads)
    if input_shape[layout.channels] not in (kernel[-1], None):
        raise UnsupportedError("has a kernel that does not fit its channels")
    image = layout.first(op.input(2))
    weight = op.transpose(op.input(1), _kernel_order(layout.rank))
    value = op.node(
        "ConvTranspose",
        [image, weight],
        kernel_shape=kernel[:-2],
        strides=strides,
        dilations=dilations,
        group=1,
        pads=pads,
        output_padding=output_padding if any(output_padding) else None,
    )
    return layout.result(value)


def _output_padding(
    outputs: Sequence[Dim],
    inputs: Sequence[Dim],
    kernel: Sequence[int],
    strides: Sequence[int],
    dilations: Sequence[int],
    pads: Sequence[int],
) -> list[int]:
    """What each output size has beyond that of the windows less the pads.

    Raises:
        UnsupportedError: a size is not known, or is not one that the strides give.
    """
    added = []
    for axis, (output, size) in enumerate(zip(outputs, inputs, strict=True)):
        if not isinstance(output, int) or not isinstance(size, int):
            raise UnsupportedError("has an output of unknown size")
        reach = (size - 1) * strides[axis] + (kernel[axis] - 1) * dilations[axis] + 1
        added.append(output - (reach - pads[axis] - pads[len(outputs) + axis]))
    if any(not 0 <= extra < max(stride, 1) for extra, stride in zip(added, strides, strict=True)):
        raise UnsupportedError("has an output of a size that its strides do not give")
    return added


def _kernel_order(rank: int) -> tuple[int, ...]:
    """The axes of a kernel in the order of ONNX: (out, in, spatial…)."""
    return (rank - 1, rank - 2, *range(rank - 2))


def _kernel_shape(op: TensorFlowOperation, layout: ImageLayout) -> list[int]:
    shape = op.shape(1)
    sizes = [size for size in shape if isinstance(size, int)]
    if len(sizes) != len(shape) or len(sizes) != layout.rank:
        raise UnsupportedError("has a kernel of unknown shape")
    return sizes
