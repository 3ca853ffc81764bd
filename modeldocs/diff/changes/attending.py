"""An Attention against the pieces of one whose softmax runs along another axis."""

from __future__ import annotations

import math
from typing import Any, Final

from modeldocs.diff.alignment.matching import Matching
from modeldocs.diff.changes import implied
from modeldocs.diff.changes.finding import Finding
from modeldocs.diff.function.windows import input_shape
from modeldocs.diff.indexing.indexed_graph import IndexedGraph
from modeldocs.ir import Layer

_MASKING: Final = frozenset({"Where", "Add"})
_SCALING: Final = frozenset({"Mul", "Div"})
_LAST: Final = -1

Nodes = tuple[int, ...]


def finding(matching: Matching, ours: Nodes, theirs: Nodes) -> Finding | None:
    """The other axis, where the scale is the same and both have a mask or neither; else None."""
    a, b = matching.a, matching.b
    for whole, pieces, turned in (((a, ours), (b, theirs), False), ((b, theirs), (a, ours), True)):
        attention = whole[0].nodes[whole[1][0]]
        if len(whole[1]) != 1 or not isinstance(attention, Layer):
            continue
        softmax = _softmax(*pieces, attention)
        if attention.operator == "Attention" and softmax is not None:
            axis = _axis(softmax)
            ids = (attention.id,), (softmax.id,)
            pair = ids[::-1] if turned else ids
            told = (axis, _LAST) if turned else (_LAST, axis)
            return Finding("attribute", "computes", "Attention", pair, "axis", *told)
    return None


def _softmax(graph: IndexedGraph, nodes: Nodes, attention: Layer) -> Layer | None:
    """The Softmax of pieces that are that Attention, but for the axis; None where they are not."""
    layers = [layer for node in nodes if isinstance(layer := graph.nodes[node], Layer)]
    products = [layer for layer in layers if layer.operator == "MatMul"]
    bends = [layer for layer in layers if layer.operator == "Softmax"]
    rest = [x for x in layers if x not in products and x not in bends]
    if len(products) != 2 or len(bends) != 1 or _axis(bends[0]) in (_LAST, None):
        return None
    if any(x.parameters for x in layers):
        return None
    masks = [x for x in rest if x.operator in _MASKING]
    if len(masks) != ("attn_mask" in attention.attributes or len(attention.inputs) > 3):
        return None
    factor = 1.0
    for x in (x for x in rest if x not in masks):
        by: Any = x.attributes.get("B")
        if x.operator not in _SCALING or not isinstance(by, int | float) or not by:
            return None
        factor *= 1 / by if x.operator == "Div" else by
    meant = implied.scale(attention)
    same = isinstance(meant, int | float) and math.isclose(factor, meant, rel_tol=1e-5)
    return bends[0] if same else None


def _axis(layer: Layer) -> int | None:
    """The axis of a Softmax counted from the last, None where that is not known."""
    axis, shape = layer.attributes.get("axis", _LAST), input_shape(layer)
    if not isinstance(axis, int) or shape is None:
        return None
    return axis if axis < 0 else axis - len(shape)
