"""Records of a catalog for the commands that list and compare them."""

from __future__ import annotations

from pathlib import Path

import msgspec
import numpy as np

from modeldocs.benchmarks import measurements, metadata, record
from modeldocs.benchmarks.record import Record
from modeldocs.benchmarks.summary import summarise
from tests.benchmarks.examples import example


def measured(factor: float = 1.0, *, tag: str | None = None, batch: int = 2) -> Record:
    """A run of three processes of 200 steps of about 10 ms, slower by a factor."""
    random = np.random.default_rng(len(tag or ""))
    steps = 10 * factor * np.exp(random.normal(0, 0.005, (3, 200)))
    times = summarise(steps.tolist())
    return example(
        model=metadata.MeasuredModel(id="net", port="caffe"),
        run=metadata.RunOptions(
            date="2026-11-20",
            task="inference",
            batch=batch,
            input_shapes={"": (batch, 1, 28, 28)},
            synthetic_input=True,
            tag=tag,
        ),
        numerics=metadata.Numerics(dtype="float32", amp=False),
        method=metadata.Method(warmup_steps=10, warmup_us=2e6, steps=600, processes=3),
        step_ms=times,
        throughput=measurements.Throughput(samples=600 * batch, wall_us=times.mean * 600 * 1e3),
        blocks=(
            measurements.Block(path="conv1", kind="Conv", forward_us=6000.0 * factor),
            measurements.Block(path="fc", kind="Gemm", forward_us=3000.0),
        ),
    )


def write(folder: Path, made: Record) -> str:
    """Write a record into the catalog of the current folder; its name there."""
    return f"net/{record.write(made, folder / 'models' / 'net').stem}"


def without_steps(made: Record) -> Record:
    """The record with a mean of its steps alone, as published tables give it."""
    assert made.step_ms is not None
    return msgspec.structs.replace(made, step_ms=None, mean_ms=made.step_ms.mean)


def with_blocks(made: Record, times: dict[str, float]) -> Record:
    """The record with blocks of these forward times, in microseconds."""
    blocks = tuple(measurements.Block(path=path, forward_us=us) for path, us in times.items())
    return msgspec.structs.replace(made, blocks=blocks)
