"""Utilisation: a run's operations per second over those of the device's data sheet."""

import pytest

from modeldocs.benchmarks import devices, metadata

from .examples import example

MACS = 4_000_000_000


def on(device, task="inference", **numerics):
    return example(
        device=metadata.Device(name=device, kind="cuda"),
        run=metadata.RunOptions(date="2026-11-20", task=task),
        numerics=metadata.Numerics(**numerics),
    )


@pytest.mark.parametrize(
    ("record", "share"),
    [
        (on("NVIDIA GeForce RTX 3090", dtype="float32"), 8 / 35.58),
        (on("NVIDIA GeForce RTX 3090", dtype="float32", amp=True), 8 / 71.2),
        (on("NVIDIA GeForce RTX 3090", dtype="bfloat16"), 8 / 71.2),
        (on("NVIDIA GeForce RTX 3090", "training", dtype="float32"), 24 / 35.58),
        (on("NVIDIA GeForce GTX 1080", "forward-backward", dtype="float32"), 24 / 8.87),
    ],
)
def test_two_operations_a_multiply_accumulate_and_three_times_forward(record, share):
    assert devices.utilisation(record, 1000.0, MACS) == pytest.approx(share)


@pytest.mark.parametrize(
    "record",
    [
        on("Another card", dtype="float32"),
        on("NVIDIA GeForce RTX 3090"),
        on("NVIDIA GeForce RTX 3090", None, dtype="float32"),
        on("NVIDIA GeForce GTX 1080", dtype="float16"),
    ],
)
def test_what_is_unknown_has_no_utilisation(record):
    assert devices.utilisation(record, 1000.0, MACS) is None
