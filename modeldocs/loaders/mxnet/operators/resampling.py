"""Emitters of MXNet's operators that resize images or sample them at other places."""

from __future__ import annotations

import math

import onnx_ir as ir

from modeldocs.loaders.dims import sizes
from modeldocs.loaders.emission import cutting, resampling
from modeldocs.loaders.emission.inference import shape_of
from modeldocs.loaders.emission.operation import Outputs
from modeldocs.loaders.mxnet.operation import MxnetOperation, emits


@emits("UpSampling")
def up_sampling(op: MxnetOperation) -> Outputs:
    """Resize by nearest neighbour; several images are concatenated or added."""
    scale = op.settings.integer("scale", least=1)
    target = [size * scale for size in op.image()[2:]]
    images = [_nearest(op, value, target) for value in op.values()]
    if len(images) == 1:
        return images
    if op.settings.choice("multi_input_mode", "concat", "concat", "sum") == "sum":
        return [op.node("Sum", images)]
    return [cutting.joined(op, images, 1)]


def _nearest(op: MxnetOperation, value: ir.Value, target: list[int]) -> ir.Value:
    shape = sizes(shape_of(value))
    if len(shape) != 4 or any(t % s for t, s in zip(target, shape[2:], strict=True)):
        raise op.error(
            "scales images of sizes that do not fit", fix="use sizes that divide the first's"
        )
    return resampling.nearest(op, value, (*shape[:2], *target))


@emits("bilinear UpSampling")
def bilinear_up_sampling(op: MxnetOperation) -> Outputs:
    """ConvTranspose of each channel: the weight is trained, whatever its initial values."""
    scale = op.settings.integer("scale", least=1)
    channels = op.image()[1]
    kernel, pad = 2 * scale - scale % 2, math.ceil((scale - 1) / 2)
    weight = op.parameter("weight", (channels, 1, kernel, kernel))
    return [
        op.node(
            "ConvTranspose",
            [op.input(), weight],
            group=channels,
            kernel_shape=[kernel, kernel],
            strides=[scale, scale],
            pads=[pad] * 4,
        )
    ]


@emits("BilinearResize2D")
def bilinear_resize(op: MxnetOperation) -> Outputs:
    """Linear Resize, by default with aligned corners."""
    shape = op.image()
    settings = op.settings
    if settings.text("mode", "size") not in ("size", "like") or shape[2] < 1:
        return op.opaque([(*shape[:2], None, None)])
    if settings.has("scale_height") and not settings.has("height"):
        names = ("scale_height", "scale_width")
        target = [
            int(size * settings.number(name, 1.0))
            for size, name in zip(shape[2:], names, strict=True)
        ]
    elif len(op.inputs) > 1:
        target = list(op.image(1)[2:])
    else:
        target = [settings.integer("height", least=1), settings.integer("width", least=1)]
    corners = settings.flag("align_corners", default=True)
    return [resampling.linear(op, op.input(), (*shape[:2], *target), corners=corners)]


@emits("BilinearSampler")
def sampler(op: MxnetOperation) -> Outputs:
    """An image sampled at the places of a grid."""
    return op.opaque([(*op.image()[:2], *op.image(1)[2:])])


@emits("GridGenerator", "SpatialTransformer")
def grid(op: MxnetOperation) -> Outputs:
    """A sampling grid, or an image sampled by one."""
    target = op.settings.sizes("target_shape", (0, 0))
    shape = op.shape(least=2)
    spatial = target if len(target) == 2 and min(target) > 0 else shape[2:4]
    if op.kind == "GridGenerator":
        return op.opaque([(shape[0], 2, *spatial)])
    return op.opaque([(*shape[:2], *spatial)])


@emits("Correlation")
def correlation(op: MxnetOperation) -> Outputs:
    """The correlation of two images at each displacement."""
    batch = op.image()[0]
    return op.opaque([(batch, None, None, None)])
