"""Pooling, by Caffe's own rule for the number of windows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from modeldocs.ir import Dim
from modeldocs.loaders.caffe.layer import CaffeLayer, Tops, emits
from modeldocs.loaders.caffe.record import Record
from modeldocs.loaders.dims import Dims, are_known, sizes
from modeldocs.loaders.emission.windows import Span, averaged, pooled

_WIDE = 2**20
"""A size that every kernel fits in."""


@emits("Pooling")
def pooling(layer: CaffeLayer) -> Tops:
    """MaxPool, AveragePool or their global kin; the end pads carry Caffe's rounding up."""
    param = layer.param("pooling_param")
    batch, channels, *spatial = layer.images()
    if len(spatial) != 2:
        raise layer.error("pools a blob that has not 4 dimensions", fix="give it N×C×H×W")
    method = param.text("pool")
    if param.flag("global_pooling") and method != "STOCHASTIC":
        op = "GlobalMaxPool" if method == "MAX" else "GlobalAveragePool"
        return [layer.node(op, layer.bottoms[:1])]
    if not are_known(spatial):
        return _unsized(layer, param, (batch, channels), spatial)
    spans = _spans(layer, param, sizes(spatial))
    shape = (batch, channels, *(span.count for span in spans))
    if method == "STOCHASTIC" or any(span.empty for span in spans):
        return layer.opaque([shape] * max(1, len(layer.source.tops)), param="pooling_param")
    if method == "MAX":
        return _max(layer, spans, None, pooled(spans))
    return _average(layer, spans, shape)


def _unsized(layer: CaffeLayer, param: Record, leading: Dims, spatial: Sequence[Dim]) -> Tops:
    """A pool of images whose size is not known: ONNX is told to round up itself."""
    if param.text("pool") == "STOCHASTIC":
        return layer.opaque([(*leading, None, None)], param="pooling_param")
    spans = _spans(layer, param, tuple(s if isinstance(s, int) else _WIDE for s in spatial))
    known = (isinstance(size, int) for size in spatial)
    shape = (*leading, *(span.count if k else None for span, k in zip(spans, known, strict=True)))
    attributes: dict[str, Any] = {
        "kernel_shape": [span.kernel for span in spans],
        "strides": [span.stride for span in spans],
        "pads": [span.pad for span in spans] * 2,
        "ceil_mode": int(spans[0].ceil),
    }
    if param.text("pool") == "MAX":
        return _max(layer, spans, shape, attributes)
    attributes["count_include_pad"] = int(any(span.pad for span in spans))
    return [
        layer.node(
            "AveragePool", layer.bottoms[:1], shape=shape, padding=_strategy(spans), **attributes
        )
    ]


def _spans(layer: CaffeLayer, param: Record, spatial: tuple[int, ...]) -> list[Span]:
    if param.flag("global_pooling"):
        return [Span(size, size, 1, 0, clips=False) for size in spatial]
    kernels = _pair(param, "kernel_size", "kernel", None)
    strides, pads = _pair(param, "stride", "stride", 1), _pair(param, "pad", "pad", 0)
    ceil = param.text("round_mode") == "CEIL"
    if param.has("ceil_mode"):  # as forks have it, and Caffe's own from 2018 on
        ceil = param.flag("ceil_mode")
    spans = [
        Span(size, k, s, p, clips=any(pads), ceil=ceil)
        for size, k, s, p in zip(spatial, kernels, strides, pads, strict=True)
    ]
    for span in spans:
        if span.kernel < 1 or span.stride < 1 or span.pad >= span.kernel:
            raise layer.error(
                f"has kernel {span.kernel}, stride {span.stride}, pad {span.pad}",
                at="pooling_param",
                fix="use a kernel and stride of at least 1, and a pad below the kernel",
            )
        if span.kernel > span.size + 2 * span.pad:
            raise layer.error(
                f"has a kernel of {span.kernel}, wider than its image of {span.size}",
                at="pooling_param",
                fix="check the input's shape and the kernel",
            )
    return spans


def _pair(param: Record, name: str, pair: str, default: int | None) -> tuple[int, int]:
    height, width = param.get(f"{pair}_h"), param.get(f"{pair}_w")
    if height is not None and width is not None:
        return int(height), int(width)
    both = default if default is not None and not param.has(name) else param.integer(name)
    return both if height is None else int(height), both if width is None else int(width)


def _strategy(spans: list[Span]) -> str:
    return "ceil" if spans[0].ceil else "floor"


def _max(
    layer: CaffeLayer, spans: list[Span], shape: Dims | None, attributes: dict[str, Any]
) -> Tops:
    """MaxPool; a second top is the mask, which ONNX counts over the whole tensor."""
    count = min(2, max(1, len(layer.source.tops)))
    return layer.node_of_several(
        "MaxPool",
        layer.bottoms[:1],
        count,
        shapes=None if shape is None else [shape] * count,
        padding=_strategy(spans),
        **attributes,
    )


def _average(layer: CaffeLayer, spans: list[Span], shape: Dims) -> Tops:
    """AveragePool; pads count, a window's part outside of the padded image does not."""
    attributes = averaged(spans, counts=any(span.pad for span in spans))
    if attributes is None:
        return layer.opaque([shape], param="pooling_param")
    pool = layer.node("AveragePool", layer.bottoms[:1], padding=_strategy(spans), **attributes)
    return [pool]
