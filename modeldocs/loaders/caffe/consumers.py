"""What the layers that read a blob require of its shape."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from modeldocs.loaders.caffe.format.blobs import Blob
from modeldocs.loaders.caffe.layer import CaffeLayer
from modeldocs.loaders.caffe.program import CaffeNet

IMAGE: Final = 4

_CONVOLUTIONS: Final = frozenset(
    {"Convolution", "ConvolutionDepthwise", "DepthwiseConv", "DepthwiseConvolution"}
)
_OF_IMAGES: Final = _CONVOLUTIONS | frozenset(
    {"BN", "Deconvolution", "Im2col", "Interp", "LRN", "PSROIPooling", "Pooling", "ROIAlign"}
    | {"ROIPooling", "SPP", "Upsample"}
)
"""Layers whose first input is images."""

_KEEPING: Final = frozenset(
    {"AbsVal", "BNLL", "BatchNorm", "Bias", "Dropout", "ELU", "Eltwise", "Exp", "Log", "MVN"}
    | {"PReLU", "Power", "ReLU", "Scale", "Sigmoid", "Split", "TanH"}
)
"""Layers whose outputs have the shape of their first input."""

_KEEPING_RANK: Final = frozenset({"Concat", "Slice"})
"""Layers whose outputs have the rank of their inputs, but another shape."""


def rank(network: CaffeNet, blob: str) -> int | None:
    """The rank that a blob must have; None where no layer that reads it requires one."""
    for layer, place in _readers(network, blob, _KEEPING | _KEEPING_RANK):
        if layer.type in _OF_IMAGES and (place == 0 or layer.type in _CONVOLUTIONS):
            return IMAGE
    return None


def channels(
    network: CaffeNet, blob: str, weights: Mapping[str, Sequence[Blob]]
) -> tuple[int, str] | None:
    """The channels of a blob by the weights of a convolution, and the convolution's name."""
    for layer, _ in _readers(network, blob, _KEEPING):
        blobs = weights.get(layer.name, ())
        if layer.type == "Convolution" and blobs and len(blobs[0].shape) == IMAGE:
            group = layer.record.message("convolution_param").integer("group")
            return blobs[0].shape[1] * group, layer.name
    return None


def _readers(
    network: CaffeNet, blob: str, through: frozenset[str]
) -> Iterator[tuple[CaffeLayer, int]]:
    """The layers that read a blob, directly or `through` others, and at which of their inputs."""
    same = {blob}
    for layer in network.layers:
        places = [place for place, bottom in enumerate(layer.bottoms) if bottom in same]
        if not places:
            continue
        yield layer, places[0]
        if layer.type in through:
            same.update(layer.tops)
