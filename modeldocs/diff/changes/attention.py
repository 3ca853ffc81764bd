"""An Attention that is decomposed in the other graph, with its softmax along another axis."""

from __future__ import annotations

import math
from typing import Any, Final

from modeldocs.diff.alignment.matching import Matching
from modeldocs.diff.changes import implied_settings
from modeldocs.diff.changes.finding import Finding
from modeldocs.diff.function.windows import input_shape
from modeldocs.diff.indexing.indexed_graph import IndexedGraph
from modeldocs.ir import Layer, operators

_SCALING: Final = operators.named(affine="scale")
_LAST: Final = -1

Nodes = tuple[int, ...]


def finding(matching: Matching, ours: Nodes, theirs: Nodes) -> Finding | None:
    """The finding on the axis if scale and mask are the same; None for other layers."""
    a, b = matching.a, matching.b
    for fused, parts, mirrored in (((a, ours), (b, theirs), False), ((b, theirs), (a, ours), True)):
        attention = fused[0].nodes[fused[1][0]]
        if len(fused[1]) != 1 or not isinstance(attention, Layer):
            continue
        softmax = _softmax(*parts, attention)
        if attention.operator == "Attention" and softmax is not None:
            axis = _axis(softmax)
            ids = (attention.id,), (softmax.id,)
            pair = ids[::-1] if mirrored else ids
            axes = (axis, _LAST) if mirrored else (_LAST, axis)
            return Finding("attribute", "computes", "Attention", pair, "axis", *axes)
    return None


def _softmax(graph: IndexedGraph, nodes: Nodes, attention: Layer) -> Layer | None:
    """The Softmax of a decomposed Attention that differs only in its axis; None if it is none."""
    layers = [layer for node in nodes if isinstance(layer := graph.nodes[node], Layer)]
    products = [layer for layer in layers if layer.operator == "MatMul"]
    softmaxes = [layer for layer in layers if layer.operator == "Softmax"]
    rest = [x for x in layers if x not in products and x not in softmaxes]
    if len(products) != 2 or len(softmaxes) != 1 or _axis(softmaxes[0]) in (_LAST, None):
        return None
    if any(x.parameters for x in layers):
        return None
    masks = [x for x in rest if x.operator in ("Add", "Where")]
    if len(masks) != ("attn_mask" in attention.attributes or len(attention.inputs) > 3):
        return None
    factor = 1.0
    for x in (x for x in rest if x not in masks):
        value: Any = x.attributes.get("B")
        if x.operator not in _SCALING or not isinstance(value, int | float) or not value:
            return None
        factor *= 1 / value if x.operator == "Div" else value
    scale = implied_settings.scale(attention)
    same = isinstance(scale, int | float) and math.isclose(factor, scale, rel_tol=1e-5)
    return softmaxes[0] if same else None


def _axis(layer: Layer) -> int | None:
    """The axis of a Softmax counted from the last, None where that is not known."""
    axis, shape = layer.attributes.get("axis", _LAST), input_shape(layer)
    if not isinstance(axis, int) or shape is None:
        return None
    return axis if axis < 0 else axis - len(shape)
