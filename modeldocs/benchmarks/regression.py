"""The verdict on the step times of two runs: B is slower than A, faster, or neither.

Steps of one process are no independent samples: clocks change, devices heat up, other programs
interfere. Nor are processes: each has its own place in memory, and runs on another day differ as a
whole. So the verdict is a t-test on one number for each process, the median (or the 90th
percentile) of its step times on a logarithmic scale, with three sources of variance:

- between processes, estimated from both runs together, with what is expected of processes as a
  prior, since two runs of three processes leave only four degrees of freedom of their own;
- within a process: the variance of its quantile, as the order statistics around it vary when the
  share of steps below it does. That share is estimated in blocks of consecutive steps, which keep
  the correlation of neighbours. The variance between processes is at least the largest of these;
- between runs, which two runs cannot show: what is expected of repeated runs, more where steps vary
  much.

The constants were chosen on repeated GPU runs of 2016 (cnn-benchmarks, whose medians differ by up
to 1.1 %), on recordings of small programs on a shared machine of two cores, and on generated noise,
so that few equal runs are called different. What happens beside them there:

- without the prior, half of the slowdowns of 5 % are missed under correlated noise, 10 % with it,
  and runs of one process have no verdict;
- with the mean of the variances within processes in place of the largest, 2.3 % of equal runs
  between two clocks differ, and 3 to 5 % with trimmed means in place of medians;
- with `carried` 0, 24 % of equal runs of ten processes on the shared machine differ, with 0.25
  14 %, with 0.4 1 %; more misses more slowdowns under correlated noise;
- with `busy` 0 for the 90th percentile, 45 % of equal runs on the shared machine differ, with the
  smaller reach of all runs 22 %; with the larger of all, no longer tail is found.

`make bench-regression` prints how often the verdict is right on other runs, and other tests beside
it.
"""

from __future__ import annotations

from collections.abc import Sequence
from statistics import NormalDist
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from modeldocs import formatting
from modeldocs.benchmarks.measurements import StepTimes
from modeldocs.struct import Struct

Answer = Literal["faster", "slower", "no difference found", "cannot tell"]
Processes = Sequence[Sequence[float]]
"""Step times in milliseconds in the order in which they ran, one sequence for each process."""
_Floats = NDArray[np.float64]

ALARMS = 0.01
"""Share of equal runs that may be called different."""
CONFIDENCE = 0.95
"""Share of the intervals of single runs that hold the median which many repeated runs have."""
FOUND = 0.95
"""Share of differences of the size `detectable` that are found."""
SOUGHT = 0.05
"""Difference that a verdict of "no difference found" rules out, as a share of the step time."""
LEAST_STEPS = 8
"""Steps of each process that a verdict needs."""
TAIL_STEPS = 50
"""Steps of each process that a verdict on the 90th percentile needs."""
QUIET = 0.2
"""Reach from the median to the 90th percentile of the steps, as a share, up to which a run meets
little interference, so that a longer tail is its own."""
BLOCKS = 8
"""Blocks of consecutive steps that a process is divided into."""

_POINTS = np.array([NormalDist().inv_cdf((i + 0.5) / 32) for i in range(32)])
"""Points of equal probability of the normal distribution."""
_LEAST_MS = 1e-4
"""Resolution of step times in a record."""


class Quantile(Struct, frozen=True):
    """A quantile of step times, and how much that of repeated runs of one program differs.

    Standard deviations are shares of the step time. `processes` is that between processes of a run,
    and counts as `freedom` degrees of freedom beside those of the runs themselves. Runs differ by
    the largest of three beyond that: `runs`; the share `carried` of the variance that processes
    were found to have, since what varies from minute to minute varies between runs as well; and
    `busy` times the reach of the steps from the quantile `band[0]` to `band[1]`, since steps that
    vary meet interference, of which each run has another amount. That reach is the smaller one of
    two runs that meet little, and the larger one of others: see `QUIET`.
    """

    at: float
    band: tuple[float, float]
    busy: float
    processes: float = 0.006
    freedom: int = 6
    runs: float = 0.004
    carried: float = 0.4


MEDIAN = Quantile(at=0.5, band=(0.25, 0.75), busy=0.03)
TAIL = Quantile(at=0.9, band=(0.5, 0.9), busy=0.5)


class QuantileChange(Struct, frozen=True):
    """How a quantile of the step times changes from A to B: B's over A's, and its interval.

    `detectable` is the smallest difference, as a share, that these runs would show in 95 % of
    cases.
    """

    answer: Answer
    ratio: float
    low: float
    high: float
    detectable: float


class RegressionVerdict(Struct, frozen=True):
    """The answer, its reason as a sentence, and the changes of the median and 90th percentile."""

    answer: Answer
    reason: str
    median: QuantileChange | None = None
    tail: QuantileChange | None = None

    @property
    def words(self) -> str:
        """The answer as pages tell it: why nothing can be told is one thing, noise another."""
        is_noise = self.answer == "cannot tell" and self.median is not None
        return "too noisy to say" if is_noise else self.answer


def judge(a: StepTimes | None, b: StepTimes | None, obstacle: str = "") -> RegressionVerdict:
    """Whether run B is slower or faster than run A.

    `obstacle` is a sentence that says why they are not comparable, empty where they are.
    """
    if obstacle:
        return _unknown(obstacle)
    for name, times in (("A", a), ("B", b)):
        if times is None or not any(times.samples):
            return _unknown(f"{name} has no times of single steps.")
        fewest = _fewest(times)
        if fewest < LEAST_STEPS:
            return _unknown(
                f"A process of {name} has {fewest} steps; a verdict needs {LEAST_STEPS}."
            )
    assert a is not None and b is not None
    return _verdict(a.samples, b.samples)


def noise(times: StepTimes | None) -> float | None:
    """Half the width of the 95 % interval of a run's median on a logarithmic scale.

    The variance has the three sources of a verdict. None where the run has no times of single
    steps, or too few.
    """
    if times is None or not any(times.samples) or _fewest(times) < LEAST_STEPS:
        return None
    steps = _logarithms(times.samples)
    error, freedom = _error([steps], [_places(steps, MEDIAN.at)], MEDIAN)
    return _student(freedom, (1 + CONFIDENCE) / 2) * error


def _student(freedom: int, share: float) -> float:
    """The quantile of Student's t distribution."""
    from scipy.special import stdtrit  # slow to import, and few pages have a verdict

    return float(stdtrit(freedom, share))


def _fewest(times: StepTimes) -> int:
    return min(len(process) for process in times.samples)


def change(a: Processes, b: Processes, quantile: Quantile = MEDIAN) -> QuantileChange:
    """The change of a quantile of step times."""
    first, second = _logarithms(a), _logarithms(b)
    places = _places(first, quantile.at), _places(second, quantile.at)
    error, freedom = _error((first, second), places, quantile)
    reach = _student(freedom, 1 - ALARMS / 2) * error
    detectable = float(np.expm1(reach + _student(freedom, FOUND) * error))
    middle = float(places[1].mean() - places[0].mean())
    low, ratio, high = (float(np.exp(at)) for at in (middle - reach, middle, middle + reach))
    answer = _answer(low, high, detectable)
    return QuantileChange(answer=answer, ratio=ratio, low=low, high=high, detectable=detectable)


def _error(
    runs: Sequence[list[_Floats]], places: Sequence[_Floats], quantile: Quantile
) -> tuple[float, int]:
    """Standard error of one run, or of the difference of two, and its degrees of freedom."""
    squares = sum(float(np.sum((run - run.mean()) ** 2)) for run in places)
    within = np.array([_variance(steps, quantile.at) for run in runs for steps in run])
    freedom = quantile.freedom + len(within) - len(runs)
    prior = quantile.freedom * (quantile.processes**2 + float(within.mean()))
    variance = max((prior + squares) / freedom, float(within.max()))
    found = max(variance - float(within.mean()), 0.0)
    met = (quantile.busy * _reach(runs, quantile.band)) ** 2
    between = max(quantile.runs**2, met, quantile.carried * found)
    shares = sum(1 / len(run) for run in runs)
    return float(np.sqrt(variance * shares + between * len(runs))), freedom


def _reach(runs: Sequence[list[_Floats]], band: tuple[float, float]) -> float:
    """How far the steps reach between two quantiles: of quiet runs the smaller, else the larger."""
    reaches = [_mean_reach(run, band) for run in runs]
    quiet = max(_mean_reach(run, TAIL.band) for run in runs) <= QUIET
    return min(reaches) if quiet else max(reaches)


def _mean_reach(run: list[_Floats], band: tuple[float, float]) -> float:
    return float(np.mean([np.diff(np.quantile(steps, band)) for steps in run]))


def _answer(low: float, high: float, detectable: float) -> Answer:
    if low > 1:
        return "slower"
    if high < 1:
        return "faster"
    return "no difference found" if detectable <= SOUGHT else "cannot tell"


def _logarithms(processes: Processes) -> list[_Floats]:
    return [np.log(np.maximum(np.asarray(process), _LEAST_MS)) for process in processes]


def _places(processes: list[_Floats], quantile: float) -> _Floats:
    """The quantile of each process."""
    return np.array([np.quantile(steps, quantile) for steps in processes])


def _variance(steps: _Floats, quantile: float) -> float:
    """Variance of a quantile of correlated steps: how far the order statistics around it reach."""
    count = min(BLOCKS, len(steps) // 2)
    size = len(steps) // count
    blocks = steps[: count * size].reshape(count, size)
    shares = (blocks <= np.quantile(steps, quantile)).mean(axis=1)
    independent = np.sqrt(quantile * (1 - quantile) / len(steps))
    error = max(float(shares.std(ddof=1)) / np.sqrt(count), independent)
    return float(np.quantile(steps, np.clip(quantile + error * _POINTS, 0, 1)).var())


def _verdict(a: Processes, b: Processes) -> RegressionVerdict:
    median = change(a, b)
    enough = min(len(process) for process in (*a, *b)) >= TAIL_STEPS
    return RegressionVerdict(
        answer=median.answer,
        reason=_reason(median, min(len(a), len(b))),
        median=median,
        tail=change(a, b, TAIL) if enough else None,
    )


def _reason(median: QuantileChange, processes: int) -> str:
    difference = formatting.percent(abs(median.ratio - 1))
    if median.answer in ("slower", "faster"):
        if median.ratio > 2:
            return (
                f"The median step of B takes {median.ratio:.3g} times as long "
                f"({median.low:.3g} to {median.high:.3g}, in 99 % of cases)."
            )
        ends = sorted(abs(end - 1) for end in (median.low, median.high))
        amount = "more" if median.answer == "slower" else "less"
        return (
            f"The median step of B takes {difference} {amount} time "
            f"({formatting.percent(ends[0])} to {formatting.percent(ends[1])}, in 99 % of cases)."
        )
    shown = formatting.percent(median.detectable) if median.detectable < 1 else "a multiple"
    if median.answer == "no difference found":
        return f"Difference {difference}, as equal runs have; one of {shown} would have been found."
    more = "three processes or more" if processes < 3 else "more processes, or longer ones"
    return f"Difference {difference}, noise {shown}; record {more}."


def _unknown(reason: str) -> RegressionVerdict:
    return RegressionVerdict(answer="cannot tell", reason=reason)
