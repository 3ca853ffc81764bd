"""The plain way: two lists of layers held side by side with difflib.

The layers stand in the order that the network was written in, which the diff does not get to see.
"""

from __future__ import annotations

from collections.abc import Callable
from difflib import SequenceMatcher
from typing import Final

from modeldocs.ir import Layer, LayerGraph

Line = tuple[object, ...]


def matched(
    a: LayerGraph, b: LayerGraph, order: tuple[str, ...], line: Callable[[Layer], Line]
) -> set[tuple[str, str]]:
    """Pairs of layers whose lines difflib holds to be the same, and the inputs one by one.

    `order` are the ids of B's layers in the order in which they are listed.
    """
    theirs = {layer.id: layer for layer in b.layers}
    listed = [theirs[name] for name in order]
    lines = [line(layer) for layer in a.layers], [line(layer) for layer in listed]
    matcher = SequenceMatcher(a=lines[0], b=lines[1], autojunk=False)
    found = {(one.id, other.id) for one, other in zip(a.inputs, b.inputs, strict=False)}
    for block in matcher.get_matching_blocks():
        for n in range(block.size):
            found.add((a.layers[block.a + n].id, listed[block.b + n].id))
    return found


def _bare(layer: Layer) -> Line:
    return (layer.operator,)


def _shaped(layer: Layer) -> Line:
    return layer.operator, layer.outputs[0].shape if layer.outputs else None


def _weighted(layer: Layer) -> Line:
    return layer.operator, tuple(one.shape for one in layer.parameters)


LISTS: Final[dict[str, Callable[[Layer], Line]]] = {
    "operators": _bare,
    "operators and shapes": _shaped,
    "operators and weights": _weighted,
}
"""What a list shows of each layer, three ways."""
