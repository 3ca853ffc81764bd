"""Pooling: a maximum rounds the number of windows up by default, an average never does."""

from __future__ import annotations

from collections.abc import Sequence

import onnx_ir as ir

from modeldocs.loaders.chainer.step import Step, emits
from modeldocs.loaders.emission.windows import Span, pooled


def _spans(step: Step, *, covers: bool = False) -> list[Span]:
    """The windows of each axis, of the functions of two dimensions and of any number."""
    if step.setting("kh") is not None:
        pairs = (("kh", "kw"), ("sy", "sx"), ("ph", "pw"))
        kernel, strides, pads = ([int(step.setting(name)) for name in pair] for pair in pairs)
    else:
        names = ("ksize", "stride", "pad")
        kernel, strides, pads = ([int(n) for n in step.setting(name)] for name in names)
    axes = zip(step.shape()[2:], kernel, strides, pads, strict=True)
    return [Span(*axis, ceil=covers) for axis in axes]


@emits("MaxPoolingND", "MaxPooling2D")
def max_pooling(step: Step) -> Sequence[ir.Value]:
    """MaxPool; `cover_all` is told by the pads at the end."""
    covers = bool(step.setting("cover_all"))
    spans = _spans(step, covers=covers)
    attributes, source = pooled(spans), step.operands[0]
    if any(span.pad + span.overhang >= span.kernel for span in spans):
        source = _lowered(step, attributes["pads"])
        attributes["pads"] = [0] * (2 * len(spans))
    return [step.node("MaxPool", [source], padding="ceil" if covers else None, **attributes)]


def _lowered(step: Step, pads: list[int]) -> ir.Value:
    """Pads of minus infinity as a node of their own: ONNX allows no window of pads alone."""
    half = len(pads) // 2
    widths = step.integers([0, 0, *pads[:half], 0, 0, *pads[half:]])
    lowest = step.scalar(float("-inf"), step.operands[0])
    return step.node("Pad", [step.operands[0], widths, lowest])


@emits("AveragePooling2D", "AveragePoolingND")
def average_pooling(step: Step) -> Sequence[ir.Value]:
    """AveragePool; pads count as zeros unless `pad_value` is None."""
    counts = not (step.call.kind == "AveragePoolingND" and step.setting("pad_value") is None)
    attributes = {**pooled(_spans(step)), "count_include_pad": int(counts)}
    return [step.node("AveragePool", step.operands, **attributes)]


@emits("ROIPooling2D")
def roi_pooling(step: Step) -> Sequence[ir.Value]:
    """MaxRoiPool; a region is (image, left, top, right, bottom), as ONNX has it."""
    return [
        step.node(
            "MaxRoiPool",
            step.operands,
            pooled_shape=[int(step.setting("outh")), int(step.setting("outw"))],
            spatial_scale=float(step.setting("spatial_scale")),
        )
    ]
