"""Pooling: a maximum rounds the number of windows up by default, an average never does."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import onnx_ir as ir

from modeldocs.loaders.chainer.functions.windows import Window
from modeldocs.loaders.chainer.step import Step, emits


def _windows(step: Step) -> list[Window]:
    """The windows of each axis, of the functions of two dimensions and of any number."""
    if step.setting("kh") is not None:
        pairs = (("kh", "kw"), ("sy", "sx"), ("ph", "pw"))
        kernel, strides, pads = ([int(step.setting(name)) for name in pair] for pair in pairs)
    else:
        names = ("ksize", "stride", "pad")
        kernel, strides, pads = ([int(n) for n in step.setting(name)] for name in names)
    return [
        Window(size, k, s, p, 1, count)
        for size, k, s, p, count in zip(
            step.shape()[2:], kernel, strides, pads, step.made()[2:], strict=True
        )
    ]


def _attributes(windows: list[Window], begins: list[int], ends: list[int]) -> dict[str, Any]:
    return {
        "kernel_shape": [window.kernel for window in windows],
        "strides": [window.stride for window in windows],
        "pads": [*begins, *ends],
    }


@emits("MaxPoolingND", "MaxPooling2D")
def max_pooling(step: Step) -> Sequence[ir.Value]:
    """MaxPool; `cover_all` is told by the pads at the end."""
    windows = _windows(step)
    covers = bool(step.setting("cover_all"))
    begins = [window.pad for window in windows]
    ends = [window.end if covers else window.pad for window in windows]
    source = step.operands[0]
    if any(max(b, e) >= w.kernel for b, e, w in zip(begins, ends, windows, strict=True)):
        source = _lowered(step, begins, ends)
        begins = ends = [0] * len(windows)
    attributes = _attributes(windows, begins, ends)
    strategy = "ceil" if covers else None
    return [step.node("MaxPool", [source], padding=strategy, **attributes)]


def _lowered(step: Step, begins: list[int], ends: list[int]) -> ir.Value:
    """Pads of minus infinity as a node of their own: ONNX allows no window of pads alone."""
    pads = step.integers([0, 0, *begins, 0, 0, *ends])
    return step.node("Pad", [step.operands[0], pads, step.scalar(float("-inf"), step.operands[0])])


@emits("AveragePooling2D", "AveragePoolingND")
def average_pooling(step: Step) -> Sequence[ir.Value]:
    """AveragePool; pads count as zeros unless `pad_value` is None."""
    windows = _windows(step)
    pads = [window.pad for window in windows]
    counts = not (step.call.kind == "AveragePoolingND" and step.setting("pad_value") is None)
    attributes = _attributes(windows, pads, pads)
    return [step.node("AveragePool", step.operands, count_include_pad=int(counts), **attributes)]


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
