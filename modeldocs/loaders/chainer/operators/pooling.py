"""Emitters of Chainer's pooling; only a maximum may round the number of windows up."""

from __future__ import annotations

import onnx_ir as ir

from modeldocs.loaders.chainer.operation import ChainerOperation, emits
from modeldocs.loaders.emission.operation import Outputs
from modeldocs.loaders.emission.pooling import pool
from modeldocs.loaders.emission.windows import WindowSpan, pooled


def _spans(op: ChainerOperation, *, covers: bool = False) -> list[WindowSpan]:
    """The windows along each axis; functions of two dimensions have a setting for each."""
    if op.setting("kh") is not None:
        settings = (
            op.integers_of("kh", "kw"),
            op.integers_of("sy", "sx"),
            op.integers_of("ph", "pw"),
        )
    else:
        settings = (op.integers_of("ksize"), op.integers_of("stride"), op.integers_of("pad"))
    return [WindowSpan(*axis, ceil=covers) for axis in zip(op.shape()[2:], *settings, strict=True)]


@emits("MaxPoolingND", "MaxPooling2D")
def max_pooling(op: ChainerOperation) -> Outputs:
    """MaxPool; pads at the end make up for `cover_all`."""
    covers = bool(op.setting("cover_all"))
    spans = _spans(op, covers=covers)
    attributes, value = pooled(spans), op.input()
    if any(span.pad + span.overhang >= span.kernel for span in spans):
        value = _padded(op, attributes["pads"])
        attributes["pads"] = [0] * (2 * len(spans))
    return [op.node("MaxPool", [value], padding="ceil" if covers else None, **attributes)]


def _padded(op: ChainerOperation, pads: list[int]) -> ir.Value:
    """The operand padded by minus infinity: ONNX has no windows that consist of pads."""
    rank = len(pads) // 2
    widths = op.integers([0, 0, *pads[:rank], 0, 0, *pads[rank:]])
    return op.node("Pad", [op.input(), widths, op.scalar(float("-inf"), op.input())])


@emits("AveragePooling2D", "AveragePoolingND")
def average_pooling(op: ChainerOperation) -> Outputs:
    """AveragePool; pads count as zeros unless `pad_value` is None."""
    counts = op.kind != "AveragePoolingND" or op.setting("pad_value") is not None
    return pool(op, "AveragePool", op.input(), _spans(op), counts_pads=counts) or op.opaque()


@emits("ROIPooling2D")
def roi_pooling(op: ChainerOperation) -> Outputs:
    """MaxRoiPool; a region is (image, left, top, right, bottom), as in ONNX."""
    size, scale = op.integers_of("outh", "outw"), op.number("spatial_scale")
    return [op.node("MaxRoiPool", op.inputs, pooled_shape=size, spatial_scale=scale)]
