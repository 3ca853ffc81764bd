"""Weights transferred between groups of layers that are fused in one port only."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from modeldocs.numeric.parity import affine, feature_order, feature_tracking
from modeldocs.numeric.parity.affine import AffineMap, Expressions, NotAffineError
from modeldocs.numeric.parity.expression import Expression, broadcast, concatenate
from modeldocs.numeric.parity.matched_group import MatchedGroup
from modeldocs.numeric.parity.runnable_graph import RunnableGraph


def convert(
    a: RunnableGraph, b: RunnableGraph, group: MatchedGroup, expressions: Mapping[str, Expression]
) -> Expressions:
    """B's stored weights of a group, as expressions of A's.

    Raises:
        NotAffineError: B's layers cannot hold what A's compute.
    """
    ours, theirs = group.pair
    left, right = _weighted_layers(a, ours), _weighted_layers(b, theirs)
    if len(left) == len(right):
        combined = affine.read(a, ours, expressions)
        _permute_columns(a, b, combined, left, right)
        return affine.write(b, theirs, combined)
    if len(right) == 1:
        branches = _branches(a, ours, left)
        positions = feature_tracking.row_permutation(a, b, group, left, right)
        names = left if positions is not None else _in_fused_order(group, left, a, of_a=True)
        whole = _concatenated([affine.read(a, branches[name], expressions) for name in names])
        if positions is not None:
            whole = _permute_outputs(whole, positions)
        return affine.write(b, _branches(b, theirs, right)[right[0]], whole)
    if len(left) == 1:
        whole = affine.read(a, _branches(a, ours, left)[left[0]], expressions)
        branches = _branches(b, theirs, right)
        positions = feature_tracking.row_permutation(a, b, group, left, right)
        names = right if positions is not None else _in_fused_order(group, right, b, of_a=False)
        if positions is not None:
            whole = _permute_outputs(whole, positions)
        converted: Expressions = {}
        for name, part in zip(names, _split(whole, names, b), strict=True):
            converted |= affine.write(b, branches[name], part)
        return converted
    raise NotAffineError


def _branches(
    graph: RunnableGraph, ids: tuple[str, ...], pieces: list[str]
) -> dict[str, tuple[str, ...]]:
    """Each weighted layer with the layers after it that scale and shift it, such as a bias."""
    branches = {name: [name] for name in pieces}
    owner = {name: name for name in pieces}
    for name in ids:
        producers = {owner.get(edge.producer) for edge in graph.edges[name]} - {None}
        if name in owner or not producers:
            continue
        if len(producers) == 1:
            owner[name] = str(producers.pop())
            branches[owner[name]] += [name] if graph.weights[name] else []
        elif graph.weights[name]:
            raise NotAffineError
    return {name: tuple(layers) for name, layers in branches.items()}


def _weighted_layers(graph: RunnableGraph, ids: tuple[str, ...]) -> list[str]:
    """The convolutions and dense layers that have weights."""
    return [n for n in ids if graph.layers[n].operator in affine.LINEAR and graph.weights[n]]


def _permute_columns(
    a: RunnableGraph, b: RunnableGraph, combined: AffineMap, left: list[str], right: list[str]
) -> None:
    """Put a weight's columns in the order in which B reads their features."""
    positions = feature_order.feature_permutation(a, b, left[0], right[0]) if left else None
    weight = combined.weight
    if (
        positions is not None
        and weight is not None
        and weight.size == weight.shape[0] * len(positions)
    ):
        combined.weight = feature_order.permute_columns(a, left[0], weight, positions)


def _in_fused_order(
    group: MatchedGroup, pieces: list[str], graph: RunnableGraph, *, of_a: bool
) -> list[str]:
    """The pieces in the order in which the fused layer has them, which its readers decide."""
    side = group.a if of_a else group.b
    outputs = [
        i if of_a else j for i, j in sorted(group.output_pairs, key=lambda p: p[1 if of_a else 0])
    ]
    producers = [side.outputs[output].producer() for output in outputs]
    fused_order = [name for node in producers for name in pieces if graph.nodes[name] is node]
    return fused_order if sorted(fused_order) == sorted(pieces) else pieces


def _permute_outputs(whole: AffineMap, positions: np.ndarray) -> AffineMap:
    """A weighted layer with its outputs in another order."""
    weight, count = whole.weight, len(positions)
    if weight is None or weight.shape[0] != count:
        raise NotAffineError
    scale, shift = (_per_output(expression, count) for expression in (whole.scale, whole.shift))
    return AffineMap(
        *(
            feature_tracking.permute_rows(expression, positions)
            for expression in (weight, scale, shift)
        )
    )


def _per_output(expression: Expression, count: int) -> Expression:
    """A scale or shift with an element for each output."""
    if expression.size not in (1, count):
        raise NotAffineError
    return broadcast(expression, (count,))


def _concatenated(parts: list[AffineMap]) -> AffineMap:
    """Several weighted layers as one with the outputs of all."""
    weights = [part.weight for part in parts if part.weight is not None]
    if len(weights) != len(parts) or len({weight.shape[1:] for weight in weights}) != 1:
        raise NotAffineError
    pairs = list(zip(parts, weights, strict=True))
    scale = [_per_output(part.scale, weight.shape[0]) for part, weight in pairs]
    shift = [_per_output(part.shift, weight.shape[0]) for part, weight in pairs]
    return AffineMap(concatenate(weights), concatenate(scale), concatenate(shift))


def _split(whole: AffineMap, names: list[str], graph: RunnableGraph) -> list[AffineMap]:
    """One weighted layer as several, by their numbers of outputs."""
    counts = [_output_count(graph, name) for name in names]
    if whole.weight is None or sum(counts) != whole.weight.shape[0]:
        raise NotAffineError
    scale, shift = (
        _per_output(expression, sum(counts)) for expression in (whole.scale, whole.shift)
    )
    parts: list[AffineMap] = []
    start = 0
    for count in counts:
        slices = [
            expression.slice(0, start, start + count) for expression in (whole.weight, scale, shift)
        ]
        parts.append(AffineMap(*slices))
        start += count
    return parts


def _output_count(graph: RunnableGraph, layer: str) -> int:
    """Number of outputs of a weighted layer."""
    weight = next(one for one in graph.weights[layer] if one.role == "weight")
    return weight.shape[-1 if graph.layers[layer].operator == "MatMul" else 0]
