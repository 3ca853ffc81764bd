"""The scaling model of data-parallel training: laws that hold for any step and connection."""

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from modeldocs.benchmarks import scaling
from modeldocs.benchmarks.ddp import AllReduce
from modeldocs.benchmarks.scaling import Interconnect, ReducedBucket, ReducedStep, ScalingModel

amounts = st.floats(0, 1e6)


@st.composite
def steps(draw):
    """Steps whose buckets become ready in order, none after the end of backward."""
    times = sorted(draw(st.lists(amounts, min_size=1, max_size=6)))
    sizes = draw(st.lists(st.floats(0, 1e9), min_size=len(times), max_size=len(times)))
    rest = draw(st.floats(1, 1e6))
    buckets = tuple(ReducedBucket(size, time) for size, time in zip(sizes, times, strict=True))
    return ReducedStep(times[-1] + rest, draw(amounts), buckets)


links = st.builds(Interconnect, st.floats(0, 1e4), st.floats(1, 1e6) | st.just(math.inf))
contentions = st.floats(1, 1e3) | st.just(math.inf)
models = st.builds(ScalingModel, steps(), links, contentions)
worlds = st.integers(1, 5000)


def about(value):
    return pytest.approx(value, rel=1e-9, abs=1e-6)


def at_most(value):
    return value * (1 + 1e-9) + 1e-6


@given(models, worlds)
def test_overlapping_never_costs_more_than_blocking(model, world):
    assert model.overlapped_us(world) <= at_most(model.blocking_us(world))


@given(models, worlds)
def test_no_step_is_shorter_than_the_local_one(model, world):
    assert model.step.us <= at_most(model.overlapped_us(world))


@given(models, worlds)
def test_more_workers_never_make_a_step_shorter(model, world):
    assert model.blocking_us(world) <= at_most(model.blocking_us(world + 1))
    assert model.overlapped_us(world) <= at_most(model.overlapped_us(world + 1))


@given(models)
def test_a_single_worker_reduces_nothing(model):
    assert model.blocking_us(1) == about(model.step.us)
    assert model.overlapped_us(1) == about(model.step.us)


@given(models, worlds)
def test_efficiency_is_a_share(model, world):
    for us in (model.blocking_us(world), model.overlapped_us(world)):
        assert 0 < model.efficiency(us) <= 1 + 1e-9


@given(steps(), contentions, worlds)
def test_a_perfect_connection_leaves_the_local_step(step, contention, world):
    model = ScalingModel(step, Interconnect(0.0, math.inf), contention)
    assert model.blocking_us(world) == about(step.us)
    assert model.overlapped_us(world) == about(step.us)


@given(steps(), links, worlds, contentions, contentions)
def test_contention_only_makes_the_overlapped_step_longer(step, link, world, a, b):
    low, high = (ScalingModel(step, link, one).overlapped_us(world) for one in sorted((a, b)))
    assert low <= at_most(high)


@given(steps(), links, worlds)
def test_infinite_contention_leaves_nothing_overlapped(step, link, world):
    model = ScalingModel(step, link, math.inf)
    assert model.overlapped_us(world) == about(model.blocking_us(world))


STEP = ReducedStep(100.0, 10.0, (ReducedBucket(1.0, 40.0), ReducedBucket(1.0, 100.0)))
LINK = Interconnect(15.0, math.inf)  # with two workers 30 µs for each bucket


def test_the_last_bucket_is_what_overlapping_cannot_hide():
    assert ScalingModel(STEP, LINK).blocking_us(2) == 100 + 30 + 30 + 10
    assert ScalingModel(STEP, LINK).overlapped_us(2) == 100 + 30 + 10


def test_a_bucket_waits_for_the_one_before_it():
    slow = Interconnect(
        40.0, math.inf
    )  # 80 µs: the first ends at 120, when the second has been ready
    assert ScalingModel(STEP, slow).overlapped_us(2) == 120 + 80 + 10


def test_contention_delays_the_buckets_after():
    # From 40 to 70 half the work is done, so that the second is ready at 115.
    assert ScalingModel(STEP, LINK, 2.0).overlapped_us(2) == 115 + 30 + 10


@given(
    st.lists(st.tuples(st.integers(0, 60), st.integers(0, 40)), min_size=1, max_size=5),
    st.integers(0, 50),
    st.sampled_from([1, 2, 4]),
)
def test_the_closed_form_agrees_with_a_simulation_in_small_steps(buckets, rest, contention):
    ready = sorted(time for time, _ in buckets)
    reductions = [us for _, us in buckets]
    end = ready[-1] + rest
    step = ReducedStep(float(end), 0.0, tuple(ReducedBucket(0.0, float(time)) for time in ready))
    found = scaling._overlapped_us(step, reductions, 1 / contention)
    assert found == pytest.approx(simulated(ready, reductions, end, contention), abs=1e-9)


def simulated(ready, reductions, end, contention):
    """The step by quarters of a microsecond; one that reduces does a `contention`th of the work."""
    quarter, done, now, left = 4, 0.0, 0, 0
    waiting = list(zip(ready, reductions, strict=True))
    while True:
        while left == 0 and waiting and done >= waiting[0][0] * quarter:
            left = waiting.pop(0)[1] * quarter
        if done >= end * quarter and left == 0 and not waiting:
            return now / quarter
        done = min(end * quarter, done + (1 / contention if left else 1))
        left, now = max(0, left - 1), now + 1


def timed(link, world, sizes):
    return [AllReduce(bytes=size, n=20, us=link.all_reduce_us(size, world)) for size in sizes]


SIZES = [4**power for power in range(6, 12)]


@settings(deadline=None)  # the first example imports the solver
@given(st.floats(0.1, 1e3), st.floats(10, 1e5), st.integers(2, 64))
def test_latency_and_bandwidth_are_found_again(latency, bandwidth, world):
    link = Interconnect(latency, bandwidth)
    found = scaling.fit_link(timed(link, world, SIZES), world)
    for size in SIZES:
        measured = link.all_reduce_us(size, world)
        assert found.all_reduce_us(size, world) == pytest.approx(measured, rel=1e-5)


def test_one_disturbed_size_carries_the_fit_away_little():
    link = Interconnect(50.0, 2000.0)
    times = timed(link, 2, SIZES)
    times[1] = AllReduce(bytes=SIZES[1], n=20, us=times[1].us * 5)
    found = scaling.fit_link(times, 2)
    assert found.latency_us == pytest.approx(50, rel=0.01)
    assert found.bytes_per_us == pytest.approx(2000, rel=0.01)


def test_times_that_do_not_grow_with_size_have_no_limit_of_bandwidth():
    times = [AllReduce(bytes=size, n=20, us=100.0) for size in SIZES]
    found = scaling.fit_link(times, 2)
    assert found.bytes_per_us > 1e9
    assert found.latency_us == pytest.approx(50)


@settings(deadline=None)
@given(steps(), links, st.floats(1, 50))
def test_the_fitted_contention_meets_the_overlapped_step(step, link, contention):
    measured = ScalingModel(step, link, contention).overlapped_us(2)
    found = scaling.fit_contention(step, link, 2, measured)
    assert found >= 1
    assert ScalingModel(step, link, found).overlapped_us(2) == pytest.approx(
        measured, rel=1e-6, abs=1e-3
    )


def test_a_step_in_which_nothing_can_overlap_tells_nothing_of_contention():
    step = ReducedStep(100.0, 10.0, (ReducedBucket(1.0, 100.0),))
    assert scaling.fit_contention(step, LINK, 2, 1e6) == 1


def test_steps_outside_of_what_the_model_has_are_met_as_far_as_possible():
    assert scaling.fit_contention(STEP, LINK, 2, 1.0) == 1
    assert scaling.fit_contention(STEP, LINK, 2, 1e6) == math.inf
