"""The `gpu` section of a record, computed from the events on one device.

K are kernels, C the collectives among them, M copies and S memsets. The window goes from the start
of the first event to the end of the last. Each moment of it belongs to one of four parts, the first
that applies: a kernel that is no collective is active; a collective is (exposed communication); a
copy or a memset is (exposed copies); nothing is (idle).
"""

from __future__ import annotations

import numpy as np

from modeldocs.benchmarks.activity.events import COPY_KINDS, UNKNOWN, EventKind, Events
from modeldocs.benchmarks.activity.host import HostColumns
from modeldocs.benchmarks.activity.idle import causes, launch_bound_us
from modeldocs.benchmarks.activity.idle import gaps as idle_gaps
from modeldocs.benchmarks.activity.segments import Mask, segments
from modeldocs.benchmarks.measurements import Copies, CopyKind, Gpu, Kernel, SmallCopies

SMALL_COPY_BYTES = 128 * 1024
"""Size below which a copy counts as small.

Starting a copy takes about 10 µs, in which a PCIe link moves about 128 KiB: smaller copies spend
most of their time on being started.
"""


def activity(events: Events, host: HostColumns | None = None) -> Gpu:
    """The activity in the window of the events, of which there is at least one.

    What the host did tells the causes of idle time.
    """
    cut = segments(events)
    collective = cut.active[EventKind.COLLECTIVE] > 0
    computing = cut.active[EventKind.KERNEL] > 0
    kernel = computing | collective
    copy = cut.active[EventKind.COPY] > 0
    memory = copy | (cut.active[EventKind.MEMSET] > 0)
    kernels = cut.active[EventKind.KERNEL] + cut.active[EventKind.COLLECTIVE]
    memcpy = _copies(events)
    idle = ~kernel & ~memory
    gaps = idle_gaps(events, cut, idle)
    return Gpu(
        window_us=_us(int(cut.length.sum())),
        compute_us=_us(cut.time(kernel)),
        copies_us=_us(cut.time(copy)),
        overlap_us=_us(cut.time(kernel & copy)),
        concurrent_copies_us=_us(cut.time(cut.active[EventKind.COPY] > 1)),
        shorter_direction_us=_shorter(memcpy),
        concurrent_kernels_us=_us(cut.time(kernels > 1)),
        exposed_copies_us=_us(cut.time(memory & ~kernel)),
        exposed_communication_us=_us(cut.time(collective & ~computing)),
        idle_us=_us(cut.time(idle)),
        launch_bound_us=launch_bound_us(gaps),
        idle_causes=causes(gaps, host) if host is not None else None,
        memcpy=memcpy,
        small_copies=_small(events),
        kernels=_kernels(events),
    )


def _us(nanoseconds: int) -> float:
    return nanoseconds / 1000


def _copies(events: Events) -> dict[CopyKind, Copies]:
    """Number, bytes and durations by kind."""
    copies = {}
    for index, kind in enumerate(COPY_KINDS):
        these = events.direction == index
        number = int(these.sum())
        if number:
            copies[kind] = Copies(
                n=number, bytes=_bytes(events, these), us=_us(int(events.duration[these].sum()))
            )
    return copies


def _bytes(events: Events, these: Mask) -> int | None:
    """Sum of sizes; None where one is not known, or all were too small for the tool to print."""
    sizes = events.size[these]
    if (sizes == UNKNOWN).any() or (len(sizes) and not sizes.any()):
        return None
    return int(sizes.sum())


def _shorter(memcpy: dict[CopyKind, Copies]) -> float:
    """The smaller of the durations of both directions, 0 where one of them has no copies."""
    directions = [memcpy.get(kind) for kind in ("HtoD", "DtoH")]
    return min(copies.us or 0.0 if copies else 0.0 for copies in directions)


def _small(events: Events) -> SmallCopies:
    copies = events.kind == EventKind.COPY
    known = bool((events.size[copies] != UNKNOWN).all())
    small = copies & (events.size < SMALL_COPY_BYTES)
    return SmallCopies(
        threshold_bytes=SMALL_COPY_BYTES,
        bytes=_bytes(events, small) if known else None,
        us=_us(int(events.duration[small].sum())) if known else None,
        all_us=_us(int(events.duration[copies].sum())),
    )


def _kernels(events: Events) -> tuple[Kernel, ...]:
    """Kernels by name, those with the longest total time first."""
    named = events.name != UNKNOWN
    name, duration = events.name[named], events.duration[named]
    occupancy = events.occupancy[named]
    total = len(events.names)
    number = np.bincount(name, minlength=total)
    time = np.zeros(total, dtype=np.int64)
    np.add.at(time, name, duration)
    # An event without duration still has an occupancy, so that each weighs at least something.
    weight = np.where(np.isnan(occupancy), 0.0, np.maximum(duration, 1e-3))
    share = np.bincount(name, weights=np.nan_to_num(occupancy) * weight, minlength=total)
    weights = np.bincount(name, weights=weight, minlength=total)
    order = sorted(range(total), key=lambda i: (-int(time[i]), events.names[i]))
    return tuple(
        Kernel(
            name=events.names[i],
            n=int(number[i]),
            us=_us(int(time[i])),
            occupancy=round(min(float(share[i] / weights[i]), 1.0), 4) if weights[i] else None,
        )
        for i in order
    )
