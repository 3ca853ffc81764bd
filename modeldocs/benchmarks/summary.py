"""Statistics of step times."""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence

from modeldocs.benchmarks.measurements import P99_LEAST, StepTimes

MAX_SAMPLES = 1000
"""Step times of one process that a record holds."""

WIDE_STEPS = 1.5
"""Ratio of the 90th percentile to the median above which a note is written."""
WIDE_MEAN = 1.2
"""Ratio of the mean to the median above which a note is written."""
WIDE_PROCESSES = 1.1
"""Ratio of the slowest to the fastest process's median above which a note is written."""


def percentile(ordered: Sequence[float], share: float) -> float:
    """The value below which `share` (0 to 1) of the sorted values lie, linearly interpolated."""
    place = (len(ordered) - 1) * share
    low = math.floor(place)
    high = min(low + 1, len(ordered) - 1)
    return ordered[low] + (ordered[high] - ordered[low]) * (place - low)


def summarise(processes: Sequence[Sequence[float]]) -> StepTimes:
    """Statistics of step times in milliseconds, given as one sequence per process.

    There is at least one step. The standard deviation is that of a sample (n - 1), 0 for one step.
    """
    values = sorted(value for process in processes for value in process)
    every = max(1, math.ceil(max(len(process) for process in processes) / MAX_SAMPLES))
    return StepTimes(
        samples=tuple(tuple(_rounded(v) for v in process[::every]) for process in processes),
        n=len(values),
        mean=_rounded(statistics.fmean(values)),
        std=_rounded(statistics.stdev(values)) if len(values) > 1 else 0.0,
        p50=_rounded(percentile(values, 0.5)),
        p90=_rounded(percentile(values, 0.9)),
        p99=_rounded(percentile(values, 0.99)) if len(values) >= P99_LEAST else None,
        every=every,
    )


def _rounded(milliseconds: float) -> float:
    """Rounded to a tenth of a microsecond, finer than the clocks."""
    return round(milliseconds, 4)


def spread_notes(times: StepTimes) -> list[str]:
    """Notes on step times that vary much, within processes or between them."""
    notes = []
    if times.p50 > 0 and times.p90 > WIDE_STEPS * times.p50:
        ratio = times.p90 / times.p50
        notes.append(f"Step times vary much: p90 is {ratio:.2f} times p50. Was the machine busy?")
    if times.p50 > 0 and times.mean > WIDE_MEAN * times.p50:
        ratio = times.mean / times.p50
        notes.append(
            f"A few steps took very long: the mean is {ratio:.2f} times the median. They are "
            "included in the samples per second."
        )
    medians = [statistics.median(process) for process in times.samples if process]
    if min(medians) > 0 and max(medians) > WIDE_PROCESSES * min(medians):
        ratio = max(medians) / min(medians)
        notes.append(
            f"The processes differ: the slowest one's median is {ratio:.2f} times the fastest's."
        )
    return notes
