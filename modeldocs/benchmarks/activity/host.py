"""Operators of the host's processor as columns, and the `host_operators` section from them.

Times are whole nanoseconds. At each moment a thread is in one operator: of those under way, the one
that began last. An operator's self time is what it has of that, its duration less the union of the
operators that it calls; the self times of a thread add up to the union of its operators.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Hashable

import numpy as np
import numpy.typing as npt

from modeldocs.benchmarks.activity.events import MAX_NS, MAX_WINDOW_NS, Times
from modeldocs.benchmarks.activity.intervals import Intervals
from modeldocs.benchmarks.measurements import HostOperator

MAX_OPERATORS = 30
"""Operators that a record keeps."""

_INPUT = re.compile(r"DataLoader\w*\.__next__|^IteratorGetNext")
_WAITS = re.compile(r"(?:cuda|cu|hip)(?:\w*Synchronize|Memcpy(?!\w*Async))\w*")


def is_input(name: str) -> bool:
    """Whether the operator of that name waits for the next batch of an input pipeline.

    They are the iterators of PyTorch's DataLoader and of TensorFlow's datasets.
    """
    return _INPUT.search(name) is not None


def waits(name: str) -> bool:
    """Whether the call of that name returns when the device has finished: a synchronisation, or a
    copy that blocks.
    """
    return _WAITS.fullmatch(name) is not None


class HostColumns:
    """What the host did, while it is read: operators, steps, and calls that wait for the device.

    Each method raises a ValueError, whose message is a clause, for a time that cannot be.
    """

    def __init__(self) -> None:
        self._thread = array("i")
        self._name = array("i")
        self._start = array("q")
        self._duration = array("q")
        self._threads: dict[Hashable, int] = {}
        self._names: dict[str, int] = {}
        self._steps = array("q"), array("q")
        self._waits = array("q"), array("q")

    def __len__(self) -> int:
        return len(self._start)

    @property
    def steps(self) -> int:
        """Steps that the trace marks."""
        return len(self._steps[0])

    def operator(self, thread: Hashable, name: str, start: int, duration: int) -> None:
        """Add an operator that ran on a thread."""
        _check(start, duration)
        self._thread.append(self._threads.setdefault(thread, len(self._threads)))
        self._name.append(self._names.setdefault(name, len(self._names)))
        self._start.append(start)
        self._duration.append(duration)

    def step(self, start: int, duration: int) -> None:
        """Add a step of the loop that was traced."""
        _check(start, duration)
        self._steps[0].append(start)
        self._steps[1].append(start + duration)

    def wait(self, start: int, duration: int) -> None:
        """Add a call that waited for the device."""
        _check(start, duration)
        self._waits[0].append(start)
        self._waits[1].append(start + duration)

    def input(self) -> Intervals:
        """When some thread was in an operator of the input pipeline."""
        wanted = np.array([is_input(name) for name in self._names], dtype=np.bool_)
        these = wanted[_numbers(self._name)] if len(self) else np.zeros(0, dtype=np.bool_)
        start = _times(self._start)[these]
        return Intervals.union(start, start + _times(self._duration)[these])

    def waiting(self) -> Intervals:
        """When some thread waited for the device."""
        return Intervals.union(_times(self._waits[0]), _times(self._waits[1]))

    def operators(self) -> tuple[HostOperator, ...] | None:
        """The operators with the longest self times, None where there are none.

        Calls and times are means per step over those that began in a step, and totals where the
        trace marks no steps.
        """
        name, own = _numbers(self._name), self._self_times()
        counted = np.ones(len(self), dtype=np.bool_)
        if self.steps:
            steps = Intervals.union(*(_times(bounds) for bounds in self._steps))
            counted = steps.hold(_times(self._start))
        if not counted.any():
            return None
        calls = np.bincount(name[counted], minlength=len(self._names))
        times = np.zeros(len(self._names), dtype=np.int64)
        np.add.at(times, name[counted], own[counted])
        names, each = list(self._names), self.steps or 1
        order = sorted(np.flatnonzero(calls), key=lambda i: (-int(times[i]), names[i]))
        return tuple(
            HostOperator(
                name=names[i],
                n=round(int(calls[i]) / each, 3),
                self_us=round(int(times[i]) / each / 1000, 3),
            )
            for i in order[:MAX_OPERATORS]
        )

    def _self_times(self) -> Times:
        """The self time of each operator."""
        start, duration = _times(self._start), _times(self._duration)
        threads = _numbers(self._thread)
        own = np.zeros(len(self), dtype=np.int64)
        # Of operators that begin at one time, the longest calls the others.
        order = np.lexsort((-duration, start, threads))
        ends = np.flatnonzero(np.diff(threads[order])) + 1
        for rows in np.split(order, ends):
            beginning = start[rows].tolist()
            end = (start[rows] + duration[rows]).tolist()
            own[rows] = innermost(beginning, end)
        return own


def innermost(start: list[int], end: list[int]) -> list[int]:
    """The time in which each interval is the last begun of those under way, given in order."""
    own = [0] * len(start)
    open_: list[int] = []
    at = 0

    def close(until: int) -> None:
        nonlocal at
        while open_ and end[open_[-1]] <= until:
            top = open_.pop()
            if end[top] > at:
                own[top] += end[top] - at
                at = end[top]

    for number, begins in enumerate(start):
        close(begins)
        if open_:
            own[open_[-1]] += begins - at
        at = begins
        open_.append(number)
    close(max(end, default=0))
    return own


def _check(start: int, duration: int) -> None:
    if not 0 <= start <= MAX_NS:
        raise ValueError(f"starts at {start / 1e3:g} µs")
    if not 0 <= duration <= MAX_WINDOW_NS:
        raise ValueError(f"takes {duration / 1e3:g} µs")


def _times(values: array[int]) -> Times:
    return np.frombuffer(values, dtype=np.int64)


def _numbers(values: array[int]) -> npt.NDArray[np.int32]:
    return np.frombuffer(values, dtype=np.int32)
