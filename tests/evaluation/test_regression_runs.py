"""Generated runs and planted slowdowns are what their descriptions say."""

from __future__ import annotations

import numpy as np
import pytest

from evaluation.regression.generated import MODELS, PROCESSES, STEPS, one_process, run, tail, whole


@pytest.mark.parametrize("model", MODELS)
def test_a_run_depends_on_its_seed_alone(model):
    first, second = (run(model, np.random.default_rng(1)) for _ in range(2))
    assert [len(process) for process in first] == [STEPS] * PROCESSES
    assert np.array_equal(first, second)
    assert np.all(np.array(first) > 0)


@pytest.mark.parametrize("model", MODELS)
def test_two_runs_have_no_difference_on_average(model):
    random = np.random.default_rng(2)
    medians = np.log([np.median(run(model, random)) for _ in range(200)])
    error = medians.std() * np.sqrt(2 / 100)
    assert abs(medians[:100].mean() - medians[100:].mean()) < 4 * error


def test_slowdowns_touch_what_they_name():
    base = run("white", np.random.default_rng(3))
    ratios = {
        slow: np.array(slow(base, 0.1)) / np.array(base) for slow in (whole, one_process, tail)
    }
    assert np.allclose(ratios[whole], 1.1)
    assert np.allclose(ratios[one_process][0], 1.1)
    assert np.allclose(ratios[one_process][1:], 1)
    assert np.isclose(ratios[tail], 1.1).mean() == pytest.approx(0.2, abs=0.01)
