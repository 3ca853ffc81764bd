"""Statistics of step times."""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence

from modeldocs.benchmarks.quantities import P99_LEAST, StepTimes

KEEP = 1000
"""Most samples that a record keeps of one process."""

WIDE_STEPS = 1.5
WIDE_MEAN = 1.2
WIDE_PROCESSES = 1.1


def percentile(ordered: Sequence[float], share: float) -> float:
    """The value below which `share` (0 to 1) of the sorted values lie, linearly interpolated."""
    place = (len(ordered) - 1) * share
    low = math.floor(place)
    high = min(low + 1, len(ordered) - 1)
    return ordered[low] + (ordered[high] - ordered[low]) * (place - low)


def summarise(processes: Sequence[Sequence[float]]) -> StepTimes:
    """Statistics of the steps' milliseconds, one sequence a process; at least one step in all.

    The standard deviation is the sample's (n - 1), 0 for a single step.
    """
    values = sorted(value for process in processes for value in process)
    every = max(1, math.ceil(max(len(process) for process in processes) / KEEP))
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
    """To a tenth of a microsecond, which is finer than any clock used here."""
    return round(milliseconds, 4)


def spread_notes(times: StepTimes) -> list[str]:
    """What to warn of: steps, or whole processes, that differ much among themselves."""
    notes = []
    if times.p50 > 0 and times.p90 > WIDE_STEPS * times.p50:
        ratio = times.p90 / times.p50
        notes.append(f"The steps vary much: p90 is {ratio:.2f} times p50. Was the machine busy?")
    if times.p50 > 0 and times.mean > WIDE_MEAN * times.p50:
        ratio = times.mean / times.p50
        notes.append(
            f"A few steps took very long: the mean is {ratio:.2f} times the median, and the "
            "samples a second count them."
        )
    medians = [statistics.median(process) for process in times.samples if process]
    if min(medians) > 0 and max(medians) > WIDE_PROCESSES * min(medians):
        ratio = max(medians) / min(medians)
        notes.append(
            f"The processes differ: the slowest one's median is {ratio:.2f} times the fastest's."
        )
    return notes
