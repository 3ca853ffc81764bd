"""A Pad before a pooling or convolution that pads by itself in the other graph."""

from __future__ import annotations

from typing import Final

import msgspec

from modeldocs.diff.alignment.matching import operator_of
from modeldocs.diff.function import windows
from modeldocs.diff.function.attributes import declared
from modeldocs.diff.fused_group import FusedGroup
from modeldocs.diff.fusion.view import FusionView, read, readers
from modeldocs.diff.indexing.indexed_graph import IndexedGraph
from modeldocs.ir import Layer, operators

_WINDOWED: Final = operators.named(window="fixed", family="pooling") | {"Conv"}


def find(view: FusionView) -> None:
    """Group a Pad and the layer after it with a layer whose windows cover the same."""
    for x in view.unmatched_decomposed():
        if view.decomposed.ops[x].operator != "Pad":
            continue
        after = readers(view.decomposed, x)
        if len(after) != 1 or after[0] < 0 or view.to_fused[after[0]] < 0:
            continue
        other = view.to_fused[after[0]]
        operator = view.decomposed.ops[after[0]].operator
        if operator not in _WINDOWED or view.fused_graph.ops[other].operator != operator:
            continue
        if view.are_ungrouped((x, after[0]), (other,)) and _lie_alike(view, x, after[0], other):
            fused = FusedGroup(operators=(operator_of(view.fused_graph, other),))
            compositions = FusedGroup(operators=("Pad", operator)), fused
            consequence = "spelling" if _counts_zeros(view.fused_graph, other) else "computes"
            view.group((x, after[0]), (other,), compositions, consequence, loose=after)


def _counts_zeros(graph: IndexedGraph, window: int) -> bool:
    """Whether a layer counts its own padding as zeros, as it does those of a Pad.

    A MaxPool does not; a mean may leave out its padding, and leaves out what overhangs.
    """
    attributes = dict(graph.ops[window].attributes)
    if graph.ops[window].operator == "AveragePool":
        return bool(attributes.get("count_include_pad") == attributes["pads"][1])
    return graph.ops[window].operator != "MaxPool"


def _lie_alike(view: FusionView, pad: int, window: int, other: int) -> bool:
    before, behind = view.decomposed.nodes[pad], view.decomposed.nodes[window]
    faced = view.fused_graph.nodes[other]
    if not isinstance(before, Layer) or not isinstance(behind, Layer):
        return False
    if not isinstance(faced, Layer):
        return False
    added = _zeros(before)
    shape = windows.input_shape(before)
    if added is None or shape is None or not read(view.decomposed, pad):
        return False
    attributes = declared(behind)
    own = attributes.get("pads", ())
    if len(own) != len(added):
        return False
    whole = {**attributes, "pads": tuple(x + y for x, y in zip(own, added, strict=True))}
    seen = msgspec.structs.replace(
        behind,
        inputs=tuple(
            msgspec.structs.replace(
                operand, type=msgspec.structs.replace(operand.type, shape=shape)
            )
            for operand in behind.inputs
        ),
    )
    ours, theirs = (
        windows.effective_windows(seen, whole),
        windows.effective_windows(faced, declared(faced)),
    )
    return bool(ours["pads"] == theirs["pads"] and ours["strides"] == theirs["strides"])


def _zeros(layer: Layer) -> tuple[int, ...] | None:
    """(top, left, bottom, right) of the zeros that a Pad adds around each plane."""
    pads = layer.attributes.get("pads")
    if layer.attributes.get("mode", "constant") != "constant" or not isinstance(pads, list):
        return None
    if layer.attributes.get("constant_value", 0) != 0 or any(isinstance(x, str) for x in pads):
        return None
    rank = len(pads) // 2
    if any((*pads[:2], *pads[rank : rank + 2])):
        return None
    return (*pads[2:rank], *pads[rank + 2 :])
