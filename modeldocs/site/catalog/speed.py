"""The best recorded speed of a model."""

from __future__ import annotations

from collections.abc import Iterable

from modeldocs import formatting
from modeldocs.benchmarks import groups, metrics
from modeldocs.benchmarks.labels import precision
from modeldocs.benchmarks.record import Record
from modeldocs.struct import Struct

MAX_LATENCY_BATCH = 8
"""Largest batch of a run whose step time is called a latency."""


class Speed(Struct, frozen=True):
    """The fastest run on record: its rate in samples per second, its device, and how it ran.

    `run` says of it what a comparison needs: task, batch, input size, precision and port.
    `latency_ms` is the lowest median time of a step of a small batch, `latency_device` its device.
    """

    rate: float
    device: str
    run: str
    latency_ms: float | None = None
    latency_device: str = ""


def best(records: Iterable[Record]) -> Speed | None:
    """The highest rate among a model's records; None where none has a rate.

    It is one of those that the page of its benchmarks compares: of the usual input size of its
    task. Inference comes before training, which does more in a step.
    """
    usual = [record for group in groups.by_task([*records]).values() for record in group]
    rated = [(rate, record) for record in usual if (rate := metrics.samples_per_second(record))]
    if not rated:
        return None
    rate, record = min(rated, key=_order)
    size = groups.size(record)
    run = record.run
    words = [
        run.task if run.task != "inference" else "",
        f"batch {run.batch:,}" if run.batch else "",
        f"input {formatting.dims(size)}" if size else "",
        kind if (kind := precision(record.numerics)) != "float32" else "",
        record.model.port,
    ]
    latency = _latency([record for _, record in rated])
    return Speed(
        rate=rate,
        device=_device(record),
        run=", ".join(word for word in words if word),
        latency_ms=metrics.step_ms(latency) if latency else None,
        latency_device=_device(latency) if latency else "",
    )


def _order(rated: tuple[float, Record]) -> tuple[bool, float]:
    rate, record = rated
    return record.run.task != "inference", -rate


def _latency(records: list[Record]) -> Record | None:
    """The record with the lowest median time of an inference step of a small batch."""
    small = [
        record
        for record in records
        if record.step_ms is not None
        and record.run.task == "inference"
        and (record.run.batch or MAX_LATENCY_BATCH + 1) <= MAX_LATENCY_BATCH
    ]
    return min(small, key=lambda one: (one.run.batch or 0, metrics.step_ms(one) or 0), default=None)


def _device(record: Record) -> str:
    device = record.device
    count = device.count if device.kind == "cuda" else None
    return f"{device.name} × {count}" if count and count > 1 else device.name
