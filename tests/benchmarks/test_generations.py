"""Rates of a network by the year of its devices, and what was gained between them."""

from __future__ import annotations

import pytest

from modeldocs.benchmarks import measurements, metadata
from modeldocs.benchmarks.devices import DEVICES
from modeldocs.benchmarks.generations import gains, generations
from modeldocs.benchmarks.record import Record

from .examples import example

OLD, MIDDLE, NEW = (
    "NVIDIA GeForce GTX TITAN X (Maxwell)",
    "NVIDIA GeForce RTX 3090",
    "NVIDIA GeForce RTX 5090",
)


def on(device: str, rate: float, dtype: str = "float32") -> Record:
    """A run of a forward pass that gives `rate` samples in each second."""
    return example(
        device=metadata.Device(name=device),
        run=metadata.RunOptions(date="2026-11-20", task="inference", batch=1),
        numerics=metadata.Numerics(dtype=dtype),
        throughput=measurements.Throughput(samples=int(rate), wall_us=1e6),
        step_ms=None,
    )


def test_the_devices_of_the_test_have_years() -> None:
    assert [DEVICES[device].year for device in (OLD, MIDDLE, NEW)] == [2015, 2020, 2025]


def test_a_device_has_its_best_rate_and_what_it_is_to_the_oldest() -> None:
    rows = generations([on(NEW, 4000), on(OLD, 100), on(OLD, 250), on("unheard of", 9)])
    assert [(row.device, row.rate, row.factor) for row in rows] == [(OLD, 250, 1), (NEW, 4000, 16)]


def test_a_gain_is_told_over_all_kinds_and_in_each() -> None:
    rows = generations(
        [on(OLD, 250), on(MIDDLE, 500), on(MIDDLE, 1000, "float16"), on(NEW, 8000, "float16")]
    )
    over_all, half, single = gains(rows)
    assert (over_all.first.device, over_all.last.device, over_all.factor) == (OLD, NEW, 32)
    assert over_all.yearly == pytest.approx(2**0.5)
    assert (half.first.device, half.factor) == (MIDDLE, 8)
    assert (single.last.device, single.factor) == (MIDDLE, 2)


def test_one_kind_is_told_once_and_one_year_not_at_all() -> None:
    assert len(gains(generations([on(OLD, 250), on(NEW, 4000)]))) == 1
    assert gains(generations([on(OLD, 250)])) == []
