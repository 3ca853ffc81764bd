"""Emitters of layers of forks that resize images, and of Caffe's Im2col and SPP."""

from __future__ import annotations

from collections.abc import Sequence

from modeldocs.ir import Dim
from modeldocs.loaders.caffe.operation import CaffeOperation, emits
from modeldocs.loaders.caffe.operators.convolution import window
from modeldocs.loaders.dims import are_known, each, product, sizes
from modeldocs.loaders.emission import resampling
from modeldocs.loaders.emission.operation import Outputs


@emits("Interp")
def interp(op: CaffeOperation) -> Outputs:
    """DeepLab's bilinear Resize with corners aligned; Caffe's own where negative pads crop."""
    param = op.param("interp_param")
    batch, channels, *spatial = op.images(least=3)
    crop = param.integer("pad_beg") + param.integer("pad_end")
    shrink, zoom = param.integer("shrink_factor"), param.integer("zoom_factor")
    if shrink < 1 or zoom < 1:
        raise op.error("has a factor below 1", at="interp_param", fix="use at least 1")

    def resized(effective: Sequence[int]) -> list[int]:
        shrunk = [(size + crop - 1) // shrink + 1 for size in effective]
        return [size + (size - 1) * (zoom - 1) for size in shrunk]

    final = each(resized, spatial)
    if param.integer("height") and param.integer("width"):
        final = (param.integer("height"), param.integer("width"))
    shape = (batch, channels, *final)
    if param.integer("pad_beg") or param.integer("pad_end") or not are_known(shape):
        return op.opaque([shape], param="interp_param")
    return [resampling.linear(op, op.input(), sizes(shape), corners=True)]


@emits("Reorg")
def reorganise(op: CaffeOperation) -> Outputs:
    """YOLO's rearrangement of blocks of pixels as channels, or the reverse."""
    param = op.param("reorg_param")
    batch, channels, *spatial = op.images()
    stride = param.integer("stride")
    area = stride * stride
    if param.flag("reverse"):
        fewer = channels // area if isinstance(channels, int) and area else None
        return op.opaque([(batch, fewer, *(product((s, stride)) for s in spatial))])
    if stride < 1:
        raise op.error("has a stride below 1", at="reorg_param", fix="use at least 1")
    final = each(lambda known: [size // stride for size in known], spatial)
    return op.opaque([(batch, product((channels, area)), *final)])


@emits("Upsample")
def upsample(op: CaffeOperation) -> Outputs:
    """YOLO's nearest Resize, or SegNet's unpooling by a mask, its second bottom."""
    param = op.param("upsample_param")
    batch, channels, *spatial = op.images(least=3)
    final: list[Dim] = []
    for size, axis in zip(spatial, "hw", strict=False):
        scale = int(param.get(f"scale_{axis}") or param.integer("scale"))
        odd = int(param.flag(f"pad_out_{axis}"))
        scaled = size * scale - odd if isinstance(size, int) else None
        final.append(param.get(f"upsample_{axis}") or scaled)
    shape = (batch, channels, *final)
    if len(op.inputs) > 1 or not are_known(shape):
        return op.opaque([shape], param="upsample_param")
    return [resampling.nearest(op, op.input(), sizes(shape))]


@emits("Resample")
def resample(op: CaffeOperation) -> Outputs:
    """FlowNet's resizing to given sizes, by a factor, or to the sizes of the second bottom."""
    param = op.param("resample_param")
    batch, channels, *spatial = op.images()
    if len(op.inputs) > 1:
        final = op.images(1)[2:]
    elif param.has("width") and param.has("height"):
        final = (param.integer("height"), param.integer("width"))
    else:
        factor = param.number("factor")
        if not 0 < factor < 2**16:
            raise op.error("has no factor to resize by", at="resample_param", fix="give one")
        final = each(lambda known: [int(size * factor) for size in known], spatial)
    return op.opaque([(batch, channels, *final)], param="resample_param")


@emits("Im2col")
def im2col(op: CaffeOperation) -> Outputs:
    """The values of each window as channels."""
    param = op.param("convolution_param")
    batch, channels, *spatial = op.images(least=3)
    view = window(op, param, len(spatial))
    values = product((channels, *view.kernel))
    return op.opaque([(batch, values, *each(view.forward, spatial))])


@emits("SPP")
def spatial_pyramid(op: CaffeOperation) -> Outputs:
    """Pooling into 1, 4, 16 … bins, flattened and concatenated."""
    height = op.param("spp_param").integer("pyramid_height")
    if not 1 <= height <= 12:
        raise op.error(f"has {height} levels", at="spp_param", fix="use 1 to 12")
    bins = sum(4**level for level in range(height))
    batch, channels, *_ = op.images(least=2)
    return op.opaque([(batch, product((channels, bins)))])
