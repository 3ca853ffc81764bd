"""Times between consecutive starts and ends of events, and how many of each kind are active."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from modeldocs.benchmarks.activity.events import UNKNOWN, EventKind, Events, Times

Counts = npt.NDArray[np.int32]
Mask = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Segments:
    """The window of the events, cut at each start and each end.

    Every union and intersection of intervals is a sum of lengths, so that parts of the window add
    up exactly.
    """

    start: Times
    """Start of each segment in nanoseconds."""
    length: Times
    """Length of each segment in nanoseconds."""
    active: dict[EventKind, Counts]
    """Number of active events of each kind in each segment."""
    following: npt.NDArray[np.int64]
    """Index of an event that starts at the end of the segment, UNKNOWN where none does."""

    def time(self, where: Mask) -> int:
        """Total length of the segments in a mask, in nanoseconds."""
        return int(self.length[where].sum())


def segments(events: Events) -> Segments:
    """The segments of the window from the first start to the last end, with n log n steps.

    An event without duration is active in no segment.
    """
    number = len(events)
    points = np.concatenate([events.start, events.start + events.duration])
    # Stable, so that at one time starts come before ends, and no count is negative.
    order = np.argsort(points, kind="stable")
    times = points[order]
    active = {}
    for kind in EventKind:
        change = (events.kind == kind).astype(np.int32)
        both = np.concatenate([change, -change])[order]
        active[kind] = np.cumsum(both, dtype=np.int32)[:-1]
    following = order[1:]
    return Segments(
        start=times[:-1],
        length=np.diff(times),
        active=active,
        following=np.where(following < number, following, UNKNOWN),
    )
