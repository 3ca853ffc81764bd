"""Events on one device as columns: kernels, collectives, copies and memsets.

Times are whole nanoseconds, so that sums and differences of them are exact.
"""

from __future__ import annotations

from array import array
from dataclasses import dataclass
from enum import IntEnum
from typing import get_args

import numpy as np
import numpy.typing as npt

from modeldocs.benchmarks.activity.names import is_collective
from modeldocs.benchmarks.measurements import CopyKind

COPY_KINDS: tuple[CopyKind, ...] = get_args(CopyKind)

UNKNOWN = -1
"""A size, a time of launch, a direction or a name that is not known."""

MAX_NS = 2**62
"""Latest time; the sum of a start and a duration must fit 64 bits."""
MAX_BYTES = 2**50
"""Largest copy."""
MAX_WINDOW_NS = 7 * 24 * 3600 * 10**9
"""Longest time that the events of one trace may span: a week."""

Times = npt.NDArray[np.int64]


class EventKind(IntEnum):
    """What an event is."""

    KERNEL = 0
    COLLECTIVE = 1
    COPY = 2
    MEMSET = 3


@dataclass(frozen=True)
class Events:
    """Columns of equal length, one row for each event."""

    kind: npt.NDArray[np.int8]
    """`EventKind` of each event."""
    start: Times
    """Nanoseconds."""
    duration: Times
    """Nanoseconds."""
    name: npt.NDArray[np.int32]
    """Index of a kernel's name in `names`; UNKNOWN for copies and memsets."""
    names: tuple[str, ...]
    size: Times
    """Bytes of a copy, or UNKNOWN."""
    direction: npt.NDArray[np.int8]
    """Index of a copy's kind in COPY_KINDS, or UNKNOWN."""
    occupancy: npt.NDArray[np.float64]
    """Share of a kernel's occupancy, 0 to 1; NaN where it is not known."""
    issued: Times
    """Start of the host's call that launched the event, in nanoseconds, or UNKNOWN."""

    def __len__(self) -> int:
        return len(self.kind)


class EventColumns:
    """Events while they are read. Times are whole nanoseconds.

    Each method raises a ValueError, whose message is a clause, for a quantity that cannot be.
    """

    def __init__(self) -> None:
        self._kind = array("b")
        self._start = array("q")
        self._duration = array("q")
        self._name = array("i")
        self._size = array("q")
        self._direction = array("b")
        self._occupancy = array("d")
        self._issued = array("q")
        self._names: dict[str, int] = {}
        self._kinds: list[EventKind] = []  # of each name

    def __len__(self) -> int:
        return len(self._kind)

    def kernel(
        self,
        name: str,
        start: int,
        duration: int,
        *,
        occupancy: float | None = None,
        issued: int | None = None,
    ) -> None:
        """Add a kernel; one of a communication library is a collective."""
        index = self._names.get(name)
        if index is None:
            index = self._names[name] = len(self._names)
            self._kinds.append(EventKind.COLLECTIVE if is_collective(name) else EventKind.KERNEL)
        self._add(self._kinds[index], start, duration, issued)
        self._name.append(index)
        self._size.append(UNKNOWN)
        self._direction.append(UNKNOWN)
        known = occupancy is not None and 0 <= occupancy <= 1
        self._occupancy.append(occupancy if known else float("nan"))  # type: ignore[arg-type]

    def copy(
        self,
        kind: CopyKind | None,
        start: int,
        duration: int,
        *,
        size: int | None = None,
        issued: int | None = None,
    ) -> None:
        """Add a copy of `size` bytes."""
        if size is not None and not 0 <= size <= MAX_BYTES:
            raise ValueError(f"copies {size} bytes")
        self._add(EventKind.COPY, start, duration, issued)
        self._name.append(UNKNOWN)
        self._size.append(UNKNOWN if size is None else size)
        self._direction.append(UNKNOWN if kind is None else COPY_KINDS.index(kind))
        self._occupancy.append(float("nan"))

    def memset(self, start: int, duration: int, *, issued: int | None = None) -> None:
        """Add a memset."""
        self._add(EventKind.MEMSET, start, duration, issued)
        self._name.append(UNKNOWN)
        self._size.append(UNKNOWN)
        self._direction.append(UNKNOWN)
        self._occupancy.append(float("nan"))

    def _add(self, kind: EventKind, start: int, duration: int, issued: int | None) -> None:
        if not 0 <= start <= MAX_NS:
            raise ValueError(f"starts at {start / 1e3:g} µs")
        if not 0 <= duration <= MAX_WINDOW_NS:
            raise ValueError(f"takes {duration / 1e3:g} µs")
        self._kind.append(kind)
        self._start.append(start)
        self._duration.append(duration)
        known = issued is not None and 0 <= issued <= MAX_NS
        self._issued.append(issued if known else UNKNOWN)  # type: ignore[arg-type]

    def events(self) -> Events:
        """The events.

        Raises:
            ValueError: there are none, or they span more than a week.
        """
        start, duration = (
            np.frombuffer(self._start, dtype=np.int64),
            np.frombuffer(self._duration, dtype=np.int64),
        )
        if not len(start):
            raise ValueError("holds no event of a device")
        span = int((start + duration).max() - start.min())
        if span > MAX_WINDOW_NS:
            raise ValueError(f"has events that lie {span / 86_400e9:,.0f} days apart")
        return Events(
            kind=np.frombuffer(self._kind, dtype=np.int8),
            start=start,
            duration=duration,
            name=np.frombuffer(self._name, dtype=np.int32),
            names=tuple(self._names),
            size=np.frombuffer(self._size, dtype=np.int64),
            direction=np.frombuffer(self._direction, dtype=np.int8),
            occupancy=np.frombuffer(self._occupancy, dtype=np.float64),
            issued=np.frombuffer(self._issued, dtype=np.int64),
        )
