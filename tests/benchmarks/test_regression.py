"""The verdict on two runs. Its rates are measured by `make bench-regression`."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from modeldocs.benchmarks.regression import LEAST_STEPS, TAIL, change, judge, noise
from modeldocs.benchmarks.summary import summarise

MILLISECONDS = st.floats(0.01, 1e4)
RUNS = st.lists(st.lists(MILLISECONDS, min_size=8, max_size=40), min_size=1, max_size=4)


def run(seed, *, factor=1.0, processes=3, steps=200, spread=0.01):
    random = np.random.default_rng(seed)
    return [list(10 * factor * np.exp(random.normal(0, spread, steps))) for _ in range(processes)]


def verdict(a, b, obstacle=""):
    return judge(summarise(a), summarise(b), obstacle)


def test_two_equal_runs_do_not_differ():
    found = verdict(run(1), run(2))
    assert found.answer == "no difference found"
    assert found.median.low < 1 < found.median.high
    assert found.median.detectable < 0.05
    assert "would have been found" in found.reason


@pytest.mark.parametrize("percent", [5, 10, 50])
def test_a_slower_run_is_slower_by_the_ratio_of_the_medians(percent):
    found = verdict(run(1), run(2, factor=1 + percent / 100))
    assert found.answer == "slower"
    assert found.median.ratio == pytest.approx(1 + percent / 100, rel=0.01)
    assert found.median.low > 1
    assert f"takes {found.median.ratio - 1:.1%} more time".replace("%", " %") in found.reason


def test_a_run_of_several_times_the_length_is_told_in_times():
    assert "takes 5" in verdict(run(1), run(2, factor=5)).reason


def test_in_the_other_direction_it_is_faster():
    assert verdict(run(2, factor=1.05), run(1)).answer == "faster"


def test_a_process_that_is_slower_alone_is_no_slower_run():
    fast, slow = run(1), run(2)
    slow[0] = [ms * 1.10 for ms in slow[0]]
    found = verdict(fast, slow)
    assert found.answer == "cannot tell"
    assert found.median.detectable > 0.05


def test_thousands_of_steps_of_one_process_do_not_stand_for_other_processes():
    found = verdict(run(1, processes=1, steps=5000), run(2, processes=1, steps=5000, factor=1.02))
    assert found.answer == "cannot tell"
    assert "record three processes or more" in found.reason


def test_runs_that_sit_between_two_clocks_are_not_told_apart():
    fast, slow = ([10.0] * 110 + [10.6] * 90) * 2, ([10.0] * 90 + [10.6] * 110) * 2
    assert verdict([fast] * 3, [slow] * 3).answer == "cannot tell"


def slowed(processes, share, every):
    """The run with every so-many-th step slower by a share."""
    return [
        [ms * (1 + share) if step % every == 0 else ms for step, ms in enumerate(process)]
        for process in processes
    ]


def test_a_longer_tail_alone_leaves_the_median_and_shows_in_the_90th_percentile():
    found = verdict(run(1), slowed(run(2), 0.15, every=5))
    assert found.answer == "no difference found"
    assert found.tail.answer == "slower"
    assert found.tail.ratio > 1.1


def test_the_tail_of_runs_that_meet_much_interference_is_not_judged():
    busy, busier = slowed(run(1), 1.0, every=8), slowed(run(2), 2.0, every=8)
    found = verdict(busy, busier)
    assert found.answer == "no difference found"
    assert found.tail.ratio > 1.3
    assert found.tail.answer == "cannot tell"


def test_an_obstacle_is_the_answer():
    found = verdict(run(1), run(2, factor=2), "The runs differ in batch.")
    assert found.answer == "cannot tell"
    assert found.reason == "The runs differ in batch."
    assert found.median is None


def test_a_run_without_times_of_steps():
    found = judge(None, summarise(run(1)))
    assert (found.answer, found.reason) == ("cannot tell", "A has no times of single steps.")


def test_a_run_of_too_few_steps():
    found = verdict(run(1), [[1.0] * (LEAST_STEPS - 1)])
    assert found.answer == "cannot tell"
    assert found.reason == "A process of B has 7 steps; a verdict needs 8."


def test_the_tail_of_short_processes_is_not_judged():
    assert verdict(run(1, steps=49), run(2, steps=200)).tail is None


@given(RUNS)
def test_a_run_never_differs_from_itself(processes):
    for quantity in (change(processes, processes), change(processes, processes, TAIL)):
        assert quantity.ratio == pytest.approx(1)
        assert quantity.answer in ("no difference found", "cannot tell")


@given(RUNS, RUNS)
def test_exchanging_the_runs_inverts_the_ratio_and_its_interval(a, b):
    there, back = change(a, b), change(b, a)
    assert back.ratio == pytest.approx(1 / there.ratio)
    assert (back.low, back.high) == pytest.approx((1 / there.high, 1 / there.low))
    assert back.detectable == pytest.approx(there.detectable)
    turned = {"slower": "faster", "faster": "slower"}
    assert back.answer == turned.get(there.answer, there.answer)


@given(RUNS, RUNS, st.floats(0.1, 10))
def test_another_unit_of_time_changes_nothing(a, b, unit):
    scaled = [[[ms * unit for ms in process] for process in one] for one in (a, b)]
    assert change(*scaled).ratio == pytest.approx(change(a, b).ratio)
    assert change(*scaled).high == pytest.approx(change(a, b).high)


@given(RUNS)
def test_steps_of_no_time_give_finite_figures(processes):
    still = [[0.0] * len(process) for process in processes]
    found = change(still, processes)
    assert np.isfinite([found.ratio, found.low, found.high, found.detectable]).all()


class TestNoise:
    """The band of a single run."""

    def test_more_processes_narrow_it_down_to_what_runs_differ_by(self):
        widths = [noise(summarise(run(1, processes=number))) for number in (1, 3, 30)]
        assert widths == sorted(widths, reverse=True)
        assert 0.008 < widths[-1] < 0.01  # 1.96 or a little more times 0.4 %

    def test_steps_that_vary_more_widen_it(self):
        assert noise(summarise(run(1, spread=0.1))) > noise(summarise(run(1, spread=0.01)))

    def test_holds_the_median_of_repeated_runs(self):
        centre = np.log(10)
        found = [(np.median(run(seed)), noise(summarise(run(seed)))) for seed in range(100)]
        assert sum(abs(np.log(middle) - centre) <= reach for middle, reach in found) >= 95

    @given(RUNS)
    def test_is_positive_and_finite(self, steps):
        assert 0 < noise(summarise(steps)) < np.inf

    def test_is_unknown_without_enough_steps(self):
        assert noise(None) is None
        assert noise(summarise([[1.0] * (LEAST_STEPS - 1)])) is None
