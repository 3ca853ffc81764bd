"""A Pad before a pooling or convolution against the window's own padding."""

from __future__ import annotations

from typing import Final

import msgspec

from modeldocs.diff.alignment.matching import operator_of
from modeldocs.diff.composition import Composition
from modeldocs.diff.function import windows
from modeldocs.diff.function.attributes import declared
from modeldocs.diff.indexing.indexed_graph import IndexedGraph
from modeldocs.diff.regrouped.facing import Facing, read, readers
from modeldocs.ir import Layer

_WINDOWED: Final = ("Conv", "MaxPool", "AveragePool")


def find(facing: Facing) -> None:
    """Group a Pad and the layer behind it with one whose windows lie the same."""
    for x in facing.free():
        if facing.many.ops[x].operator != "Pad":
            continue
        after = readers(facing.many, x)
        if len(after) != 1 or after[0] < 0 or facing.to_few[after[0]] < 0:
            continue
        other = facing.to_few[after[0]]
        operator = facing.many.ops[after[0]].operator
        if operator not in _WINDOWED or facing.few.ops[other].operator != operator:
            continue
        if facing.untaken((x, after[0]), (other,)) and _lie_alike(facing, x, after[0], other):
            fused = Composition(operators=(operator_of(facing.few, other),))
            told = Composition(operators=("Pad", operator)), fused
            means = "spelling" if _counts_zeros(facing.few, other) else "computes"
            facing.group((x, after[0]), (other,), told, means, loose=after)


def _counts_zeros(graph: IndexedGraph, window: int) -> bool:
    """Whether a window takes its own padding for zeros, as it takes those of a Pad.

    A MaxPool leaves it out, and a mean may not count it, nor what it overhangs.
    """
    told = dict(graph.ops[window].attributes)
    if graph.ops[window].operator == "AveragePool":
        return bool(told.get("count_include_pad") == told["pads"][1])
    return graph.ops[window].operator == "Conv"


def _lie_alike(facing: Facing, pad: int, window: int, other: int) -> bool:
    before, behind = facing.many.nodes[pad], facing.many.nodes[window]
    faced = facing.few.nodes[other]
    if not isinstance(before, Layer) or not isinstance(behind, Layer):
        return False
    if not isinstance(faced, Layer):
        return False
    added = _zeros(before)
    shape = windows.input_shape(before)
    if added is None or shape is None or not read(facing.many, pad):
        return False
    told = declared(behind)
    own = told.get("pads", ())
    if len(own) != len(added):
        return False
    whole = {**told, "pads": tuple(x + y for x, y in zip(own, added, strict=True))}
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
