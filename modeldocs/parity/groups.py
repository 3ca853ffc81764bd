"""Weights carried between groups of layers: fused here, in pieces there."""

from __future__ import annotations

import numpy as np

from modeldocs.parity import affine, order
from modeldocs.parity.affine import Affine, UnsuitableError
from modeldocs.parity.side import Side
from modeldocs.parity.unit import Unit

Arrays = dict[str, np.ndarray]


def carried(a: Side, b: Side, unit: Unit, held: Arrays) -> tuple[Arrays, list[str]]:
    """B's stored values of a unit, of A's in `held`, and sentences on what was permuted.

    Raises:
        UnsuitableError: B's layers cannot hold what A's compute.
    """
    ours, theirs = unit.pair
    left, right = _weighted(a, ours), _weighted(b, theirs)
    if len(left) == len(right):
        given = affine.read(a, ours, held)
        told = _permute(a, b, given, left, right)
        return affine.write(b, theirs, given), told
    if len(right) == 1:
        parts = [affine.read(a, (name,), held) for name in _ordered(unit, left, a, of_a=True)]
        return affine.write(b, (right[0],), _joined(parts)), []
    if len(left) == 1:
        whole = affine.read(a, (left[0],), held)
        names = _ordered(unit, right, b, of_a=False)
        made: Arrays = {}
        for name, part in zip(names, _parted(whole, names, b), strict=True):
            made |= affine.write(b, (name,), part)
        return made, []
    raise UnsuitableError


def _weighted(side: Side, ids: tuple[str, ...]) -> list[str]:
    return [n for n in ids if side.layers[n].operator in affine.LINEAR and side.weights[n]]


def _permute(a: Side, b: Side, given: Affine, left: list[str], right: list[str]) -> list[str]:
    """Put the columns of a weight where B finds their features."""
    places = order.permutation(a, b, left[0], right[0]) if left else None
    if places is None or given.weight is None or given.weight[0].size != len(places):
        return []
    given.weight = order.columns(given.weight, places)
    return [order.told(a, b, left[0], right[0])]


def _ordered(unit: Unit, pieces: list[str], side: Side, *, of_a: bool) -> list[str]:
    """The pieces in the order in which the fused layer has them: that of what reads them."""
    half = unit.a if of_a else unit.b
    places = [i if of_a else j for i, j in sorted(unit.given, key=lambda p: p[1 if of_a else 0])]
    makers = [half.gives[place].producer() for place in places]
    found = [name for node in makers for name in pieces if side.nodes[name] is node]
    return found if sorted(found) == sorted(pieces) else pieces


def _joined(parts: list[Affine]) -> Affine:
    """Several weighted layers as one that has the outputs of all."""
    weights = [part.weight for part in parts if part.weight is not None]
    if len(weights) != len(parts) or len({weight.shape[1:] for weight in weights}) != 1:
        raise UnsuitableError
    spread = [np.broadcast_to(p.shift, len(w)) for p, w in zip(parts, weights, strict=True)]
    return Affine(np.concatenate(weights), np.ones(1), np.concatenate(spread))


def _parted(whole: Affine, names: list[str], side: Side) -> list[Affine]:
    """One weighted layer as several, by the number of their outputs."""
    counts = [next(w.shape[0] for w in side.weights[n] if w.role == "weight") for n in names]
    if whole.weight is None or sum(counts) != len(whole.weight):
        raise UnsuitableError
    ends = np.cumsum(counts)[:-1]
    shift = np.broadcast_to(whole.shift, len(whole.weight))
    pieces = zip(np.split(whole.weight, ends), np.split(shift, ends), strict=True)
    return [Affine(weight, np.ones(1), part) for weight, part in pieces]
