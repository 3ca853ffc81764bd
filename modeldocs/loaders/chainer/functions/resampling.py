"""Images made larger or smaller."""

from __future__ import annotations

from collections.abc import Sequence

import onnx_ir as ir

from modeldocs.loaders.chainer.step import Step, emits
from modeldocs.loaders.emission import cutting, resampling


@emits("ResizeImages")
def resize_images(step: Step) -> Sequence[ir.Value]:
    """Bilinear with corners aligned by default, else by half pixels; nearest by the floor."""
    if step.setting("mode") == "nearest":
        return [resampling.nearest(step, step.operands[0], step.made())]
    corners = bool(step.setting("align_corners"))
    return [resampling.linear(step, step.operands[0], step.made(), corners=corners)]


@emits("Unpooling2D")
def unpooling_2d(step: Step) -> Sequence[ir.Value]:
    """Each element spread over its window; windows that meet or overlap are drawn as they are."""
    kernel = (step.setting("kh"), step.setting("kw"))
    strides = (step.setting("sy"), step.setting("sx"))
    if kernel != strides or step.setting("ph") or step.setting("pw"):
        return step.opaque()
    n, c, h, w = step.shape()
    full, made = (n, c, h * kernel[0], w * kernel[1]), step.made()
    spread = resampling.nearest(step, step.operands[0], full)
    if full == made:
        return [spread]
    if any(size > most for size, most in zip(made, full, strict=True)):
        return step.opaque()
    return [cutting.cut(step, spread, [2, 3], [0, 0], made[2:])]
