"""Emitters of Chainer's functions that resize images."""

from __future__ import annotations

from modeldocs.loaders.chainer.operation import ChainerOperation, emits
from modeldocs.loaders.emission import cutting, resampling
from modeldocs.loaders.emission.operation import Outputs


@emits("ResizeImages")
def resize_images(op: ChainerOperation) -> Outputs:
    """Resize: nearest by the floor, or linear, by default with aligned corners."""
    target = op.output_shape()
    if op.setting("mode") == "nearest":
        return [resampling.nearest(op, op.input(), target)]
    corners = bool(op.setting("align_corners"))
    return [resampling.linear(op, op.input(), target, corners=corners)]


@emits("Unpooling2D")
def unpooling_2d(op: ChainerOperation) -> Outputs:
    """Each element copied to its window; ONNX has no operator for windows that overlap."""
    kernel = op.integers_of("kh", "kw")
    if kernel != op.integers_of("sy", "sx") or any(op.integers_of("ph", "pw")):
        return op.opaque()
    n, c, h, w = op.shape()
    full, output = (n, c, h * kernel[0], w * kernel[1]), op.output_shape()
    if any(size > most for size, most in zip(output, full, strict=True)):
        return op.opaque()
    copies = resampling.nearest(op, op.input(), full)
    return [copies if full == output else cutting.cut(op, copies, [2, 3], [0, 0], output[2:])]
