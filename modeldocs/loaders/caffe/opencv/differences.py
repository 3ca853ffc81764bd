"""Layers of Caffe that OpenCV's dnn module lacks or computes differently.

Found by comparing its results with Caffe's documented behaviour. It refuses other layers that it
lacks by itself.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from modeldocs.loaders.caffe.layer import CaffeLayer

LACKING: Final = frozenset(
    {"ArgMax", "BN", "Bias", "Embed", "Log", "Parameter", "Reduction", "Threshold", "Tile"}
)
"""OpenCV's own Log and Tile take other settings than Caffe's."""


def differs(layer: CaffeLayer) -> str | None:
    """Why a layer cannot be compared with OpenCV's; None where it can."""
    if layer.type in LACKING:
        return f"OpenCV has no layer {layer.type!r} as Caffe has it"
    difference_of = _DIFFERENCES.get(layer.type)
    difference = difference_of(layer) if difference_of is not None else None
    return f"of the layer {layer.type!r}, OpenCV {difference}" if difference else None


def _batch_norm(layer: CaffeLayer) -> str | None:
    learned = layer.record.message("batch_norm_param").flag("scale_bias")
    return "does not read `scale_bias`" if learned else None


def _clip(layer: CaffeLayer) -> str | None:
    ends = layer.record.message("clip_param")
    return None if (ends.get("min"), ends.get("max")) == (0, 6) else "knows only 0 to 6"


def _inner_product(layer: CaffeLayer) -> str | None:
    transposed = layer.record.message("inner_product_param").flag("transpose")
    return "does not read `transpose`" if transposed else None


def _lrn(layer: CaffeLayer) -> str | None:
    return "does not read `k`" if layer.record.message("lrn_param").get("k") != 1 else None


def _mvn(layer: CaffeLayer) -> str | None:
    epsilon = layer.record.message("mvn_param").number("eps")
    return None if epsilon <= 1e-6 else "adds `eps` to the variance, not to the deviation"


def _axpy(layer: CaffeLayer) -> str | None:  # noqa: ARG001
    return "multiplies the third blob, not the second"


def _normalize(layer: CaffeLayer) -> str | None:
    param = layer.record.message("norm_param")
    mixed = param.flag("across_spatial") and not param.flag("channel_shared")
    return "wants one scale where it normalizes across the image" if mixed else None


def _slice(layer: CaffeLayer) -> str | None:
    given = layer.record.message("slice_param").all("slice_point")
    return None if given else "wants `slice_point`"


_DIFFERENCES: Final[dict[str, Callable[[CaffeLayer], str | None]]] = {
    "Axpy": _axpy,
    "BatchNorm": _batch_norm,
    "Clip": _clip,
    "InnerProduct": _inner_product,
    "LRN": _lrn,
    "MVN": _mvn,
    "Normalize": _normalize,
    "Slice": _slice,
}
