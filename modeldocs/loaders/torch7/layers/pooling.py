"""Pooling by Torch7's own rules, and images made larger."""

from __future__ import annotations

from dataclasses import dataclass

import onnx_ir as ir

from modeldocs.loaders.torch7.layer import Flow, Layer, emits, said


@dataclass(frozen=True, slots=True)
class Span:
    """Windows along one axis of an image of `size`, padded by `pad` at both ends."""

    size: int
    kernel: int
    stride: int
    pad: int
    ceil: bool
    clips: bool
    """Whether any axis is padded: only then a window that starts outside is dropped."""

    @property
    def count(self) -> int:
        """Number of windows."""
        reach = self.size + 2 * self.pad - self.kernel
        if not self.ceil:
            return reach // self.stride + 1
        count = -(-reach // self.stride) + 1
        drops = self.clips and (count - 1) * self.stride >= self.size + self.pad
        return count - drops

    @property
    def overhang(self) -> int:
        """How far the last window reaches beyond the padded image."""
        end = (self.count - 1) * self.stride + self.kernel
        return max(0, end - self.size - 2 * self.pad)

    @property
    def slack(self) -> int:
        """What the last window leaves of the padded image's end."""
        end = (self.count - 1) * self.stride + self.kernel
        return max(0, self.size + 2 * self.pad - end)

    @property
    def empty(self) -> bool:
        """Whether the last window sees nothing of the image."""
        return (self.count - 1) * self.stride >= self.size + self.pad


def _spans(layer: Layer, axes: str = "HW") -> list[Span]:
    shape = layer.shape(least=len(axes) + 2)
    if len(shape) != len(axes) + 2:
        raise layer.error(f"reads {said(shape)}", f"give it {len(axes) + 2} dimensions")
    pads = [layer.integer(f"pad{axis}", 0) for axis in axes]
    spans = [
        Span(
            size,
            layer.integer(f"k{axis}", least=1),
            layer.integer(f"d{axis}", least=1),
            pad,
            layer.flag("ceil_mode"),
            any(pads),
        )
        for size, axis, pad in zip(shape[2:], axes, pads, strict=True)
    ]
    for span in spans:
        if span.pad >= span.kernel or span.kernel > span.size + 2 * span.pad:
            raise layer.error(
                f"has a kernel of {span.kernel} with pads of {span.pad} on {span.size} elements",
                "give a kernel wider than its pad, and no wider than the image",
            )
    return spans


def _attributes(spans: list[Span], ends: list[int]) -> dict[str, object]:
    return {
        "kernel_shape": [span.kernel for span in spans],
        "strides": [span.stride for span in spans],
        "pads": [*(span.pad for span in spans), *ends],
    }


def _made(layer: Layer, spans: list[Span]) -> tuple[int, ...]:
    return (*layer.shape()[:2], *(span.count for span in spans))


@emits("SpatialMaxPooling", "VolumetricMaxPooling")
def max_pooling(layer: Layer) -> Flow:
    """MaxPool; the end pads carry `:ceil()`."""
    spans = _spans(layer, "THW" if "Volumetric" in layer.module.builtin else "HW")
    made = _made(layer, spans)
    if any(span.empty for span in spans):
        return layer.opaque([made])
    attributes = _attributes(spans, [span.pad + span.overhang for span in spans])
    return layer.emit("MaxPool", [layer.input], [made], attributes, padding=_strategy(spans))[0]


def _strategy(spans: list[Span]) -> str | None:
    return "ceil" if spans[0].ceil else None


@emits("SpatialAveragePooling", "VolumetricAveragePooling")
def average_pooling(layer: Layer) -> Flow:
    """AveragePool; pads count as zeros unless told otherwise, an overhang never does.

    Without an overhang the pads are those given. With one and pads that count, no explicit pads
    are right, and ONNX's own `ceil_mode` is: it clips the window at the padded image, as Torch7
    does; where an axis has no overhang that mode must find nothing to round up.
    """
    spans = _spans(layer, "THW" if "Volumetric" in layer.module.builtin else "HW")
    made = _made(layer, spans)
    padded = any(span.pad for span in spans)
    counts = padded and layer.flag("count_include_pad", default=True)
    rounds = counts and any(span.overhang for span in spans)
    ends = [span.pad if counts else span.pad + span.overhang for span in spans]
    if rounds:
        ends = [span.pad - span.slack for span in spans]
    if min(ends) < 0 or any(span.empty for span in spans):
        return layer.opaque([made])
    attributes = {**_attributes(spans, ends), "count_include_pad": int(counts)}
    if rounds:
        attributes["ceil_mode"] = 1
    return layer.emit("AveragePool", [layer.input], [made], attributes, padding=_strategy(spans))[0]


@emits("SpatialAdaptiveMaxPooling", "SpatialAdaptiveAveragePooling")
def adaptive_pooling(layer: Layer) -> Flow:
    """A pool to a given size; windows of unlike sizes are drawn as they are."""
    shape = layer.shape(least=4)
    size = [layer.integer("H", least=1), layer.integer("W", least=1)]
    made = (*shape[:2], *size)
    op = "MaxPool" if "Max" in layer.module.builtin else "AveragePool"
    if size == [1, 1]:
        return layer.node(f"Global{op}", [layer.input], made)
    if any(n % count for n, count in zip(shape[2:], size, strict=True)):
        return layer.opaque([made])
    kernel = [n // count for n, count in zip(shape[2:], size, strict=True)]
    return layer.node(op, [layer.input], made, kernel_shape=kernel, strides=kernel)


@emits("SpatialUpSamplingNearest", "SpatialUpSamplingBilinear")
def upsampling(layer: Layer) -> Flow:
    """Larger by a factor; bilinear with corners aligned."""
    shape, factor = layer.shape(least=4), layer.integer("scale_factor", least=1)
    made = (*shape[:2], *(n * factor for n in shape[2:]))
    if "Nearest" in layer.module.builtin:
        modes = {"mode": "nearest", "coordinate_transformation_mode": "asymmetric"}
        modes["nearest_mode"] = "floor"
    else:
        modes = {"mode": "linear", "coordinate_transformation_mode": "align_corners"}
    operands: list[ir.Value | None] = [layer.input, None, None, layer.integers(made)]
    return layer.node("Resize", operands, made, **modes)


@emits("PixelShuffle")
def pixel_shuffle(layer: Layer) -> Flow:
    """Channels as blocks of pixels."""
    shape, factor = layer.shape(least=4), layer.integer("upscaleFactor", least=1)
    channels = shape[1] // factor**2
    if channels * factor**2 != shape[1]:
        raise layer.error(f"shuffles {shape[1]} channels by {factor}", "give it a multiple")
    made = (shape[0], channels, *(n * factor for n in shape[2:]))
    return layer.node("DepthToSpace", [layer.input], made, blocksize=factor, mode="CRD")
