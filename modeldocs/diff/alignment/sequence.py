"""Order: sequences aligned, and the longest run that grows."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from itertools import accumulate
from typing import Final


def in_order(worth: Sequence[Sequence[float]]) -> list[tuple[int, int]]:
    """Pairs (row, column) in order of both that are worth most altogether; 0 is no pair.

    Needleman-Wunsch, where leaving an entry out costs nothing. Of equally good ones the
    earliest columns and rows are taken.
    """
    if not worth or not worth[0]:
        return []
    n, m = len(worth), len(worth[0])
    best = [[0.0] * (m + 1) for _ in range(n + 1)]
    for x in range(n - 1, -1, -1):
        here, below, row = best[x], best[x + 1], worth[x]
        for y in range(m - 1, -1, -1):
            value = row[y]
            here[y] = max(below[y], here[y + 1], below[y + 1] + value if value else 0.0)
    return _walked(best, worth)


def _walked(best: list[list[float]], worth: Sequence[Sequence[float]]) -> list[tuple[int, int]]:
    x = y = 0
    pairs = []
    while x < len(worth) and y < len(worth[0]):
        value = worth[x][y]
        if value and best[x][y] == best[x + 1][y + 1] + value:
            pairs.append((x, y))
            x, y = x + 1, y + 1
        elif best[x][y] == best[x + 1][y]:
            x += 1
        else:
            y += 1
    return pairs


def growing(numbers: Sequence[int]) -> list[int]:
    """The indices of a longest run of numbers of which none is less than the one before."""
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


class Bounds:
    """Pairs of depths: how deep a further pair may lie without standing across them."""

    def __init__(self, pairs: Sequence[tuple[int, int]]) -> None:
        ordered = sorted(pairs)
        self._depths = [depth for depth, _ in ordered]
        self._shifts = [other - depth for depth, other in ordered]
        self._least = list(accumulate((other for _, other in ordered), max, initial=-1))
        deepest = accumulate((other for _, other in reversed(ordered)), min, initial=_DEEP)
        self._most = list(deepest)[::-1]

    def hold(self, depth: int, other: int) -> bool:
        """Whether a pair of these depths lies between those above it and those below."""
        above, below = bisect_left(self._depths, depth), bisect_right(self._depths, depth)
        return self._least[above] <= other <= self._most[below]

    def level(self, depth: int, other: int) -> bool:
        """Whether a pair is shifted hardly further than the nearest above it and below it."""
        above, below = bisect_left(self._depths, depth), bisect_right(self._depths, depth)
        if not above or below == len(self._depths):
            return True
        ends = self._shifts[above - 1], self._shifts[below]
        return min(ends) - _SLACK <= other - depth <= max(ends) + _SLACK


_DEEP: Final = 1 << 62

_SLACK: Final = 1
"""Steps by which what lies between two pairs may be shifted further than they are: a layer that
is gone behind the one makes up for one that is new before the other.
"""
