"""FlowNet's layers, which ONNX lacks: drawn as they are, with their shapes."""

from __future__ import annotations

from modeldocs.loaders.caffe.layer import CaffeLayer, Tops, emits
from modeldocs.loaders.dims import each


@emits("Resample")
def resample(layer: CaffeLayer) -> Tops:
    """FlowNet's resizing, to sizes given or to those of the second bottom."""
    param = layer.param("resample_param")
    batch, channels, *spatial = layer.images()
    if len(layer.bottoms) > 1:
        final = layer.images(1)[2:]
    elif param.has("width") and param.has("height"):
        final = (param.integer("height"), param.integer("width"))
    else:
        factor = param.number("factor")
        if not 0 < factor < 2**16:
            raise layer.error("has no factor to resize by", at="resample_param", fix="give one")
        final = each(lambda known: [int(size * factor) for size in known], spatial)
    return layer.opaque([(batch, channels, *final)], param="resample_param")


@emits("Correlation")
def correlation(layer: CaffeLayer) -> Tops:
    """FlowNet's products of patches of two images: a channel for each displacement."""
    param = layer.param("correlation_param")
    reach, step = param.integer("max_displacement"), param.integer("stride_2")
    stride, pad = param.integer("stride_1"), param.integer("pad")
    if step < 1 or stride < 1:
        raise layer.error("has a stride below 1", at="correlation_param", fix="use at least 1")
    border = reach + (param.integer("kernel_size") - 1) // 2
    batch, _, *spatial = layer.images()
    final = each(
        lambda known: [-(-(size + 2 * (pad - border)) // stride) for size in known], spatial
    )
    displacements = (2 * (reach // step) + 1) ** 2
    return layer.opaque([(batch, displacements, *final)], param="correlation_param")
