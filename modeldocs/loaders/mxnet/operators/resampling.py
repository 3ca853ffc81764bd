"""Operators that change an image's size, and those that sample it anew."""

from __future__ import annotations

import math
from typing import Any

import onnx_ir as ir

from modeldocs.loaders.dims import sizes
from modeldocs.loaders.emission import cutting, resampling
from modeldocs.loaders.emission.inference import shape_of
from modeldocs.loaders.mxnet.operation import Operation, Outputs, emits


@emits("UpSampling")
def up_sampling(op: Operation) -> Outputs:
    """Resize to the nearest."""
    scale = op.settings.integer("scale", least=1)
    target = [size * scale for size in op.image()[2:]]
    made = [_nearest(op, value, target) for value in op.values()]
    if len(made) == 1:
        return made
    if op.settings.choice("multi_input_mode", "concat", "concat", "sum") == "sum":
        return [op.node("Sum", made)]
    return [cutting.joined(op, made, 1)]


def _nearest(op: Operation, value: ir.Value, target: list[int]) -> ir.Value:
    shape = sizes(shape_of(value))
    if len(shape) != 4 or any(t % s for t, s in zip(target, shape[2:], strict=True)):
        raise op.error("enlarges images that do not fit", fix="use sizes that divide the first's")
    return resampling.nearest(op, value, (*shape[:2], *target))


@emits("bilinear UpSampling")
def bilinear_up_sampling(op: Operation) -> Outputs:
    """ConvTranspose of each channel: the weight is learned, however it begins."""
    scale = op.settings.integer("scale", least=1)
    channels = op.image()[1]
    kernel, pad = 2 * scale - scale % 2, math.ceil((scale - 1) / 2)
    shape = (channels, 1, kernel, kernel)
    weight = op.parameter("weight", shape)
    attributes: dict[str, Any] = {
        "group": channels,
        "kernel_shape": [kernel, kernel],
        "strides": [scale, scale],
        "pads": [pad] * 4,
    }
    inputs = [op.value(), weight]
    return [op.node("ConvTranspose", inputs, **attributes)]


@emits("BilinearResize2D")
def bilinear_resize(op: Operation) -> Outputs:
    """Resize with the corners kept in place."""
    shape = op.image()
    read = op.settings
    if read.text("mode", "size") not in ("size", "like") or shape[2] < 1:
        return op.opaque([(*shape[:2], None, None)])
    if read.has("scale_height") and not read.has("height"):
        wanted = [
            int(size * read.number(name, 1.0))
            for size, name in zip(shape[2:], ("scale_height", "scale_width"), strict=True)
        ]
    elif len(op.operands) > 1:
        wanted = list(op.image(1)[2:])
    else:
        wanted = [read.integer("height", least=1), read.integer("width", least=1)]
    made = (*shape[:2], *wanted)
    kept = read.flag("align_corners", default=True)
    return [resampling.linear(op, op.value(), made, corners=kept)]


@emits("BilinearSampler")
def sampler(op: Operation) -> Outputs:
    """An image sampled at the places of a grid: drawn as it is."""
    return op.opaque([(*op.image()[:2], *op.image(1)[2:])])


@emits("GridGenerator", "SpatialTransformer")
def grid(op: Operation) -> Outputs:
    """A grid, or an image sampled by one: drawn as it is."""
    target = op.settings.sizes("target_shape", (0, 0))
    shape = op.shape(least=2)
    wanted = target if len(target) == 2 and min(target) > 0 else shape[2:4]
    if op.source.op == "GridGenerator":
        return op.opaque([(shape[0], 2, *wanted)])
    return op.opaque([(*shape[:2], *wanted)])


@emits("Correlation")
def correlation(op: Operation) -> Outputs:
    """How two images match at each offset: drawn as it is."""
    batch = op.image()[0]
    return op.opaque([(batch, None, None, None)])
