"""Intervals of time that do not overlap, in whole nanoseconds."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from modeldocs.benchmarks.activity.events import Times


@dataclass(frozen=True)
class Intervals:
    """Sorted intervals from `start` to `end`, with a gap between any two."""

    start: Times
    end: Times

    @classmethod
    def union(cls, start: Times, end: Times) -> Intervals:
        """The union of intervals of any order."""
        order = np.argsort(start, kind="stable")
        start, reach = start[order], np.maximum.accumulate(end[order])
        first = np.ones(len(start), dtype=np.bool_)
        first[1:] = start[1:] > reach[:-1]
        last = np.roll(first, -1)
        return cls(start=start[first], end=reach[last])

    def hold(self, times: Times) -> npt.NDArray[np.bool_]:
        """Whether each time lies in an interval, its bounds included."""
        place = np.searchsorted(self.start, times, side="right") - 1
        if not len(self.start):
            return np.zeros(len(times), dtype=np.bool_)
        return (place >= 0) & (times <= self.end[np.maximum(place, 0)])

    def within(self, start: Times, end: Times) -> Times:
        """The time of these intervals that lies in each of some spans."""
        return self._until(end) - self._until(start)

    def _until(self, times: Times) -> Times:
        """The time of these intervals before each of some times."""
        if not len(self.start):
            return np.zeros(len(times), dtype=np.int64)
        length = self.end - self.start
        before = np.concatenate([[0], np.cumsum(length)[:-1]])
        place = np.searchsorted(self.start, times, side="right") - 1
        held = np.maximum(place, 0)
        inside = np.clip(times - self.start[held], 0, length[held])
        return np.where(place >= 0, before[held] + inside, 0)
