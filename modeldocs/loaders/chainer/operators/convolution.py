"""Emitters of Chainer's convolutions; `cover_all` adds windows that reach beyond the end."""

from __future__ import annotations

from collections.abc import Sequence

from modeldocs.loaders.chainer.operation import ChainerOperation, emits
from modeldocs.loaders.emission.operation import Outputs
from modeldocs.loaders.emission.windows import Window, WindowSpan, pooled


@emits("Convolution2DFunction", "ConvolutionND")
def convolution(op: ChainerOperation) -> Outputs:
    """Conv; the weight is O x I x kernel, as in ONNX."""
    window = _window(op)
    covers = bool(op.setting("cover_all"))
    axes = zip(op.shape()[2:], window.reach, window.stride, window.pad, strict=True)
    pads = pooled([WindowSpan(*axis, ceil=covers) for axis in axes])["pads"]
    return [
        op.node(
            "Conv",
            op.inputs,
            padding="ceil" if covers else None,
            **{**window.attributes, "pads": pads},
            group=op.integer("groups"),
        )
    ]


@emits("Deconvolution2DFunction", "DeconvolutionND")
def deconvolution(op: ChainerOperation) -> Outputs:
    """ConvTranspose; the weight is I x O x kernel, as in ONNX.

    `outsize` may ask for more or fewer elements than the formula gives, at the end.
    """
    window = _window(op)
    sizes = zip(op.output_shape()[2:], window.backward(op.shape()[2:]), strict=True)
    excess = [wanted - usual for wanted, usual in sizes]
    ends = [pad + max(0, -extra) for pad, extra in zip(window.pad, excess, strict=True)]
    more = [max(0, extra) for extra in excess]
    return [
        op.node(
            "ConvTranspose",
            op.inputs,
            **{**window.attributes, "pads": [*window.pad, *ends]},
            group=op.integer("groups", 1),
            output_padding=more if any(more) else None,
        )
    ]


def _window(op: ChainerOperation) -> Window:
    """The window of a function of two dimensions, which has a setting for each, or of others."""
    names: Sequence[Sequence[str]] = (("stride",), ("pad",), ("dilate",))
    if op.kind.endswith("2DFunction"):
        names = (("sy", "sx"), ("ph", "pw"), ("dy", "dx"))
    return Window(op.shape(1)[2:], *(op.integers_of(*axes) for axes in names))
