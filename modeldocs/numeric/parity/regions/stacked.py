"""Weights of equal members that one network stores in one array, found by running what has them."""

from __future__ import annotations

import math
import time
from collections.abc import Mapping
from typing import Final

import numpy as np

from modeldocs.numeric.parity import stacked_weights
from modeldocs.numeric.parity.affine import Expressions
from modeldocs.numeric.parity.evaluation import evaluate
from modeldocs.numeric.parity.regions.search import RegionSearch, SearchState
from modeldocs.numeric.parity.transfer import Transfer

_SECONDS: Final = 6.0
"""Time for trying ways of joining."""


def found(
    state: SearchState, transferred: Transfer, sources: Mapping[str, np.ndarray]
) -> Expressions:
    """B's stacks or members, joined in the way with which most of what reads them is equal, or,
    where nothing is, nearest to A's numbers.

    `sources` are the values of A's stored weights.
    """
    best, nearest = Expressions(), (0, -math.inf)
    lacking = _lacking(transferred)
    numbers, dropped = _reaching(state, lacking) if lacking else ([], set[int]())
    until = time.monotonic() + _SECONDS
    for way in stacked_weights.candidates(transferred) if numbers else ():
        arrays = {name: evaluate(one, sources).astype(np.float32) for name, one in way.items()}
        every = [_apart(state.search, one, dropped, arrays) for one in numbers]
        near = every.count(0.0), -min(every)
        if near > nearest:
            best, nearest = way, near
        if near[0] == len(numbers) or time.monotonic() > until:
            break
    return best


def _apart(
    search: RegionSearch, number: int, dropped: set[int], weights: Mapping[str, np.ndarray]
) -> float:
    """How far a group is from A's numbers with some weights, computed of what is not `dropped`: 0
    where it is equal.
    """
    behind = (dropped | search.joined.keys()) - {number}
    found = search.runs.one(number, behind, weights=dict(weights))
    if search.is_equal(number, found):
        return 0.0
    return math.inf if found.difference is None or found.unlike else found.difference.size()


def _lacking(transferred: Transfer) -> set[str]:
    """The layers of B with weights that nothing gives."""
    unset = set(transferred.unset)
    return {
        layer
        for layer, weights in transferred.b.weights.items()
        if any(weight.name in unset for weight in weights)
    }


def _reaching(state: SearchState, layers: set[str]) -> tuple[list[int], set[int]]:
    """The groups whose regions have some layers of B, and those that are not cut behind for that:
    what differs, and what reads it.
    """
    frontiers, dropped = state.search.runs.frontiers, state.not_equal | state.search.unlike()
    dropped |= {n for n, one in enumerate(frontiers.groups) if not layers.isdisjoint(one.b.ids)}
    numbers = [
        one
        for one in sorted(dropped | state.search.readers_of(dropped))
        if not layers.isdisjoint(
            {*frontiers.region(one, dropped - {one}).inner[1], *frontiers.group(one).b.ids}
        )
    ]
    return numbers, dropped
