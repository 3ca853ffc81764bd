"""Pooling, by Caffe's own rule for the number of windows."""

from __future__ import annotations

from dataclasses import dataclass

import onnx_ir as ir

from modeldocs.loaders.caffe.blobs import Dims, sizes
from modeldocs.loaders.caffe.layer import CaffeLayer, Tops, emits
from modeldocs.loaders.caffe.record import Record


@dataclass(frozen=True, slots=True)
class Span:
    """Windows along one axis of an image of `size`, padded by `pad` at both ends."""

    size: int
    kernel: int
    stride: int
    pad: int
    clips: bool
    """Whether any axis is padded: only then does Caffe drop a window that starts outside."""
    ceil: bool = True

    @property
    def count(self) -> int:
        """Number of windows: rounded up, and the last one starts inside image and front pad."""
        reach = self.size + 2 * self.pad - self.kernel
        if not self.ceil:
            return reach // self.stride + 1
        count = -(-reach // self.stride) + 1
        if self.clips and (count - 1) * self.stride >= self.size + self.pad:
            count -= 1
        return count

    @property
    def overhang(self) -> int:
        """How far the last window reaches beyond the padded image; 0 where it does not."""
        end = (self.count - 1) * self.stride + self.kernel
        return max(0, end - self.size - 2 * self.pad)

    @property
    def slack(self) -> int:
        """What the last window leaves of the padded image's end; it is end pad of no use."""
        end = (self.count - 1) * self.stride + self.kernel
        return max(0, self.size + 2 * self.pad - end)

    @property
    def empty(self) -> bool:
        """Whether the last window sees nothing of the image, as a stride over the kernel may."""
        return (self.count - 1) * self.stride >= self.size + self.pad


@emits("Pooling")
def pooling(layer: CaffeLayer) -> Tops:
    """MaxPool, AveragePool or their global kin; the end pads carry Caffe's rounding up."""
    param = layer.param("pooling_param")
    batch, channels, *spatial = layer.shape(least=4)
    if len(spatial) != 2:
        raise layer.error("pools a blob that has not 4 dimensions", mend="give it N×C×H×W")
    method = param.text("pool")
    if param.flag("global_pooling") and method != "STOCHASTIC":
        op = "GlobalMaxPool" if method == "MAX" else "GlobalAveragePool"
        return [layer.node(op, layer.bottoms[:1], (batch, channels, 1, 1))]
    spans = _spans(layer, param, sizes(spatial))
    shape = (batch, channels, *(span.count for span in spans))
    if method == "STOCHASTIC" or any(span.empty for span in spans):
        return layer.opaque([shape] * max(1, len(layer.source.tops)), param="pooling_param")
    if method == "MAX":
        return _max(layer, spans, shape)
    return _average(layer, spans, shape)


def _spans(layer: CaffeLayer, param: Record, spatial: tuple[int, ...]) -> list[Span]:
    if param.flag("global_pooling"):
        return [Span(size, size, 1, 0, clips=False) for size in spatial]
    kernels = _pair(param, "kernel_size", "kernel", None)
    strides, pads = _pair(param, "stride", "stride", 1), _pair(param, "pad", "pad", 0)
    ceil = param.text("round_mode") == "CEIL"
    spans = [
        Span(size, k, s, p, clips=any(pads), ceil=ceil)
        for size, k, s, p in zip(spatial, kernels, strides, pads, strict=True)
    ]
    for span in spans:
        if span.kernel < 1 or span.stride < 1 or span.pad >= span.kernel:
            raise layer.error(
                f"has kernel {span.kernel}, stride {span.stride}, pad {span.pad}",
                at="pooling_param",
                mend="use a kernel and stride of at least 1, and a pad below the kernel",
            )
        if span.kernel > span.size + 2 * span.pad:
            raise layer.error(
                f"has a kernel of {span.kernel}, wider than its image of {span.size}",
                at="pooling_param",
                mend="check the input's shape and the kernel",
            )
    return spans


def _pair(param: Record, name: str, pair: str, default: int | None) -> tuple[int, int]:
    height, width = param.get(f"{pair}_h"), param.get(f"{pair}_w")
    if height is not None and width is not None:
        return int(height), int(width)
    both = default if default is not None and not param.has(name) else param.integer(name)
    return both if height is None else int(height), both if width is None else int(width)


def _attributes(spans: list[Span], ends: list[int]) -> dict[str, list[int]]:
    return {
        "kernel_shape": [span.kernel for span in spans],
        "strides": [span.stride for span in spans],
        "pads": [*(span.pad for span in spans), *ends],
    }


def _strategy(spans: list[Span]) -> str:
    return "ceil" if spans[0].ceil else "floor"


def _max(layer: CaffeLayer, spans: list[Span], shape: Dims) -> Tops:
    """MaxPool; a second top is the mask, which ONNX counts over the whole tensor."""
    attributes = _attributes(spans, [span.pad + span.overhang for span in spans])
    shapes = [shape] * min(2, max(1, len(layer.source.tops)))
    types = [ir.DataType.FLOAT, ir.DataType.INT64][: len(shapes)]
    return layer.emit(
        "MaxPool",
        layer.bottoms[:1],
        shapes,
        dict(attributes),
        padding=_strategy(spans),
        dtypes=types,
    )


def _average(layer: CaffeLayer, spans: list[Span], shape: Dims) -> Tops:
    """AveragePool that divides as Caffe does: by the window's part inside the padded image.

    Without an overhang the pads count. Without pads, only what lies inside the image counts, so
    the overhang can be explicit end pads that do not. With both, no explicit pads are right, and
    ONNX's own `ceil_mode` is: it clips the window at the padded image, as Caffe does. Along an
    axis without overhang that mode must find nothing to round up, so the slack goes.
    """
    padded = any(span.pad for span in spans)
    rounds = padded and any(span.overhang for span in spans)
    ends = [span.pad if padded else span.overhang for span in spans]
    if rounds:
        ends = [span.pad - span.slack for span in spans]
    if min(ends) < 0:
        return layer.opaque([shape], param="pooling_param")
    attributes: dict[str, object] = {**_attributes(spans, ends), "count_include_pad": int(padded)}
    if rounds:
        attributes["ceil_mode"] = 1
    return layer.emit(
        "AveragePool", layer.bottoms[:1], [shape], attributes, padding=_strategy(spans)
    )
