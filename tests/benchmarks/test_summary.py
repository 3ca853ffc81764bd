import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from modeldocs.benchmarks.summary import MAX_SAMPLES, percentile, spread_notes, summarise

MILLISECONDS = st.floats(0, 1e5)
PROCESSES = st.lists(st.lists(MILLISECONDS, min_size=1, max_size=80), min_size=1, max_size=4)


@given(st.lists(MILLISECONDS, min_size=1), st.floats(0, 1))
def test_percentiles_are_numpys(values, share):
    expected = np.percentile(values, share * 100)
    assert percentile(sorted(values), share) == pytest.approx(expected, rel=1e-9, abs=1e-9)


@given(PROCESSES)
def test_statistics_are_of_all_processes_together(processes):
    values = np.array([value for process in processes for value in process])
    times = summarise(processes)
    assert times.n == len(values)
    assert times.mean == pytest.approx(values.mean(), abs=1e-4)
    spread = values.std(ddof=1) if len(values) > 1 else 0
    assert times.std == pytest.approx(spread, abs=1e-4)
    assert times.p50 == pytest.approx(np.percentile(values, 50), abs=1e-4)
    assert times.p90 == pytest.approx(np.percentile(values, 90), abs=1e-4)


@given(PROCESSES)
def test_the_order_of_the_steps_does_not_change_the_statistics(processes):
    turned = [process[::-1] for process in processes[::-1]]
    one, other = summarise(processes), summarise(turned)
    assert (one.mean, one.std, one.p50, one.p90) == pytest.approx(
        (other.mean, other.std, other.p50, other.p90), abs=1e-4
    )


def test_the_99th_percentile_is_told_from_662_steps_on():
    assert summarise([[1.0] * 661]).p99 is None
    assert summarise([[1.0] * 400, [2.0] * 262]).p99 == 2.0


def test_of_many_samples_every_so_many_th_is_kept_and_all_are_counted():
    times = summarise([[float(i) for i in range(MAX_SAMPLES * 2 + 1)], [5.0, 6.0, 7.0, 8.0]])
    assert times.every == 3
    assert times.samples[0][:3] == (0.0, 3.0, 6.0)
    assert times.samples[1] == (5.0, 8.0)
    assert times.n == MAX_SAMPLES * 2 + 5


@given(PROCESSES)
def test_few_samples_are_all_kept_in_order(processes):
    kept = summarise(processes).samples
    assert kept == tuple(tuple(round(v, 4) for v in process) for process in processes)


def test_steady_steps_raise_no_warning():
    assert spread_notes(summarise([[1.0, 1.01, 1.02] * 20, [1.01, 1.0, 1.03] * 20])) == []


def test_steps_that_vary_much_are_warned_of():
    notes = spread_notes(summarise([[1.0] * 8 + [3.0] * 2] * 3))
    assert "p90 is 3.00 times p50" in notes[0]


def test_a_few_very_slow_steps_are_warned_of():
    [note] = spread_notes(summarise([[1.0] * 99 + [101.0]]))
    assert "the mean is 2.00 times the median" in note


def test_processes_that_differ_are_warned_of():
    [note] = spread_notes(summarise([[1.0] * 10, [1.2] * 10]))
    assert "1.20 times" in note
