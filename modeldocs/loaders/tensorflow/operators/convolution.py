"""Convolutions: kernels stay as TensorFlow keeps them, and are turned to ONNX's order."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import onnx_ir as ir

from modeldocs.ir import Dim
from modeldocs.loaders.tensorflow.emission import Dims, Emission, Results, UnsupportedError, emits
from modeldocs.loaders.tensorflow.operators.layout import Layout, layout_of, pads


@emits("Conv2D", "Conv3D")
def convolution(emission: Emission) -> Results:
    """Conv; the kernel is height, width, in, out, and its second last axis tells the groups."""
    layout = layout_of(emission)
    kernel = _sizes(emission, 1, layout.rank)
    weight = emission.transpose(emission.value(1), _kernel_first(layout.rank))
    channels = emission.shape(0)[layout.channels]
    # Channels that are not known are those of the kernel.
    channels = kernel[-2] if channels is None else channels
    if not isinstance(channels, int) or kernel[-2] < 1 or channels % kernel[-2]:
        raise UnsupportedError("has a kernel that does not fit its channels")
    return _conv(emission, layout, weight, kernel[:-2], channels // kernel[-2])


@emits("DepthwiseConv2dNative")
def depthwise(emission: Emission) -> Results:
    """Conv with a group for each channel; the kernel is height, width, in, multiplier."""
    layout = layout_of(emission)
    kernel = _sizes(emission, 1, layout.rank)
    height, width, channels, multiplier = kernel
    weight = emission.transpose(emission.value(1), (2, 3, 0, 1))
    if multiplier != 1:
        weight = emission.reshape(weight, (channels * multiplier, 1, height, width))
    return _conv(emission, layout, weight, kernel[:-2], channels)


def _conv(
    emission: Emission, layout: Layout, weight: ir.Value, kernel: Sequence[int], group: int
) -> Results:
    strides = layout.along(emission.listed("strides"), "strides")
    dilations = emission.listed("dilations")
    dilations = layout.along(dilations or [1] * layout.rank, "dilations")
    sizes = layout.turned(emission.shape(0))[2:]
    settings = pads(emission, layout, sizes, kernel, strides, dilations)
    emission.padding = emission.attribute("padding")
    made = emission.node(
        "Conv",
        [layout.first(emission, emission.value(0)), weight],
        kernel_shape=list(kernel),
        strides=strides,
        dilations=dilations,
        group=group,
        **settings,
    )
    return [layout.back(emission, emission.is_main(made))]


@emits("Conv2DBackpropInput", "Conv3DBackpropInputV2")
def transposed(emission: Emission) -> Results:
    """ConvTranspose; the kernel is height, width, out, in, and the output's shape is told."""
    layout = layout_of(emission, 2)
    kernel = _sizes(emission, 1, layout.rank)
    made, seen = emission.made_shape(), emission.shape(2)
    strides = layout.along(emission.listed("strides"), "strides")
    dilations = emission.listed("dilations")
    dilations = layout.along(dilations or [1] * layout.rank, "dilations")
    large, small = layout.turned(made)[2:], layout.turned(seen)[2:]
    ends = _ends(emission, layout, large, small, kernel[:-2], strides, dilations)
    group = _groups(layout, seen, kernel)
    emission.padding = emission.attribute("padding")
    result = emission.node(
        "ConvTranspose",
        [
            layout.first(emission, emission.value(2)),
            emission.transpose(emission.value(1), _kernel_first(layout.rank)),
        ],
        kernel_shape=list(kernel[:-2]),
        strides=strides,
        dilations=dilations,
        group=group,
        **ends,
    )
    return [layout.back(emission, emission.is_main(result))]


def _groups(layout: Layout, seen: Dims, kernel: Sequence[int]) -> int:
    if seen[layout.channels] not in (kernel[-1], None):
        raise UnsupportedError("has a kernel that does not fit its channels")
    return 1


def _ends(
    emission: Emission, layout: Layout, large: Sequence[Dim], small: Sequence[Dim],
    kernel: Sequence[int], strides: Sequence[int], dilations: Sequence[int],
) -> dict[str, Any]:  # fmt: skip
    """Pads that are cut off, as the convolution that this one undoes would have padded."""
    told = pads(emission, layout, large, kernel, strides, dilations)
    ends = told.get("pads")
    if not isinstance(ends, list):
        raise UnsupportedError("has an output of which the size is not known")
    half = len(kernel)
    more = []
    for axis in range(half):
        whole, part = large[axis], small[axis]
        if not isinstance(whole, int) or not isinstance(part, int):
            raise UnsupportedError("has an output of which the size is not known")
        reach = (part - 1) * strides[axis] + (kernel[axis] - 1) * dilations[axis] + 1
        more.append(whole - (reach - ends[axis] - ends[half + axis]))
    if any(not 0 <= extra < max(step, 1) for extra, step in zip(more, strides, strict=True)):
        raise UnsupportedError("has an output of a size that its strides do not give")
    return {"pads": ends, "output_padding": more if any(more) else None}


def _kernel_first(rank: int) -> tuple[int, ...]:
    return (rank - 1, rank - 2, *range(rank - 2))


def _sizes(emission: Emission, slot: int, rank: int) -> list[int]:
    shape = emission.shape(slot)
    sizes = [size for size in shape if isinstance(size, int)]
    if len(sizes) != len(shape) or len(sizes) != rank:
        raise UnsupportedError("has a kernel of which the shape is not known")
    return sizes
