"""Emitters of Torch7's pooling modules."""

from __future__ import annotations

import math
from typing import Any

from modeldocs.loaders.dims import as_text
from modeldocs.loaders.emission import resampling, windows
from modeldocs.loaders.emission.pooling import pool
from modeldocs.loaders.emission.windows import Window, WindowSpan, pooled
from modeldocs.loaders.torch7.operation import Flow, TorchOperation, emits

_DILATED = ("k", "d", "pad", "dilation")


def _spans(op: TorchOperation) -> list[WindowSpan]:
    """The windows along each spatial axis of a module of two or three dimensions."""
    axes = "THW" if "Volumetric" in op.kind else "HW"
    shape = op.shape(least=len(axes) + 2)
    if len(shape) != len(axes) + 2:
        raise op.error(f"reads {as_text(shape)}", f"give it {len(axes) + 2} dimensions")
    pads = [op.integer(f"pad{axis}", 0) for axis in axes]
    kernel, strides = ([op.integer(name + axis, least=1) for axis in axes] for name in "kd")
    spans = windows.spans(
        shape[2:], kernel, strides, pads, ceil=op.flag("ceil_mode"), clips=any(pads)
    )
    for span in spans:
        if not span.fits:
            raise op.error(
                f"has a kernel of {span.kernel} with pads of {span.pad} on {span.size} elements",
                "give a kernel wider than its pad, and no wider than the image",
            )
    return spans


def _pool(
    op: TorchOperation,
    method: str,
    spans: list[WindowSpan],
    *,
    counts_pads: bool = False,
    **attributes: Any,
) -> Flow:
    """A pool, or Torch7's own module where ONNX cannot express its windows."""
    padding = "ceil" if spans[0].ceil and method != "LpPool" else None
    outputs = pool(
        op, method, op.input(), spans, counts_pads=counts_pads, padding=padding, **attributes
    )
    return op.opaque([_output_shape(op, spans)]) if outputs is None else outputs[0]


def _output_shape(op: TorchOperation, spans: list[WindowSpan]) -> tuple[int, ...]:
    return (*op.shape()[:2], *(span.count for span in spans))


@emits("SpatialMaxPooling", "VolumetricMaxPooling")
def max_pooling(op: TorchOperation) -> Flow:
    return _pool(op, "MaxPool", _spans(op))


@emits("SpatialDilatedMaxPooling")
def dilated_max_pooling(op: TorchOperation) -> Flow:
    """MaxPool with dilation; Torch7's own where it also rounds up."""
    window = Window(*([op.integer(f"{k}{axis}", 1) for axis in "HW"] for k in _DILATED))
    if window.dilation == [1, 1]:
        return max_pooling(op)
    op.shape(least=4)
    if op.flag("ceil_mode") or min(window.stride) < 1:
        return op.opaque()
    return op.node("MaxPool", [op.input()], **window.attributes)


@emits("TemporalMaxPooling")
def temporal_max_pooling(op: TorchOperation) -> Flow:
    """MaxPool along the frames of batch × frames × features."""
    shape = op.shape(least=3)
    width, stride = op.integer("kW", least=1), op.integer("dW", least=1)
    if len(shape) != 3 or shape[1] < width:
        raise op.error(f"reads {as_text(shape)}", f"give it batch×{width} frames or more×features")
    features_first = op.transpose(op.input(), [0, 2, 1])
    output = op.node("MaxPool", [features_first], kernel_shape=[width], strides=[stride])
    return op.transpose(output, [0, 2, 1])


@emits("SpatialLPPooling")
def lp_pooling(op: TorchOperation) -> Flow:
    """LpPool of the second norm; ONNX takes absolute values, Torch7 powers of negative numbers."""
    spans = _spans(op)
    if op.number("pnorm") != 2:
        return op.opaque([_output_shape(op, spans)])
    return _pool(op, "LpPool", spans, p=2)


@emits("SpatialSubSampling")
def subsampling(op: TorchOperation) -> Flow:
    """The sum of each window, times a weight and plus a bias of its channel."""
    spans, planes = _spans(op), op.integer("nInputPlane", least=1)
    channels = op.shape()[1]
    if channels != planes:
        raise op.error(f"reads {channels} planes, it has {planes}", "correct its planes")
    mean = op.node("AveragePool", [op.input()], **pooled(spans))
    area = op.constant(math.prod(span.kernel for span in spans))
    total = op.node("Mul", [mean, area])
    weight, bias = (
        op.reshape(op.parameter(role, (planes,)), (planes, 1, 1)) for role in ("weight", "bias")
    )
    return op.node("Add", [op.node("Mul", [total, weight]), bias])


@emits("SpatialAveragePooling", "VolumetricAveragePooling")
def average_pooling(op: TorchOperation) -> Flow:
    """AveragePool; pads count as zeros unless `count_include_pad` is off."""
    spans = _spans(op)
    counts = any(span.pad for span in spans) and op.flag("count_include_pad", default=True)
    return _pool(op, "AveragePool", spans, counts_pads=counts)


@emits("SpatialAdaptiveMaxPooling", "SpatialAdaptiveAveragePooling")
def adaptive_pooling(op: TorchOperation) -> Flow:
    """A pool to a given size; Torch7's own where its windows would differ in size."""
    shape = op.shape(least=4)
    size = [op.integer("H", least=1), op.integer("W", least=1)]
    method = "MaxPool" if "Max" in op.kind else "AveragePool"
    output = resampling.pooled_to(op, op.input(), size, method)
    return op.opaque([(*shape[:2], *size)]) if output is None else output
