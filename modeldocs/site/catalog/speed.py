"""The best recorded latency of a model."""

from __future__ import annotations

from collections.abc import Iterable

from modeldocs.benchmarks.record import Record
from modeldocs.struct import Struct


class Speed(Struct, frozen=True):
    """The fastest run on record: the median time of a step, its device, and how it ran."""

    ms: float
    device: str
    run: str


def best(records: Iterable[Record]) -> Speed | None:
    """The lowest latency among a model's records; None where no step was timed.

    Inference comes before training, and a smaller batch before a larger one, since a step of a
    larger batch says less about latency.
    """
    timed = [record for record in records if record.step_ms is not None]
    if not timed:
        return None
    record = min(timed, key=_order)
    assert record.step_ms is not None
    device, run = record.device, record.run
    count = f" × {device.count}" if device.count and device.count > 1 else ""
    words = [
        run.task if run.task != "inference" else "",
        f"batch {run.batch}" if run.batch else "",
        record.numerics.dtype if record.numerics.dtype != "float32" else "",
        record.model.port,
    ]
    return Speed(
        ms=record.step_ms.p50, device=f"{device.name}{count}", run=", ".join(filter(None, words))
    )


def _order(record: Record) -> tuple[bool, float, float]:
    assert record.step_ms is not None
    batch = record.run.batch or float("inf")
    return record.run.task != "inference", batch, record.step_ms.p50
