"""Layers of one network that do the same to the same values, with weights of their own: where the
other network has one such layer, all of them may have its weights.
"""

from __future__ import annotations

from collections import defaultdict

import msgspec

from modeldocs.ir import Layer, LayerGraph


def repeated(graph: LayerGraph) -> dict[str, list[str]]:
    """The layers that each layer is a repetition of, or that repeat it, by its id."""
    first: dict[str, str] = {one.id: one.id for one in graph.inputs}
    alike: dict[bytes, list[str]] = defaultdict(list)
    for layer in graph.layers:
        group = alike[_key(layer, first)]
        group.append(layer.id)
        first[layer.id] = group[0]
    groups = (group for group in alike.values() if len(group) > 1)
    return {name: [one for one in group if one != name] for group in groups for name in group}


def _key(layer: Layer, first: dict[str, str]) -> bytes:
    """What a layer does, and what it reads: the first of layers that are alike stands for all."""
    reads = [(one.slot, first.get(one.value), one.output, one.steps) for one in layer.inputs]
    parameters = [(one.role, one.shape) for one in layer.parameters]
    return msgspec.msgpack.encode((layer.operator, layer.attributes, reads, parameters))
