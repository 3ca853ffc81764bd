"""Products taken apart that the other side has whole: with a layer behind, they are cut after it.

A norm or another product between queries, keys and values and the Split that cuts them leaves
one product there, against three here. Held against each other whole, they are the same.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Container

from modeldocs.diff.rewriting.projections import CHANNELS
from modeldocs.diff.rewriting.splitting import SplitGraph
from modeldocs.ir import Layer


def keep_fused(ours: SplitGraph, theirs: SplitGraph, counterpart: dict[str, str]) -> frozenset[str]:
    """Products of one side that are better not taken apart, by their ids.

    `counterpart` are the layers of the graphs taken apart that correspond. The whole product of
    the other side reads the same, or was mistaken for one of the parts.
    """
    if not ours.whole:
        return frozenset()
    made = {layer.id: layer for layer in ours.source.layers}
    parts: dict[tuple[str, ...], list[Layer]] = defaultdict(list)
    for layer in ours.graph.layers:
        if layer.id in ours.whole:
            parts[ours.whole[layer.id]].append(layer)
    other = {layer.id: layer for layer in theirs.graph.layers}
    matched = {*counterpart.values()}
    whole: dict[str, Layer] = {}
    reading: dict[str, list[Layer]] = defaultdict(list)
    for layer in theirs.graph.layers:
        if layer.id not in theirs.whole and layer.operator in CHANNELS and layer.inputs:
            whole[layer.id] = layer
            reading[_past(other, layer.inputs[0].value, matched)].append(layer)
    found = set()
    for ids, held in parts.items():
        product = made[ids[0]]
        there = [counterpart.get(part.id, "") for part in held]
        astray = sum(_same(x, other.get(y)) for x, y in zip(held, there, strict=True)) <= 1
        mistaken = any(_makes_more(whole.get(y), x) for x, y in zip(held, there, strict=True))
        near = reading[counterpart.get(_past(made, product.inputs[0].value, counterpart), "")]
        if astray and (mistaken or any(_same(product, layer) for layer in near)):
            found.add(product.id)
    return frozenset(found)


def _past(layers: dict[str, Layer], value: str, matched: Container[str]) -> str:
    """What a value is, before layers without parameters that only its side has."""
    while (layer := layers.get(value)) is not None and value not in matched:
        if layer.parameters or len(layer.inputs) != 1:
            break
        value = layer.inputs[0].value
    return value


def _same(ours: Layer, theirs: Layer | None) -> bool:
    """Whether two layers have the same operator and parameters."""
    return (
        theirs is not None
        and ours.operator == theirs.operator
        and [x.shape for x in ours.parameters] == [x.shape for x in theirs.parameters]
    )


def _makes_more(layer: Layer | None, part: Layer) -> bool:
    """Whether a product is by a larger weight than a part that it is matched to."""
    if layer is None or layer.operator != part.operator:
        return False
    sizes = [max((x.elements for x in one.parameters), default=0) for one in (layer, part)]
    return sizes[0] > sizes[1]
