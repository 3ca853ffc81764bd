"""Pooling by Torch7's own rules, and images made larger."""

from __future__ import annotations

import math

from modeldocs.loaders.dims import said
from modeldocs.loaders.emission import resampling
from modeldocs.loaders.emission.windows import Span, Window, averaged, pooled
from modeldocs.loaders.torch7.layer import Flow, Layer, emits

_DILATED = ("k", "d", "pad", "dilation")


def _spans(layer: Layer, axes: str = "HW") -> list[Span]:
    shape = layer.shape(least=len(axes) + 2)
    if len(shape) != len(axes) + 2:
        raise layer.error(f"reads {said(shape)}", f"give it {len(axes) + 2} dimensions")
    pads = [layer.integer(f"pad{axis}", 0) for axis in axes]
    spans = [
        Span(
            size,
            layer.integer(f"k{axis}", least=1),
            layer.integer(f"d{axis}", least=1),
            pad,
            ceil=layer.flag("ceil_mode"),
            clips=any(pads),
        )
        for size, axis, pad in zip(shape[2:], axes, pads, strict=True)
    ]
    for span in spans:
        if not span.fits:
            raise layer.error(
                f"has a kernel of {span.kernel} with pads of {span.pad} on {span.size} elements",
                "give a kernel wider than its pad, and no wider than the image",
            )
    return spans


def _made(layer: Layer, spans: list[Span]) -> tuple[int, ...]:
    return (*layer.shape()[:2], *(span.count for span in spans))


@emits("SpatialMaxPooling", "VolumetricMaxPooling")
def max_pooling(layer: Layer) -> Flow:
    """MaxPool; the end pads carry `:ceil()`."""
    spans = _spans(layer, "THW" if "Volumetric" in layer.module.builtin else "HW")
    made = _made(layer, spans)
    if any(span.empty for span in spans):
        return layer.opaque([made])
    return layer.node("MaxPool", [layer.input], padding=_strategy(spans), **pooled(spans))


@emits("SpatialDilatedMaxPooling")
def dilated_max_pooling(layer: Layer) -> Flow:
    """MaxPool with elements between those that it sees; one that rounds up is drawn as it is."""
    window = Window(*([layer.integer(f"{k}{axis}", 1) for axis in "HW"] for k in _DILATED))
    if window.dilation == [1, 1]:
        return max_pooling(layer)
    layer.shape(least=4)
    if layer.flag("ceil_mode") or min(window.stride) < 1:
        return layer.opaque()
    return layer.node("MaxPool", [layer.input], **window.attributes)


@emits("TemporalMaxPooling")
def temporal_max_pooling(layer: Layer) -> Flow:
    """MaxPool over frames, which lie before their features."""
    shape = layer.shape(least=3)
    width, stride = layer.integer("kW", least=1), layer.integer("dW", least=1)
    if len(shape) != 3 or shape[1] < width:
        raise layer.error(f"reads {said(shape)}", f"give it batch×{width} frames or more×features")
    turned = layer.transpose(layer.input, [0, 2, 1])
    made = layer.node("MaxPool", [turned], kernel_shape=[width], strides=[stride])
    return layer.transpose(made, [0, 2, 1])


@emits("SpatialLPPooling")
def lp_pooling(layer: Layer) -> Flow:
    """LpPool of the second norm; of others powers of negative numbers are not ONNX's."""
    spans = _spans(layer)
    made = _made(layer, spans)
    if layer.number("pnorm") != 2:
        return layer.opaque([made])
    return layer.node("LpPool", [layer.input], p=2, **pooled(spans))


@emits("SpatialSubSampling")
def subsampling(layer: Layer) -> Flow:
    """The sum of each window, times a weight of its plane, and a bias."""
    spans, planes = _spans(layer), layer.integer("nInputPlane", least=1)
    made = _made(layer, spans)
    if made[1] != planes:
        raise layer.error(f"reads {made[1]} planes, it has {planes}", "correct its planes")
    mean = layer.node("AveragePool", [layer.input], **pooled(spans))
    area = layer.constant(math.prod(span.kernel for span in spans))
    total = layer.node("Mul", [mean, area])
    weight, bias = (
        layer.reshape(layer.parameter(role, (planes,)), (planes, 1, 1))
        for role in ("weight", "bias")
    )
    return layer.node("Add", [layer.node("Mul", [total, weight]), bias])


def _strategy(spans: list[Span]) -> str | None:
    return "ceil" if spans[0].ceil else None


@emits("SpatialAveragePooling", "VolumetricAveragePooling")
def average_pooling(layer: Layer) -> Flow:
    """AveragePool; pads count as zeros unless told otherwise, an overhang never does."""
    spans = _spans(layer, "THW" if "Volumetric" in layer.module.builtin else "HW")
    made = _made(layer, spans)
    counts = any(span.pad for span in spans) and layer.flag("count_include_pad", default=True)
    attributes = averaged(spans, counts=counts)
    if attributes is None or any(span.empty for span in spans):
        return layer.opaque([made])
    return layer.node("AveragePool", [layer.input], padding=_strategy(spans), **attributes)


@emits("SpatialAdaptiveMaxPooling", "SpatialAdaptiveAveragePooling")
def adaptive_pooling(layer: Layer) -> Flow:
    """A pool to a given size; windows of unlike sizes are drawn as they are."""
    shape = layer.shape(least=4)
    size = [layer.integer("H", least=1), layer.integer("W", least=1)]
    method = "MaxPool" if "Max" in layer.module.builtin else "AveragePool"
    made = resampling.pooled_to(layer, layer.input, size, method)
    return layer.opaque([(*shape[:2], *size)]) if made is None else made


@emits("SpatialUpSamplingNearest", "SpatialUpSamplingBilinear")
def upsampling(layer: Layer) -> Flow:
    """Larger by a factor; bilinear with corners aligned."""
    shape, factor = layer.shape(least=4), layer.integer("scale_factor", least=1)
    made = (*shape[:2], *(n * factor for n in shape[2:]))
    if "Nearest" in layer.module.builtin:
        return resampling.nearest(layer, layer.input, made)
    return resampling.linear(layer, layer.input, made, corners=True)


@emits("PixelShuffle")
def pixel_shuffle(layer: Layer) -> Flow:
    """Channels as blocks of pixels."""
    shape, factor = layer.shape(least=4), layer.integer("upscaleFactor", least=1)
    channels = shape[1] // factor**2
    if channels * factor**2 != shape[1]:
        raise layer.error(f"shuffles {shape[1]} channels by {factor}", "give it a multiple")
    return layer.node("DepthToSpace", [layer.input], blocksize=factor, mode="CRD")
