"""The values that weights must have for a region to give wanted numbers, where each of its outputs
depends on at most one element of a weight: biases, scales, tables of positions, tokens.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

Arrays = dict[str, np.ndarray]
Outputs = np.ndarray
"""All outputs of a region, in one row (float64)."""
Run = Callable[[Arrays], Outputs]
"""The outputs of a region with some weights."""

_LEAST = 1e-4
"""Share of the largest factor below which an output does not depend on a weight."""
_NEAR = 0.05
"""Distance of a number from an integer up to which it is that integer, rounded."""


@dataclass(frozen=True)
class _Dependence:
    """How outputs depend on a weight: `factors` times the elements `places`; -1 for none."""

    factors: np.ndarray
    places: np.ndarray


def solved(run: Run, wanted: Outputs, shapes: Mapping[str, tuple[int, ...]]) -> Arrays:
    """The weights with which `run` gives the wanted outputs as nearly as any; those that outputs
    depend on otherwise are left out. Elements that no output depends on are 0.

    Weights that every output depends on by the same element are found together, others one after
    the other, the smallest first.
    """
    found: Arrays = {}
    zeros = {name: np.zeros(shape) for name, shape in shapes.items()}
    start = run(zeros)
    if start.shape != wanted.shape or not np.isfinite(start).all():
        return found
    known = {
        name: one
        for name, shape in shapes.items()
        if (one := _dependence(run, start, zeros, name, shape)) is not None
    }
    for names in _together(known):
        left = wanted - run(zeros | found)
        values = _fitted([known[name] for name in names], left)
        sizes = [np.prod(shapes[name], dtype=int) for name in names]
        found |= {
            name: np.pad(one, (0, max(size - one.size, 0)))[:size].reshape(shapes[name])
            for name, one, size in zip(names, values, sizes, strict=True)
        }
    return found


def _dependence(
    run: Run, start: Outputs, zeros: Arrays, name: str, shape: tuple[int, ...]
) -> _Dependence | None:
    """How outputs depend on a weight; None if not on one element each, in proportion."""
    numbers = np.arange(1.0, np.prod(shape, dtype=int) + 1).reshape(shape)
    factors = run(zeros | {name: np.ones(shape)}) - start
    moved = run(zeros | {name: numbers}) - start
    if not np.isfinite(factors).all() or not np.isfinite(moved).all():
        return None
    depends = np.abs(factors) > _LEAST * max(float(np.abs(factors).max()), 1e-9)
    if not depends.any():
        return None
    places = np.full(factors.shape, -1)
    ratio = moved[depends] / factors[depends]
    nearest = np.rint(ratio)
    if np.abs(ratio - nearest).max() > _NEAR or nearest.min() < 1 or nearest.max() > numbers.size:
        return None
    places[depends] = nearest.astype(int) - 1
    return _Dependence(np.where(depends, factors, 0.0), places)


def _together(known: dict[str, _Dependence]) -> list[list[str]]:
    """Names of weights, those together on which outputs depend by the same elements."""
    groups: list[list[str]] = []
    for name, one in sorted(known.items(), key=lambda item: int(item[1].places.max())):
        for group in groups:
            if np.array_equal(known[group[0]].places, one.places):
                group.append(name)
                break
        else:
            groups.append([name])
    return groups


def _fitted(known: Sequence[_Dependence], wanted: Outputs) -> list[np.ndarray]:
    """The elements of weights, by least squares for each place."""
    places = known[0].places
    count, used = int(places.max()) + 1, places >= 0
    at = places[used]
    factors = [one.factors[used] for one in known]
    normal = np.zeros((count, len(known), len(known)))
    right = np.zeros((count, len(known)))
    for i, first in enumerate(factors):
        np.add.at(right[:, i], at, first * wanted[used])
        for j, second in enumerate(factors):
            np.add.at(normal[:, i, j], at, first * second)
    values = np.einsum("kij,kj->ki", np.linalg.pinv(normal, hermitian=True), right)
    return [values[:, i] for i in range(len(known))]
