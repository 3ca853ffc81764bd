"""Which layers of a graph nothing tells apart: hashes of all that they read and all they feed."""

from __future__ import annotations

import hashlib
from collections import defaultdict
from typing import Any

from modeldocs.ir import GraphInput, Layer, LayerGraph

COMMUTATIVE = frozenset(("Add", "Mul", "Max", "Min", "Mean", "Sum", "And", "Or", "Xor", "Equal"))
"""Operators whose operands may stand in any order."""


def forward(graph: LayerGraph) -> dict[str, str]:
    """A hash of each layer and all that it is made from."""
    found = {}
    for place, entry in enumerate(graph.inputs):
        found[entry.id] = _hash("input", place, entry.type)
    for layer in graph.layers:
        read = [
            (slot_of(layer, one.slot), one.output, repr(one.steps), found[one.value])
            for one in layer.inputs
        ]
        found[layer.id] = _hash(_alone(layer), sorted(read))
    return found


def backward(graph: LayerGraph) -> dict[str, str]:
    """A hash of each layer and all that is made from it."""
    feeds: dict[str, list[Any]] = defaultdict(list)
    for place, output in enumerate(graph.outputs):
        feeds[output.source.value].append((place, output.source.output, "", "output"))
    found: dict[str, str] = {}
    entries: list[Layer | GraphInput] = [*graph.inputs, *graph.layers]
    for entry in reversed(entries):
        if not isinstance(entry, Layer):
            found[entry.id] = _hash("input", sorted(feeds[entry.id]))
            continue
        found[entry.id] = _hash(_alone(entry), sorted(feeds[entry.id]))
        for one in entry.inputs:
            told = (slot_of(entry, one.slot), one.output, repr(one.steps), found[entry.id])
            feeds[one.value].append(told)
    return found


def classes(graph: LayerGraph) -> dict[str, str]:
    """The same word for layers that an automorphism of the graph may swap."""
    below, above = forward(graph), backward(graph)
    return {name: below[name] + above[name] for name in below}


def slot_of(layer: Layer, slot: int) -> int:
    """The slot as far as it matters to the layer."""
    return 0 if layer.operator in COMMUTATIVE else slot


def _alone(layer: Layer) -> tuple[Any, ...]:
    held = sorted((one.role, one.shape) for one in layer.parameters)
    return (layer.operator, sorted(layer.attributes.items()), held, layer.outputs)


def _hash(*told: Any) -> str:
    return hashlib.blake2b(repr(told).encode(), digest_size=10).hexdigest()
