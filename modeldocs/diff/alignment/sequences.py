"""Sequences aligned by dynamic programming, the longest run that grows, and bounds of depth."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Final

import numpy as np
import numpy.typing as npt

Table = npt.NDArray[np.float32]


def align_sequences(scores: Sequence[Sequence[float]]) -> list[tuple[int, int]]:
    """The pairs (row, column), in order of both, with the greatest sum of scores; 0 is no pair.

    Needleman-Wunsch without a gap penalty. Of equally good pairs the earliest are taken.
    """
    if not scores or not scores[0]:
        return []
    n, m = len(scores), len(scores[0])
    best = [[0.0] * (m + 1) for _ in range(n + 1)]
    for x in range(n - 1, -1, -1):
        here, below, row = best[x], best[x + 1], scores[x]
        for y in range(m - 1, -1, -1):
            score = row[y]
            here[y] = max(below[y], here[y + 1], below[y + 1] + score if score else 0.0)
    return _traced_forward(best, scores)


def _traced_forward(
    best: list[list[float]], scores: Sequence[Sequence[float]]
) -> list[tuple[int, int]]:
    x = y = 0
    pairs = []
    while x < len(scores) and y < len(scores[0]):
        score = scores[x][y]
        if score and best[x][y] == best[x + 1][y + 1] + score:
            pairs.append((x, y))
            x, y = x + 1, y + 1
        elif best[x][y] == best[x + 1][y]:
            x += 1
        else:
            y += 1
    return pairs


_CONSECUTIVE: Final = 3.0
"""What it adds that a pair follows another directly in both sequences: what only one of them has
is then left out in one piece. With 6 a diff of tests/diff changes, with 1.5 none."""


@dataclass(slots=True)
class ScoreBand:
    """The scores of consecutive rows with the columns from `low` on; 0 is no pair."""

    low: int
    scores: Table


def best_path(bands: Iterable[ScoreBand]) -> list[tuple[int, int]]:
    """The pairs (row, column) with the greatest sum of scores: banded Needleman-Wunsch.

    The bands have all rows in order. Each begins at the column where the one before it begins, or
    later, and before it ends.
    """
    rows: list[_BestSums] = []
    for band in bands:
        width = band.scores.shape[1] + 1
        before = rows[-1] if rows else _first(width)
        rows = rows or [before]
        last = before.moved(band.low, width)
        for scores in band.scores:
            last = _next(last, scores)
            rows.append(last)
    return _traced_back(rows) if rows else []


@dataclass(slots=True)
class _BestSums:
    """Best sums up to each column, from `low` on; `ending` those whose last pair is in it."""

    low: int
    best: Table
    ending: Table

    def moved(self, low: int, width: int) -> _BestSums:
        """The same for another range of columns."""
        if (low, width) == (self.low, len(self.best)):
            return self
        shift = low - self.low
        best = np.full(width, self.best[-1], np.float32)
        ending = np.full(width, -np.inf, np.float32)
        common = min(width, len(self.best) - shift)
        best[:common] = self.best[shift : shift + common]
        ending[:common] = self.ending[shift : shift + common]
        return _BestSums(low, best, ending)

    def at(self, column: int) -> tuple[float, float]:
        """The best sum up to a column, and the best whose last pair is in it."""
        place = column - self.low
        if place >= len(self.best):
            return float(self.best[-1]), -np.inf
        return float(self.best[place]), float(self.ending[place])


def _first(width: int) -> _BestSums:
    return _BestSums(0, np.zeros(width, np.float32), np.full(width, -np.inf, np.float32))


def _next(row: _BestSums, scores: Table) -> _BestSums:
    before = np.maximum(row.ending[:-1] + _CONSECUTIVE, row.best[:-1])
    ending = np.full(len(row.best), -np.inf, np.float32)
    ending[1:] = np.where(scores > 0, before + scores, -np.inf)
    best = np.maximum(row.best, ending)
    np.maximum.accumulate(best, out=best)
    return _BestSums(row.low, best, ending)


def _traced_back(rows: list[_BestSums]) -> list[tuple[int, int]]:
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
            paired = ending + _CONSECUTIVE >= best
        elif best == rows[x - 1].at(y)[0]:
            x -= 1
        else:
            y -= 1
    return pairs[::-1]


def longest_nondecreasing(numbers: Sequence[int]) -> list[int]:
    """The indices of a longest subsequence of which no number is less than the one before."""
    tails: list[int] = []
    last: list[int] = []
    before: list[int] = []
    for index, number in enumerate(numbers):
        at = bisect_right(tails, number)
        before.append(last[at - 1] if at else -1)
        tails[at : at + 1], last[at : at + 1] = [number], [index]
    run = []
    index = last[-1] if last else -1
    while index >= 0:
        run.append(index)
        index = before[index]
    return run[::-1]


_DEEPEST: Final = 1 << 62

_SLACK: Final = 1
"""Steps by which a pair may be shifted further than the pairs above and below it: a layer that is
gone below the one may make up for a layer that is new above the other. With 0 or 3 no diff of
tests/diff or of the catalog changes."""


class DepthBounds:
    """The depths that a pair may have in both graphs without crossing the pairs that are given."""

    def __init__(self, pairs: Sequence[tuple[int, int]]) -> None:
        ordered = sorted(pairs)
        self._depths = [depth for depth, _ in ordered]
        self._shifts = [other - depth for depth, other in ordered]
        self._least = list(accumulate((other for _, other in ordered), max, initial=-1))
        deepest = accumulate((other for _, other in reversed(ordered)), min, initial=_DEEPEST)
        self._most = list(deepest)[::-1]

    def contains(self, depth: int, other: int) -> bool:
        """Whether a pair of these depths crosses none of those above it and below it."""
        above, below = bisect_left(self._depths, depth), bisect_right(self._depths, depth)
        return self._least[above] <= other <= self._most[below]

    def is_level(self, depth: int, other: int) -> bool:
        """Whether a pair is hardly further shifted than the nearest above it and below it."""
        above, below = bisect_left(self._depths, depth), bisect_right(self._depths, depth)
        if not above or below == len(self._depths):
            return True
        ends = self._shifts[above - 1], self._shifts[below]
        return min(ends) - _SLACK <= other - depth <= max(ends) + _SLACK
