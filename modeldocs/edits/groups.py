"""Depthwise convolutions, which have a group for each channel that they read."""

from __future__ import annotations

import onnx_ir as ir

from modeldocs.edits.draft import Draft
from modeldocs.normal import values


def follow(draft: Draft, node: ir.Node) -> None:
    """Keep a convolution depthwise: a group for each channel, and as many filters in each."""
    if not values.is_operator(node, "Conv"):
        return
    before, weight = (draft.original.read(node, slot) for slot in (0, 1))
    now = values.shape(node.inputs[0])
    if before is None or weight is None or now is None or before[1] < 2 or weight[1] != 1:
        return
    if not draft.is_told(node, "group"):
        node.attributes["group"] = ir.AttrInt64("group", now[1])
        if not draft.is_told(node, "channels"):
            draft.features[id(node)] = weight[0] // before[1] * now[1]
