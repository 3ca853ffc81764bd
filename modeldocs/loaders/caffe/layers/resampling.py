"""Layers of forks that change an image's size, and Caffe's own im2col and pyramid pooling."""

from __future__ import annotations

from collections.abc import Sequence

from modeldocs.ir import Dim
from modeldocs.loaders.caffe.layer import CaffeLayer, Tops, emits
from modeldocs.loaders.caffe.layers.convolution import window
from modeldocs.loaders.dims import are_known, each, product, sizes
from modeldocs.loaders.emission import resampling


@emits("Interp")
def interp(layer: CaffeLayer) -> Tops:
    """DeepLab's bilinear Resize, corners aligned; where negative pads crop, Caffe's own."""
    param = layer.param("interp_param")
    batch, channels, *spatial = layer.images(least=3)
    crop = param.integer("pad_beg") + param.integer("pad_end")
    shrink, zoom = param.integer("shrink_factor"), param.integer("zoom_factor")
    if shrink < 1 or zoom < 1:
        raise layer.error("has a factor below 1", at="interp_param", fix="use at least 1")

    def resized(effective: Sequence[int]) -> list[int]:
        shrunk = [(size + crop - 1) // shrink + 1 for size in effective]
        return [size + (size - 1) * (zoom - 1) for size in shrunk]

    final = each(resized, spatial)
    if param.integer("height") and param.integer("width"):
        final = (param.integer("height"), param.integer("width"))
    shape = (batch, channels, *final)
    if param.integer("pad_beg") or param.integer("pad_end") or not are_known(shape):
        return layer.opaque([shape], param="interp_param")
    return [resampling.linear(layer, layer.bottom(), sizes(shape), corners=True)]


@emits("Reorg")
def reorganise(layer: CaffeLayer) -> Tops:
    """YOLO's blocks of pixels as channels, or channels as blocks of pixels."""
    param = layer.param("reorg_param")
    batch, channels, *spatial = layer.images()
    stride = param.integer("stride")
    area = stride * stride
    if param.flag("reverse"):
        fewer = channels // area if isinstance(channels, int) and area else None
        return layer.opaque([(batch, fewer, *(product((s, stride)) for s in spatial))])
    if stride < 1:
        raise layer.error("has a stride below 1", at="reorg_param", fix="use at least 1")
    final = each(lambda known: [size // stride for size in known], spatial)
    return layer.opaque([(batch, product((channels, area)), *final)])


@emits("Upsample")
def upsample(layer: CaffeLayer) -> Tops:
    """SegNet's unpooling by the mask of a pooling layer, its second bottom; YOLO's has none, and
    repeats pixels.
    """
    param = layer.param("upsample_param")
    batch, channels, *spatial = layer.images(least=3)
    final: list[Dim] = []
    for size, axis in zip(spatial, "hw", strict=False):
        scale = int(param.get(f"scale_{axis}") or param.integer("scale"))
        odd = int(param.flag(f"pad_out_{axis}"))
        scaled = size * scale - odd if isinstance(size, int) else None
        final.append(param.get(f"upsample_{axis}") or scaled)
    shape = (batch, channels, *final)
    if len(layer.bottoms) > 1 or not are_known(shape):
        return layer.opaque([shape], param="upsample_param")
    return [resampling.nearest(layer, layer.bottom(), sizes(shape))]


@emits("Im2col")
def im2col(layer: CaffeLayer) -> Tops:
    """Every window's values as channels."""
    param = layer.param("convolution_param")
    batch, channels, *spatial = layer.images(least=3)
    view = window(layer, param, len(spatial))
    values = product((channels, *view.kernel))
    return layer.opaque([(batch, values, *each(view.forward, spatial))])


@emits("SPP")
def spatial_pyramid(layer: CaffeLayer) -> Tops:
    """Pooling into 1, 4, 16 … bins, flattened and joined."""
    height = layer.param("spp_param").integer("pyramid_height")
    if not 1 <= height <= 12:
        raise layer.error(f"has {height} levels", at="spp_param", fix="use 1 to 12")
    bins = sum(4**level for level in range(height))
    batch, channels, *_ = layer.images(least=2)
    return layer.opaque([(batch, product((channels, bins)))])
