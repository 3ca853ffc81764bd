"""Emitters of FlowNet's layers, which stay in Caffe's domain."""

from __future__ import annotations

from modeldocs.loaders.caffe.operation import Operation, Tops, emits
from modeldocs.loaders.dims import each


@emits("Resample")
def resample(op: Operation) -> Tops:
    """Resizing to given sizes, by a factor, or to the sizes of the second bottom."""
    param = op.param("resample_param")
    batch, channels, *spatial = op.images()
    if len(op.bottoms) > 1:
        final = op.images(1)[2:]
    elif param.has("width") and param.has("height"):
        final = (param.integer("height"), param.integer("width"))
    else:
        factor = param.number("factor")
        if not 0 < factor < 2**16:
            raise op.error("has no factor to resize by", at="resample_param", fix="give one")
        final = each(lambda known: [int(size * factor) for size in known], spatial)
    return op.opaque([(batch, channels, *final)], param="resample_param")


@emits("Correlation")
def correlation(op: Operation) -> Tops:
    """Products of patches of two images, with a channel per displacement."""
    param = op.param("correlation_param")
    reach, step = param.integer("max_displacement"), param.integer("stride_2")
    stride, pad = param.integer("stride_1"), param.integer("pad")
    if step < 1 or stride < 1:
        raise op.error("has a stride below 1", at="correlation_param", fix="use at least 1")
    border = reach + (param.integer("kernel_size") - 1) // 2
    batch, _, *spatial = op.images()
    final = each(
        lambda known: [-(-(size + 2 * (pad - border)) // stride) for size in known], spatial
    )
    displacements = (2 * (reach // step) + 1) ** 2
    return op.opaque([(batch, displacements, *final)], param="correlation_param")
