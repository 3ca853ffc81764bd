"""Forecasts from data-parallel records, and the records that check them."""

import math

import msgspec
import pytest

from modeldocs.benchmarks import chart_set, forecast, groups, metadata
from modeldocs.benchmarks.chart_set import latest
from modeldocs.benchmarks.ddp import AllReduce, Ddp, GradientBucket
from modeldocs.benchmarks.labels import file_name, label, settings
from modeldocs.benchmarks.scaling import Interconnect
from modeldocs.benchmarks.summary import summarise
from modeldocs.benchmarks.trust import trust

from .examples import example

LINK = Interconnect(50.0, 1000.0)
SIZES = (4096, 65536, 1 << 20)


def steps(milliseconds):
    return summarise([[milliseconds] * 4] * 3)


def parallel(world=2, *, overlapped=13.0, blocking=15.0, kind="cpu", **ddp):
    """A step of 11 ms, 10 of them until the end of backward, with one bucket of a MiB at 6 ms."""
    values = {
        "world": world,
        "backend": "gloo",
        "alone_ms": steps(9.0),
        "local_ms": steps(11.0),
        "blocking_ms": steps(blocking),
        "forward_backward_us": 10_000.0,
        "buckets": (GradientBucket(bytes=1 << 20, ready_us=6_000.0),),
        "all_reduces": tuple(
            AllReduce(bytes=size, n=20, us=LINK.all_reduce_us(size, world)) for size in SIZES
        ),
    }
    return example(
        run=metadata.RunOptions(date="2026-11-23", task="training", batch=8, tag=f"ddp{world}"),
        device=metadata.Device(name="AMD EPYC", kind=kind, count=1 if kind == "cpu" else world),
        step_ms=steps(overlapped),
        ddp=Ddp(**values | ddp),
    )


REDUCTION_MS = LINK.all_reduce_us(1 << 20, 2) / 1e3


def checks(*records):
    return {(check.world, check.name): check for check in forecast.fits(records)[0].checks()}


def test_a_step_that_overlaps_wholly_has_no_contention():
    found = checks(parallel(overlapped=11.0, blocking=11.0 + REDUCTION_MS))
    assert set(found) == {(2, "blocking"), (2, "overlapped")}
    assert all(abs(check.error) < 1e-5 for check in found.values())


def test_the_contention_meets_the_overlapped_step_and_is_told_to_be_fitted():
    found = checks(parallel(overlapped=11.5))
    assert found[2, "overlapped, without contention"].error == pytest.approx(11 / 11.5 - 1)
    assert not found[2, "overlapped, without contention"].fitted
    assert found[2, "overlapped, with contention"].error == pytest.approx(0, abs=1e-6)
    assert found[2, "overlapped, with contention"].fitted


def test_a_step_slower_than_blocking_is_told_with_its_error():
    (fit,) = forecast.fits([parallel(overlapped=20.0, blocking=15.0)])
    assert fit.model.contention == math.inf
    error = {check.name: check.error for check in fit.checks()}
    assert error["overlapped, with contention"] == pytest.approx((11 + REDUCTION_MS) / 20 - 1)


def test_devices_of_their_own_communicate_without_contention():
    (fit,) = forecast.fits([parallel(kind="cuda")])
    assert fit.model.contention == 1


def test_a_record_of_another_number_of_workers_checks_the_forecast():
    found = checks(parallel(2, overlapped=11.5), parallel(4, blocking=18.0))
    predicted = found[4, "blocking"]
    assert predicted.model_us == pytest.approx(11_000 + LINK.all_reduce_us(1 << 20, 4))
    assert predicted.measured_us == 18_000
    assert not any(check.fitted for (world, _), check in found.items() if world == 4)


def test_other_work_checks_nothing():
    other = parallel(4)
    run = msgspec.structs.replace(other.run, batch=16)
    (first, _) = forecast.fits([parallel(2), msgspec.structs.replace(other, run=run)])
    assert first.others == ()


@pytest.mark.parametrize(
    "lacking",
    [
        {"local_ms": None},
        {"buckets": None},
        {"forward_backward_us": None},
        {"all_reduces": None},
        {"all_reduces": (AllReduce(bytes=4096, n=20, us=100.0),)},
        {"world": 1},
    ],
)
def test_a_record_that_lacks_a_quantity_has_no_forecast(lacking):
    assert forecast.fits([parallel(**lacking)]) == []


def test_its_chart_tells_each_step_and_stands_under_the_name_of_its_file():
    record = parallel(overlapped=11.5)
    svg = chart_set.draw([record]).scaling[file_name(record)]
    assert svg.startswith("<svg")
    assert "blocking, 1,024: " in svg
    assert "overlapped, 1: 11.0 ms" in svg


def test_it_stands_in_no_chart_of_single_runs():
    record = parallel()
    drawn = chart_set.draw([record, parallel(4)])
    assert (drawn.rates, drawn.steps, drawn.frameworks) == ({}, "", ())
    assert groups.by_task([record]) == {}
    assert latest([record]) is None


def test_its_workers_are_named():
    assert "2 workers" in settings(parallel())
    assert "2 workers" in label(parallel())


def test_steps_that_are_shorter_than_those_without_all_reduce_are_told_and_lower_the_grade():
    record = parallel(overlapped=9.9, blocking=10.9)
    (told,) = forecast.contradictions(record)
    assert told.startswith("The overlapped steps took 0.90 times as long")
    assert told in [reason.text for reason in trust(record).reasons]
    assert forecast.contradictions(parallel()) == []
