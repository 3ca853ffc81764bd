"""Pads of windows that the source gave by a strategy, which are others for another image."""

from __future__ import annotations

from typing import Final

import msgspec
import onnx_ir as ir

from modeldocs.ir import operators, origin
from modeldocs.loaders.emission import windows
from modeldocs.normal import values

_SAME: Final = ("same", "same_upper", "same_lower")
_UP: Final = {"ceil": True, "full": False}
"""Strategies of pools that round their number of windows up, and whether one that would start
behind the image and its pads is dropped."""


def resolve(node: ir.Node) -> None:
    """Set the pads of a layer for the image that it reads now, where a strategy gives them."""
    strategy = (origin.read(node).padding or "").lower()
    kernel = values.attribute(node, "kernel_shape")
    shape = values.shape(values.operand(node, 0))
    if not operators.of(node.op_type).windowed or kernel is None or shape is None:
        return
    if len(kernel) + 2 != len(shape) or values.attribute(node, "ceil_mode", 0):
        return
    ones = (1,) * len(kernel)
    strides = tuple(values.attribute(node, "strides", ones))
    dilations = tuple(values.attribute(node, "dilations", ones))
    if strategy in _SAME and operators.of(node.op_type).window == "fixed":
        pads = windows.same(shape[2:], kernel, strides, dilations)
        if strategy == "same_lower":
            pads = [*pads[len(kernel) :], *pads[: len(kernel)]]
        node.attributes["pads"] = ir.AttrInt64s("pads", pads)
    elif strategy in _UP and dilations == ones and not _counts(node):
        begins = tuple(values.attribute(node, "pads", (0,) * 2 * len(kernel)))[: len(kernel)]
        clips = _UP[strategy] and any(begins)
        spans = windows.spans(shape[2:], kernel, strides, begins, ceil=True, clips=clips)
        pads = windows.pooled(spans)["pads"]
        if all(span.fits for span in spans):
            node.attributes["pads"] = ir.AttrInt64s("pads", pads)


def forget_strategy(node: ir.Node) -> None:
    """Keep that the pads of a layer were set by hand."""
    provenance = origin.read(node)
    if provenance.padding is not None:
        origin.attach(node, msgspec.structs.replace(provenance, padding=None))


def _counts(node: ir.Node) -> bool:
    """Whether pads count as elements of a mean, so that none can stand for what is missing."""
    return bool(values.attribute(node, "count_include_pad", 0))
