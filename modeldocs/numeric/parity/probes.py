"""Probes: inputs on which the mistakes that a layer may have make a difference.

Signed values before a pool (padding with zeros differs from padding with minus infinity), both
sides of a clip's bounds, ±2.7 before a GELU (where its two forms differ most), rows of small
variance before a norm, short ones before an L2 norm, large ones before an LRN.
"""

from __future__ import annotations

import math

import numpy as np

from modeldocs.ir import Layer, operators
from modeldocs.numeric.parity import scales
from modeldocs.numeric.parity.weight_init import SeededRandom

_GOLDEN = (math.sqrt(5) - 1) / 2
_SHORTEST = 1e-12
"""The least length of a row: squares of smaller elements lose digits in float32."""
_POSITIVE_RANGE = 0.5, 2.0
"""Operands that must be positive: far from zero, where a logarithm or a quotient is unbounded."""
_ROW_EXPONENTS = -0.5, 1.0
"""Powers of ten between which the scales of rows are drawn, relative to that at which the epsilon
is as large as what it is added to: it decides the output of the smallest rows, and hardly matters
for the largest. With 2.0 to 3.0 it does not show, and two tests of tests/numeric/parity fail."""
_POOL_SHIFT = 0.5
"""Standard deviations by which inputs of a pool are shifted below zero: windows at a border are
then negative more often, so that zeros around the input differ from the pool's own padding.
tests/numeric/parity pass without it."""
_RANGES = {
    **dict.fromkeys(operators.named(smooth_rectifier=True), 4.0),
    **dict.fromkeys(operators.named(saturating=True), 4.0),
    "Erf": 3.0,
}
"""Nonlinear operators, with the bound of the evenly spread values that they are given."""


def probe(
    random: SeededRandom,
    name: str,
    shape: tuple[int, ...],
    readers: list[tuple[Layer, int]],
    scale: float,
    *,
    usual: bool = False,
) -> np.ndarray:
    """float32 values for layers that read them, each in a slot.

    `scale` is the scale that the layers' weights were designed for. With `usual`, no row is so
    small that the epsilon of a norm shows.
    """
    if any(operators.of(layer.operator).positive == slot for layer, slot in readers):
        return random.uniform(name, shape, *_POSITIVE_RANGE)
    if not usual and any(layer.operator == "LpNormalization" for layer, _ in readers):
        return _rows_by_length(random, name, shape, [layer for layer, _ in readers])
    for layer, _ in readers:
        operator = layer.operator
        if operator in _RANGES:
            return _evenly_spread(shape, -_RANGES[operator], _RANGES[operator])
        if operator == "Clip":
            return _around_bounds(layer, shape)
        if not usual and operators.of(operator).own_statistics:
            return _rows_by_variance(random, name, shape, layer)
        if operator == "LRN":
            return random.normal(name, shape) * np.float32(scales.operand_scale(layer))
        if "Pool" in operator:
            return (random.normal(name, shape) - np.float32(_POOL_SHIFT)) * np.float32(scale)
    return random.scaled(name, shape, scale)


def _evenly_spread(shape: tuple[int, ...], low: float, high: float) -> np.ndarray:
    """Values spread evenly between two bounds, in a scattered order."""
    fractions = (np.arange(math.prod(shape), dtype=np.float64) * _GOLDEN) % 1.0
    return np.asarray(low + (high - low) * fractions, np.float32).reshape(shape)


def _around_bounds(layer: Layer, shape: tuple[int, ...]) -> np.ndarray:
    """Values on both sides of a Clip's bounds."""
    low, high = (layer.attributes.get(name) for name in ("min", "max"))
    bounds = [
        float(bound) for bound in (low, high) if isinstance(bound, int | float) and abs(bound) < 1e4
    ]
    low_bound, high_bound = min(bounds, default=-1.0), max(bounds, default=1.0)
    margin = max(high_bound - low_bound, 1.0) / 2
    return _evenly_spread(shape, low_bound - margin, high_bound + margin)


def _rows_by_length(
    random: SeededRandom, name: str, shape: tuple[int, ...], readers: list[Layer]
) -> np.ndarray:
    """Rows of various L2 norms, around the epsilon that keeps a norm from being zero."""
    norms = [layer for layer in readers if layer.operator == "LpNormalization"]
    axis = int(norms[0].number("axis", -1)) % max(len(shape), 1)
    epsilon = max(layer.number("epsilon", 0.0) for layer in norms)
    values = random.normal(name, shape)
    if epsilon <= 0:
        return values
    rows = (*shape[:axis], 1, *shape[axis + 1 :])
    power = random.uniform(f"{name} rows", rows, *_ROW_EXPONENTS)
    length = max(epsilon, _SHORTEST) / math.sqrt(shape[axis])
    return np.asarray(values * (length * 10.0**power), np.float32)


def _rows_by_variance(
    random: SeededRandom, name: str, shape: tuple[int, ...], layer: Layer
) -> np.ndarray:
    """Rows of various scales, around the root of the epsilon added to their variance."""
    values = random.normal(name, shape)
    of_last = not operators.of(layer.operator).channels_first
    rows = (*shape[:-1], 1) if of_last else (*shape[:2], *(1,) * (len(shape) - 2))
    power = random.uniform(f"{name} rows", rows, *_ROW_EXPONENTS)
    return np.asarray(values * (scales.operand_scale(layer) * 10.0**power), np.float32)
