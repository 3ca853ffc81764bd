"""Slopes: biases that grow with the distance of query and key, for each head by its own slope."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from modeldocs.diff import Law
from modeldocs.numeric.parity.regions.laws.law import same, step

_TOLERANCE = 1e-5
HIDING = 1e4
"""A bias of this size hides a key from its query."""


@dataclass(frozen=True)
class Slopes:
    """By head: how much less a key counts for each place that it is behind its query.

    `sign` is -1 where the table is subtracted, `table` what of it is no slope: the rest of its
    values, such as those that hide what comes later.
    """

    NUMBERS: ClassVar[tuple[str, ...]] = ("slopes",)

    slopes: tuple[float, ...]
    sign: int
    table: np.ndarray = field(compare=False, repr=False)

    def array(self) -> np.ndarray:
        """The biases."""
        ahead = _ahead(self.table.shape)
        slopes = np.array(self.slopes).reshape(-1, 1, 1)
        made = (self.sign * slopes * ahead).reshape(self.table.shape)
        return np.where(_is_bias(self.table), made, self.table).astype(self.table.dtype)

    def difference(self, other: Slopes) -> Iterator[Law]:
        """Another ratio from slope to slope, another first slope, or another order."""
        ours, theirs = self.slopes, other.slopes
        if len(ours) == len(theirs):
            if same(ours, theirs[::-1]):
                yield Law("slopes reversed")
                return
            factors = {theirs[0] / ours[0], theirs[-1] / ours[-1]}
            if all(same(y, x * theirs[0] / ours[0]) for x, y in zip(ours, theirs, strict=True)):
                yield step("factor of slopes", 1.0, min(factors))
                return
        ratios = [_ratio(one) for one in (ours, theirs)]
        if ratios[0] is not None and ratios[1] is not None:
            yield step("ratio of slopes", ratios[0], ratios[1])
        else:
            yield Law("slopes")


def slopes(array: np.ndarray) -> Slopes | None:
    """The slopes of a table whose last three axes are heads, queries and keys; None for others."""
    if array.dtype.kind != "f" or array.ndim < 3 or array.ndim > 4 or min(array.shape[-2:]) < 3:
        return None
    if array.ndim == 4 and array.shape[0] != 1:
        return None
    table = array.reshape(array.shape[-3:]).astype(np.float64)
    known = _is_bias(table)
    ahead = np.where(known, _ahead(table.shape), 0)
    held = np.where(known, table, 0)
    squares = (ahead**2).sum((1, 2))
    if not squares.all():
        return None
    by_head = (held * ahead).sum((1, 2)) / squares
    apart = np.abs(held - by_head.reshape(-1, 1, 1) * ahead).max()
    if not by_head.all() or apart > _TOLERANCE * np.abs(held).max():
        return None
    if len(np.unique(np.sign(by_head))) != 1:
        return None
    sign = int(np.sign(by_head[0]))
    return Slopes(tuple(float(one) for one in np.abs(by_head)), sign, array)


def _ahead(shape: tuple[int, ...]) -> np.ndarray:
    rows, columns = shape[-2:]
    return np.arange(columns)[None, :] - np.arange(rows)[:, None]


def _is_bias(table: np.ndarray) -> np.ndarray:
    """Where a table's values are not so low that they hide."""
    is_bias: np.ndarray = np.isfinite(table) & (np.abs(table) < HIDING)
    return is_bias


def _ratio(numbers: tuple[float, ...]) -> float | None:
    """The ratio from each number to the next, where it is one."""
    found = [y / x for x, y in itertools.pairwise(numbers)]
    return found[0] if found and all(same(one, found[0]) for one in found) else None
