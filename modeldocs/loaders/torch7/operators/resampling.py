"""Emitters of Torch7's modules that enlarge images."""

from __future__ import annotations

from modeldocs.loaders.emission import resampling
from modeldocs.loaders.torch7.operation import Flow, TorchOperation, emits


@emits("SpatialUpSamplingNearest", "SpatialUpSamplingBilinear")
def upsampling(op: TorchOperation) -> Flow:
    """Resize by a factor: nearest, or bilinear with corners aligned."""
    shape, factor = op.shape(least=4), op.integer("scale_factor", least=1)
    sizes = (*shape[:2], *(size * factor for size in shape[2:]))
    if "Nearest" in op.kind:
        return resampling.nearest(op, op.input(), sizes)
    return resampling.linear(op, op.input(), sizes, corners=True)


@emits("PixelShuffle")
def pixel_shuffle(op: TorchOperation) -> Flow:
    """DepthToSpace: channels become blocks of pixels."""
    shape, factor = op.shape(least=4), op.integer("upscaleFactor", least=1)
    if shape[1] % factor**2:
        raise op.error(f"shuffles {shape[1]} channels by {factor}", "give it a multiple")
    return op.node("DepthToSpace", [op.input()], blocksize=factor, mode="CRD")
