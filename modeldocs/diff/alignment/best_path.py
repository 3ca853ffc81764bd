"""The pairs of two sequences, in order of both, that are worth most altogether."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

_NEXT: Final = 3.0
"""What it counts that a pair follows another on both sides, so that what only one side has is left
out in one piece."""

Table = npt.NDArray[np.float32]


@dataclass(slots=True)
class Stretch:
    """What pairs of some rows, one behind the other, are worth with columns from `low` on."""

    low: int
    worth: Table
    """A row a row; 0 where two are no counterparts."""


@dataclass(slots=True)
class _Row:
    """Best sums with so many columns, from `low` on; `ending` those that end in a pair of them."""

    low: int
    best: Table
    ending: Table

    def moved(self, low: int, width: int) -> _Row:
        """The same for another range of columns."""
        if (low, width) == (self.low, len(self.best)):
            return self
        shift = low - self.low
        best = np.full(width, self.best[-1], np.float32)
        ending = np.full(width, -np.inf, np.float32)
        kept = min(width, len(self.best) - shift)
        best[:kept], ending[:kept] = (
            held[shift : shift + kept] for held in (self.best, self.ending)
        )
        return _Row(low, best, ending)

    def at(self, column: int) -> tuple[float, float]:
        """The best sum with so many columns, and the one that ends in a pair."""
        place = column - self.low
        if place >= len(self.best):
            return float(self.best[-1]), -np.inf
        return float(self.best[place]), float(self.ending[place])


def best_path(stretches: Iterable[Stretch]) -> list[tuple[int, int]]:
    """Pairs (row, column): Needleman-Wunsch, within the columns that each stretch has.

    Those of a stretch begin where those of the one before it do, or later, and before they end.
    """
    rows: list[_Row] = []
    for stretch in stretches:
        width = stretch.worth.shape[1] + 1
        before = rows[-1] if rows else _first(width)
        rows = rows or [before]
        last = before.moved(stretch.low, width)
        for worth in stretch.worth:
            last = _behind(last, worth)
            rows.append(last)
    return _traced(rows) if rows else []


def _first(width: int) -> _Row:
    return _Row(0, np.zeros(width, np.float32), np.full(width, -np.inf, np.float32))


def _behind(row: _Row, worth: Table) -> _Row:
    before = np.maximum(row.ending[:-1] + _NEXT, row.best[:-1])
    ending = np.full(len(row.best), -np.inf, np.float32)
    ending[1:] = np.where(worth > 0, before + worth, -np.inf)
    best = np.maximum(row.best, ending)
    np.maximum.accumulate(best, out=best)
    return _Row(row.low, best, ending)


def _traced(rows: list[_Row]) -> list[tuple[int, int]]:
    pairs = []
    x, y = len(rows) - 1, rows[-1].low + len(rows[-1].best) - 1
    paired = False
    while x and y:
        best, ending = rows[x].at(y)
        if y == rows[x].low:
            x -= 1
        elif paired or best == ending:
            pairs.append((x - 1, y - 1))
            x, y = x - 1, y - 1
            best, ending = rows[x].at(y)
            paired = ending + _NEXT >= best
        elif best == rows[x - 1].at(y)[0]:
            x -= 1
        else:
            y -= 1
    return pairs[::-1]
