"""Projections to be compared as a whole, because the other graph has them fused.

Where a norm or another product stands between a projection to queries, keys and values and the
Split that slices it, the projection stays whole. If the other graph has no such layer, its three
parts face one projection there; compared fused, the two are the same. So it is where queries alone
are sliced, into features that are turned and others, and are one part of a projection there.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Container

from modeldocs.diff.rewriting.projections import CHANNELS
from modeldocs.diff.rewriting.splitting import SplitGraph
from modeldocs.ir import Layer


def keep_fused(ours: SplitGraph, theirs: SplitGraph, counterpart: dict[str, str]) -> frozenset[str]:
    """The ids of projections of one graph to leave whole.

    `counterpart` are the matched layers of the two split graphs. One of the parts is matched to the
    whole projection of the other graph, or a projection or part there reads the same and has the
    parameters of the whole one.
    """
    if not ours.origins:
        return frozenset()
    sources = {layer.id: layer for layer in ours.source.layers}
    parts: dict[tuple[str, ...], list[Layer]] = defaultdict(list)
    for layer in ours.graph.layers:
        if layer.id in ours.origins:
            parts[ours.origins[layer.id]].append(layer)
    others = {layer.id: layer for layer in theirs.graph.layers}
    matched = {*counterpart.values()}
    whole: dict[str, Layer] = {}
    by_source: dict[str, list[Layer]] = defaultdict(list)
    for layer in theirs.graph.layers:
        if layer.operator in CHANNELS and layer.inputs:
            if layer.id not in theirs.origins:
                whole[layer.id] = layer
            by_source[_past(others, layer.inputs[0].value, matched)].append(layer)
    fused = set()
    for origins, members in parts.items():
        projection = sources[origins[0]]
        if not projection.inputs:  # it is computed from weights alone
            continue
        pairs = [(part, counterpart.get(part.id, "")) for part in members]
        mismatched = sum(_same_parameters(x, others.get(y)) for x, y in pairs) <= 1
        part_for_whole = any(_is_larger(whole.get(y), x) for x, y in pairs)
        source = _past(sources, projection.inputs[0].value, counterpart)
        candidates = by_source[counterpart.get(source, "")]
        if mismatched and (
            part_for_whole or any(_same_parameters(projection, layer) for layer in candidates)
        ):
            fused.add(projection.id)
    return frozenset(fused)


def _past(layers: dict[str, Layer], value: str, matched: Container[str]) -> str:
    """A value, or its source through unmatched layers of one operand without parameters."""
    while (layer := layers.get(value)) is not None and value not in matched:
        if layer.parameters or len(layer.inputs) != 1:
            break
        value = layer.inputs[0].value
    return value


def _same_parameters(ours: Layer, theirs: Layer | None) -> bool:
    """Whether two layers have the same operator, and parameters of the same shapes."""
    return (
        theirs is not None
        and ours.operator == theirs.operator
        and [x.shape for x in ours.parameters] == [x.shape for x in theirs.parameters]
    )


def _is_larger(layer: Layer | None, part: Layer) -> bool:
    """Whether a projection has a larger weight than a part that it is matched to."""
    if layer is None or layer.operator != part.operator:
        return False
    sizes = [max((x.elements for x in one.parameters), default=0) for one in (layer, part)]
    return sizes[0] > sizes[1]
