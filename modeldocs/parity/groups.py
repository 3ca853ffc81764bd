"""Weights carried between groups of layers: fused here, in pieces there."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from modeldocs.parity import affine, features, order
from modeldocs.parity.affine import Affine, Recipes, UnsuitableError
from modeldocs.parity.recipe import Recipe, broadcast, concatenate
from modeldocs.parity.side import Side
from modeldocs.parity.unit import Unit


def carried(a: Side, b: Side, unit: Unit, held: Mapping[str, Recipe]) -> Recipes:
    """B's stored values of a unit, of A's in `held`.

    Raises:
        UnsuitableError: B's layers cannot hold what A's compute.
    """
    ours, theirs = unit.pair
    left, right = _weighted(a, ours), _weighted(b, theirs)
    if len(left) == len(right):
        given = affine.read(a, ours, held)
        _permute(a, b, given, left, right)
        return affine.write(b, theirs, given)
    if len(right) == 1:
        branches = _branches(a, ours, left)
        places = features.rows(a, b, unit, left, right)
        names = left if places is not None else _ordered(unit, left, a, of_a=True)
        whole = _joined([affine.read(a, branches[name], held) for name in names])
        if places is not None:
            whole = _reordered(whole, places)
        return affine.write(b, _branches(b, theirs, right)[right[0]], whole)
    if len(left) == 1:
        whole = affine.read(a, _branches(a, ours, left)[left[0]], held)
        branches = _branches(b, theirs, right)
        places = features.rows(a, b, unit, left, right)
        names = right if places is not None else _ordered(unit, right, b, of_a=False)
        if places is not None:
            whole = _reordered(whole, places)
        made: Recipes = {}
        for name, part in zip(names, _parted(whole, names, b), strict=True):
            made |= affine.write(b, branches[name], part)
        return made
    raise UnsuitableError


def _branches(side: Side, ids: tuple[str, ...], pieces: list[str]) -> dict[str, tuple[str, ...]]:
    """Each weighted product with what scales and shifts it behind it: a sum with a bias, say."""
    made = {name: [name] for name in pieces}
    owner = {name: name for name in pieces}
    for name in ids:
        makers = {owner.get(edge.maker) for edge in side.edges[name]} - {None}
        if name in owner or not makers:
            continue
        if len(makers) == 1:
            owner[name] = str(makers.pop())
            made[owner[name]] += [name] if side.weights[name] else []
        elif side.weights[name]:
            raise UnsuitableError
    return {name: tuple(held) for name, held in made.items()}


def _weighted(side: Side, ids: tuple[str, ...]) -> list[str]:
    return [n for n in ids if side.layers[n].operator in affine.LINEAR and side.weights[n]]


def _permute(a: Side, b: Side, given: Affine, left: list[str], right: list[str]) -> None:
    """Put the columns of a weight where B finds their features."""
    places = order.permutation(a, b, left[0], right[0]) if left else None
    weight = given.weight
    if places is not None and weight is not None and weight.size == weight.shape[0] * len(places):
        given.weight = order.rearranged(a, left[0], weight, places)


def _ordered(unit: Unit, pieces: list[str], side: Side, *, of_a: bool) -> list[str]:
    """The pieces in the order in which the fused layer has them: that of what reads them."""
    half = unit.a if of_a else unit.b
    places = [i if of_a else j for i, j in sorted(unit.given, key=lambda p: p[1 if of_a else 0])]
    makers = [half.gives[place].producer() for place in places]
    found = [name for node in makers for name in pieces if side.nodes[name] is node]
    return found if sorted(found) == sorted(pieces) else pieces


def _reordered(whole: Affine, places: np.ndarray) -> Affine:
    """The outputs of a weighted layer in another order."""
    weight, count = whole.weight, len(places)
    if weight is None or weight.shape[0] != count:
        raise UnsuitableError
    scale, shift = (broadcast(one, (count,)) for one in (whole.scale, whole.shift))
    return Affine(*(features.reordered(one, places) for one in (weight, scale, shift)))


def _joined(parts: list[Affine]) -> Affine:
    """Several weighted layers as one that has the outputs of all."""
    weights = [part.weight for part in parts if part.weight is not None]
    if len(weights) != len(parts) or len({weight.shape[1:] for weight in weights}) != 1:
        raise UnsuitableError
    both = list(zip(parts, weights, strict=True))
    scale = [broadcast(part.scale, (weight.shape[0],)) for part, weight in both]
    shift = [broadcast(part.shift, (weight.shape[0],)) for part, weight in both]
    return Affine(concatenate(weights), concatenate(scale), concatenate(shift))


def _parted(whole: Affine, names: list[str], side: Side) -> list[Affine]:
    """One weighted layer as several, by the number of their outputs."""
    counts = [_outputs(side, name) for name in names]
    if whole.weight is None or sum(counts) != whole.weight.shape[0]:
        raise UnsuitableError
    scale, shift = (broadcast(one, (sum(counts),)) for one in (whole.scale, whole.shift))
    made: list[Affine] = []
    start = 0
    for count in counts:
        pieces = [one.slice(0, start, start + count) for one in (whole.weight, scale, shift)]
        made.append(Affine(*pieces))
        start += count
    return made


def _outputs(side: Side, layer: str) -> int:
    """How many outputs a weighted product has."""
    weight = next(one for one in side.weights[layer] if one.role == "weight")
    return weight.shape[-1 if side.layers[layer].operator == "MatMul" else 0]
