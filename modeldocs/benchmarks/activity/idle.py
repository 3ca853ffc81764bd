"""Gaps in which a device has nothing to do, and their causes on the host.

Each moment of idle time has one cause, the first that applies: a thread of the host waits for the
next batch; the gap began while the host waited for the device, which it had to before it launched
more; the gap ended with an event that was launched after it had begun. What is left is of another
cause, or of one that the trace does not show.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from modeldocs.benchmarks.activity.events import UNKNOWN, Events, Times
from modeldocs.benchmarks.activity.host import HostColumns
from modeldocs.benchmarks.activity.segments import Mask, Segments
from modeldocs.benchmarks.measurements import IdleCauses


@dataclass(frozen=True)
class Gaps:
    """Columns of equal length, one row for each gap. Times are in nanoseconds."""

    start: Times
    length: Times
    issued: Times
    """Start of the host's call that launched the event that ends the gap, or UNKNOWN."""

    @property
    def late(self) -> Mask:
        """Whether that call began after the gap had."""
        return self.issued >= self.start


def gaps(events: Events, cut: Segments, idle: Mask) -> Gaps:
    """The gaps of a window, given the segments in which nothing is active."""
    these = np.flatnonzero(idle & (cut.length > 0))
    issued = events.issued[cut.following[these]]
    return Gaps(start=cut.start[these], length=cut.length[these], issued=issued)


def launch_bound_us(found: Gaps) -> float | None:
    """Length of the gaps that ended with a late launch; None where some launch is not known."""
    if (found.issued == UNKNOWN).any():
        return None
    return int(found.length[found.late].sum()) / 1000


def causes(found: Gaps, host: HostColumns) -> IdleCauses | None:
    """The idle time by cause; None where the trace tells nothing of the host."""
    if not len(host):
        return None
    starved = host.input().within(found.start, found.start + found.length)
    rest = found.length - starved
    waited = host.waiting().hold(found.start)
    late = ~waited & found.late  # where the launch is not known, it is not late
    return IdleCauses(
        input_us=int(starved.sum()) / 1000,
        synchronisation_us=int(rest[waited].sum()) / 1000,
        launch_us=int(rest[late].sum()) / 1000,
        other_us=int(rest[~waited & ~late].sum()) / 1000,
    )
