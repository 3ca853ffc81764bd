"""Tests that say whether two runs differ: that of modeldocs, and others to compare it with."""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations
from typing import Final, Literal

import numpy as np
from msgspec.structs import replace
from scipy import stats

from modeldocs.benchmarks import regression
from modeldocs.benchmarks.regression import ALARMS

from .generated import Series

Said = Literal["slower", "faster", "nothing"]
"""What a test says of the second run."""

_WITHOUT_PRIOR: Final = replace(regression.MEDIAN, freedom=0)
_WITHOUT_RUNS: Final = replace(regression.MEDIAN, runs=0.0, busy=0.0, carried=0.0)

DRAWS: Final = 400
"""Draws of the bootstrap."""


def ours(a: Series, b: Series) -> Said:
    """The verdict of modeldocs on the median."""
    return _said(regression.change(a, b).answer)


def tail(a: Series, b: Series) -> Said:
    """The verdict of modeldocs on the 90th percentile."""
    return _said(regression.change(a, b, regression.TAIL).answer)


def without_prior(a: Series, b: Series) -> Said:
    """The same without an expected difference of processes: their own variance alone."""
    return _said(regression.change(a, b, _WITHOUT_PRIOR).answer)


def without_runs(a: Series, b: Series) -> Said:
    """The same without an expected difference of runs."""
    return _said(regression.change(a, b, _WITHOUT_RUNS).answer)


def mann_whitney(a: Series, b: Series) -> Said:
    """The Mann-Whitney test of all steps of both runs, as if they were independent."""
    first, second = np.concatenate(a), np.concatenate(b)
    found = stats.mannwhitneyu(first, second).pvalue < ALARMS
    return _direction(float(np.median(second) - np.median(first))) if found else "nothing"


def welch(a: Series, b: Series) -> Said:
    """Welch's t-test of the medians of the processes."""
    first, second = _medians(a), _medians(b)
    if min(len(first), len(second)) < 2:
        return "nothing"
    found = stats.ttest_ind(first, second, equal_var=False).pvalue < ALARMS
    return _direction(float(second.mean() - first.mean())) if found else "nothing"


def permutation(a: Series, b: Series) -> Said:
    """The permutation test of the medians of the processes: all ways to deal them to two runs."""
    first, second = _medians(a), _medians(b)
    every = np.concatenate([first, second])
    seen = second.mean() - first.mean()
    deals = [list(deal) for deal in combinations(range(len(every)), len(first))]
    rest = [[i for i in range(len(every)) if i not in deal] for deal in deals]
    differences = every[rest].mean(axis=1) - every[deals].mean(axis=1)
    found = np.mean(np.abs(differences) >= abs(seen) - 1e-12) < ALARMS
    return _direction(float(seen)) if found else "nothing"


def bootstrap(a: Series, b: Series) -> Said:
    """The percentile bootstrap of the medians, with whole processes drawn."""
    random = np.random.default_rng(0)
    first, second = (
        series[random.integers(len(series), size=(DRAWS, len(series)))].mean(axis=1)
        for series in (_medians(a), _medians(b))
    )
    low, high = np.quantile(second - first, [ALARMS / 2, 1 - ALARMS / 2])
    if low <= 0 <= high:
        return "nothing"
    return _direction(float(low))


TESTS: Final[dict[str, Callable[[Series, Series], Said]]] = {
    "modeldocs, median": ours,
    "modeldocs, 90th percentile": tail,
    "without the prior on processes": without_prior,
    "without the spread of runs": without_runs,
    "Welch's t-test of process medians": welch,
    "permutation of processes": permutation,
    "bootstrap by process": bootstrap,
    "Mann-Whitney of all steps": mann_whitney,
}


def _medians(series: Series) -> np.ndarray:
    return np.array([np.log(np.median(process)) for process in series])


def _direction(difference: float) -> Said:
    return "slower" if difference > 0 else "faster"


def _said(answer: regression.Answer) -> Said:
    if answer == "slower" or answer == "faster":
        return answer
    return "nothing"
