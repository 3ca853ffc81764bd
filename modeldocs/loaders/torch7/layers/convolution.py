"""Convolutions; fields name the width before the height, ONNX has them the other way round."""

from __future__ import annotations

from typing import Any

from modeldocs.loaders.dims import said
from modeldocs.loaders.emission.windows import Window
from modeldocs.loaders.torch7.layer import Flow, Layer, emits


def _sizes(layer: Layer, name: str, default: int, least: int, axes: str = "HW") -> list[int]:
    """A setting of each axis: `kH`, `kW`."""
    return [layer.integer(f"{name}{axis}", default, least=least) for axis in axes]


def _window(layer: Layer, axes: str = "HW", *, dilated: bool = False) -> Window:
    return Window(
        _sizes(layer, "k", 1, 1, axes),
        _sizes(layer, "d", 1, 1, axes),
        _sizes(layer, "pad", 0, 0, axes),
        _sizes(layer, "dilation", 1, 1, axes) if dilated else [1] * len(axes),
    )


def _channels(layer: Layer, rank: int, groups: int = 1) -> tuple[int, int]:
    """The planes in and out, which must fit what it reads."""
    shape = layer.shape(least=rank)
    inner = layer.integer("nInputPlane", least=1)
    outer = layer.integer("nOutputPlane", least=1)
    if len(shape) != rank or shape[1] != inner:
        layout = "×".join(["batch", str(inner), *["depth", "height", "width"][5 - rank :]])
        raise layer.error(
            f"reads {said(shape)}, it takes {layout}",
            "correct its planes, or what comes before",
        )
    if inner % groups or outer % groups:
        raise layer.error(
            f"has {inner} and {outer} planes in {groups} groups", "let the groups divide both"
        )
    return inner, outer


@emits("SpatialConvolution", "SpatialConvolutionMM", "SpatialDilatedConvolution")
def spatial_convolution(layer: Layer) -> Flow:
    """Conv; the weight is out x in x height x width. Only cudnn's has groups."""
    groups = layer.integer("groups", 1, least=1)
    return _convolution(layer, "HW", groups)


@emits("VolumetricConvolution")
def volumetric_convolution(layer: Layer) -> Flow:
    """Conv over time, height and width."""
    return _convolution(layer, "THW", layer.integer("groups", 1, least=1))


def _convolution(layer: Layer, axes: str, groups: int) -> Flow:
    inner, outer = _channels(layer, len(axes) + 2, groups)
    window = _window(layer, axes, dilated=True)
    operands = [layer.input, layer.parameter("weight", (outer, inner // groups, *window.kernel))]
    operands += [layer.parameter("bias", (outer,))] if layer.module.parameter("bias") else []
    attributes = {**window.attributes, "group": groups}
    return layer.node("Conv", operands, **attributes)


@emits("SpatialDepthWiseConvolution")
def depthwise_convolution(layer: Layer) -> Flow:
    """Conv in as many groups as planes; the weight is multiplier x in x height x width."""
    inner, many = _channels(layer, 4)
    window = _window(layer)
    weight = layer.parameter("weight", (many, inner, *window.kernel))
    moved = layer.transpose(weight, [1, 0, 2, 3])
    operands = [layer.input, layer.reshape(moved, (inner * many, 1, *window.kernel))]
    if layer.module.parameter("bias"):
        bias = layer.parameter("bias", (many, inner))
        operands.append(layer.reshape(layer.transpose(bias, [1, 0]), (inner * many,)))
    return layer.node("Conv", operands, **{**window.attributes, "group": inner})


@emits("SpatialFullConvolution", "VolumetricFullConvolution")
def full_convolution(layer: Layer) -> Flow:
    """ConvTranspose; the weight is in x out x height x width, `adj` are rows and columns more."""
    axes = "THW" if "Volumetric" in layer.module.builtin else "HW"
    inner, outer = _channels(layer, len(axes) + 2)
    window, more = _window(layer, axes), _sizes(layer, "adj", 0, 0, axes)
    operands = [layer.input, layer.parameter("weight", (inner, outer, *window.kernel))]
    operands += [layer.parameter("bias", (outer,))] if layer.module.parameter("bias") else []
    attributes: dict[str, Any] = {**window.attributes, "group": 1}
    if any(more):
        attributes["output_padding"] = more
    return layer.node("ConvTranspose", operands, **attributes)


@emits("TemporalConvolution")
def temporal_convolution(layer: Layer) -> Flow:
    """Conv over frames, which lie before their features; the weight is flat, frame by frame."""
    shape = layer.shape(least=3)
    if len(shape) != 3:
        raise layer.error(f"reads {said(shape)}, it takes batch×frames×features", "reshape it")
    inner, outer = (
        layer.integer("inputFrameSize", least=1),
        layer.integer("outputFrameSize", least=1),
    )
    width, stride = layer.integer("kW", least=1), layer.integer("dW", 1, least=1)
    if shape[2] != inner:
        raise layer.error(f"reads frames of {shape[2]}, it takes {inner}", "correct its size")
    source = layer.transpose(layer.input, [0, 2, 1])
    weight = layer.parameter("weight", (outer, width * inner))
    parted = layer.reshape(weight, (outer, width, inner))
    kernel = layer.transpose(parted, [0, 2, 1])
    bias = [layer.parameter("bias", (outer,))] if layer.module.parameter("bias") else []
    window = Window([width], [stride], [0], [1])
    attributes = {**window.attributes, "group": 1}
    made = layer.node("Conv", [source, kernel, *bias], **attributes)
    return layer.node("Transpose", [made], perm=[0, 2, 1])
