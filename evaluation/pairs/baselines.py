"""Two lists of layers held side by side with difflib: what any aligner must be ahead of."""

from __future__ import annotations

from collections.abc import Callable
from difflib import SequenceMatcher
from typing import Final

from modeldocs.ir import Layer, LayerGraph

Row = tuple[object, ...]
Matched = list[tuple[str, str]]


def _operator(layer: Layer) -> Row:
    return (layer.operator,)


def _shape(layer: Layer) -> Row:
    return layer.operator, *(output.shape for output in layer.outputs[:1])


def _weights(layer: Layer) -> Row:
    held = (one.shape for one in layer.parameters if one.role in ("weight", "scale"))
    return layer.operator, *held


BASELINES: Final[dict[str, Callable[[Layer], Row]]] = {
    "operators": _operator,
    "shapes": _shape,
    "weights": _weights,
}
"""What a list shows of a layer: its operator; its output's shape as well; or its weights'."""


def matched(a: LayerGraph, b: LayerGraph, row: Callable[[Layer], Row]) -> Matched:
    """Ids of layers that difflib holds to be the same, in the order they are computed in."""
    ours, theirs = list(map(row, a.layers)), list(map(row, b.layers))
    blocks = SequenceMatcher(a=ours, b=theirs, autojunk=False).get_matching_blocks()
    return [
        (a.layers[block.a + n].id, b.layers[block.b + n].id)
        for block in blocks
        for n in range(block.size)
    ]
