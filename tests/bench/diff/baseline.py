"""The 2018 way: two lists of layers held side by side with difflib."""

from __future__ import annotations

from difflib import SequenceMatcher

from modeldocs.graph import Layer, LayerGraph

Line = tuple[object, ...]


def matched(a: LayerGraph, b: LayerGraph) -> set[tuple[str, str]]:
    """Pairs of layers whose lines difflib holds to be the same, inputs among them."""
    ours, theirs = _lines(a), _lines(b)
    matcher = SequenceMatcher(a=[x[1] for x in ours], b=[x[1] for x in theirs], autojunk=False)
    return {
        (ours[block.a + n][0], theirs[block.b + n][0])
        for block in matcher.get_matching_blocks()
        for n in range(block.size)
    }


def _lines(graph: LayerGraph) -> list[tuple[str, Line]]:
    """Id, and what the list shows of a layer: operator, attributes, shape."""
    inputs = [(entry.id, ("input", entry.type.shape)) for entry in graph.inputs]
    return [*inputs, *((layer.id, _line(layer)) for layer in graph.layers)]


def _line(layer: Layer) -> Line:
    shape = layer.outputs[0].shape if layer.outputs else None
    return layer.operator, shape, repr(sorted(layer.attributes.items()))
