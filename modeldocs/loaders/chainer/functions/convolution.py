"""Convolutions: pads are of both ends, `cover_all` adds windows that hang over the end."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import onnx_ir as ir

from modeldocs.loaders.chainer.step import Step, emits
from modeldocs.loaders.emission.windows import Span, pooled


def _plane(step: Step, kind: str) -> tuple[int, ...]:
    """A pair of settings of a function of two dimensions: `sy` and `sx`."""
    return int(step.setting(f"{kind}y" if kind != "p" else "ph")), int(
        step.setting(f"{kind}x" if kind != "p" else "pw")
    )


@emits("Convolution2DFunction")
def convolution_2d(step: Step) -> Sequence[ir.Value]:
    """Conv of an image; the weight is O x I x H x W as ONNX has it."""
    return _convolution(step, _plane(step, "s"), _plane(step, "p"), _plane(step, "d"))


@emits("ConvolutionND")
def convolution_nd(step: Step) -> Sequence[ir.Value]:
    """Conv of any number of dimensions."""
    return _convolution(step, step.setting("stride"), step.setting("pad"), step.setting("dilate"))


def _convolution(
    step: Step, strides: Sequence[int], pads: Sequence[int], dilations: Sequence[int]
) -> Sequence[ir.Value]:
    kernel = step.shape(1)[2:]
    covers = bool(step.setting("cover_all"))
    axes = zip(step.shape()[2:], kernel, strides, pads, dilations, strict=True)
    spans = [Span(n, (k - 1) * d + 1, int(s), int(p), ceil=covers) for n, k, s, p, d in axes]
    attributes: dict[str, Any] = {
        "kernel_shape": list(kernel),
        "strides": [int(s) for s in strides],
        "pads": pooled(spans)["pads"],
        "dilations": [int(d) for d in dilations],
        "group": int(step.setting("groups")),
    }
    strategy = "ceil" if covers else None
    return [step.node("Conv", step.operands, padding=strategy, **attributes)]


@emits("Deconvolution2DFunction")
def deconvolution_2d(step: Step) -> Sequence[ir.Value]:
    """ConvTranspose of an image; the weight is I x O x H x W as ONNX has it."""
    return _deconvolution(step, _plane(step, "s"), _plane(step, "p"), _plane(step, "d"))


@emits("DeconvolutionND")
def deconvolution_nd(step: Step) -> Sequence[ir.Value]:
    """ConvTranspose of any number of dimensions."""
    return _deconvolution(step, step.setting("stride"), step.setting("pad"), step.setting("dilate"))


def _deconvolution(
    step: Step, strides: Sequence[int], pads: Sequence[int], dilations: Sequence[int]
) -> Sequence[ir.Value]:
    """`outsize` may ask for more or fewer elements than the formula gives, at the end."""
    kernel = step.shape(1)[2:]
    more = [
        out - (s * (size - 1) + (k - 1) * d + 1 - 2 * p)
        for out, size, k, s, p, d in zip(
            step.made()[2:], step.shape()[2:], kernel, strides, pads, dilations, strict=True
        )
    ]
    ends = [int(p) + max(0, -extra) for p, extra in zip(pads, more, strict=True)]
    attributes: dict[str, Any] = {
        "kernel_shape": list(kernel),
        "strides": [int(s) for s in strides],
        "pads": [*(int(p) for p in pads), *ends],
        "dilations": [int(d) for d in dilations],
        "group": int(step.setting("groups", 1)),
        "output_padding": [max(0, extra) for extra in more] if any(e > 0 for e in more) else None,
    }
    return [step.node("ConvTranspose", step.operands, **attributes)]
