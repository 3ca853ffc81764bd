"""Images made larger or smaller."""

from __future__ import annotations

from collections.abc import Sequence

import onnx_ir as ir

from modeldocs.loaders.chainer.step import Step, emits


@emits("ResizeImages")
def resize_images(step: Step) -> Sequence[ir.Value]:
    """Bilinear with corners aligned by default, else by half pixels; nearest by the floor."""
    if step.setting("mode") == "nearest":
        modes = {
            "mode": "nearest",
            "coordinate_transformation_mode": "asymmetric",
            "nearest_mode": "floor",
        }
    else:
        aligned = step.setting("align_corners")
        transform = "align_corners" if aligned else "half_pixel"
        modes = {"mode": "linear", "coordinate_transformation_mode": transform}
    return [_resized(step, step.made(), modes)]


@emits("Unpooling2D")
def unpooling_2d(step: Step) -> Sequence[ir.Value]:
    """Each element spread over its window; windows that meet or overlap are drawn as they are."""
    kernel = (step.setting("kh"), step.setting("kw"))
    strides = (step.setting("sy"), step.setting("sx"))
    if kernel != strides or step.setting("ph") or step.setting("pw"):
        return step.opaque()
    n, c, h, w = step.shape()
    full, made = (n, c, h * kernel[0], w * kernel[1]), step.made()
    modes = {
        "mode": "nearest",
        "coordinate_transformation_mode": "asymmetric",
        "nearest_mode": "floor",
    }
    spread = _resized(step, full, modes)
    if full == made:
        return [spread]
    if any(size > most for size, most in zip(made, full, strict=True)):
        return step.opaque()
    ends = [step.integers(n) for n in ([0, 0], made[2:], [2, 3])]
    return [step.node("Slice", [spread, *ends])]


def _resized(step: Step, shape: Sequence[int], modes: dict[str, str]) -> ir.Value:
    return step.node("Resize", [step.operands[0], None, None, step.integers(shape)], shape, **modes)
