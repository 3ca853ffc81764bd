"""Pairs of equal runs: generated, published and measured on this machine."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import permutations
from pathlib import Path
from typing import Final

import numpy as np

from modeldocs.benchmarks import readers
from modeldocs.benchmarks.record import Record

from . import generated, measured
from .generated import Series

Pair = tuple[Series, Series]

PUBLISHED: Final = (
    Path(__file__).resolve().parents[2] / "../shared/data/published/cnn-benchmarks/outputs"
).resolve()

SEED: Final = 20_261_123
"""Seed of the generated runs; the test was chosen on others."""

KEPT: Final = 1000
"""Steps of a process that are used, as many as a record keeps."""


@dataclass(frozen=True)
class Repeated:
    """Pairs of equal runs of one source."""

    source: str
    name: str
    pairs: list[Pair]


def every(count: int) -> Iterator[Repeated]:
    """All sources, with at most so many pairs of each."""
    for name in generated.MODELS:
        random = np.random.default_rng([SEED, len(name)])
        pairs = [(generated.run(name, random), generated.run(name, random)) for _ in range(count)]
        yield Repeated("generated", name, pairs)
    yield from _published()
    for name in measured.PROGRAMS:
        processes = [np.array(times[:KEPT]) for times in measured.recorded(name)]
        for size in (3, 10):
            pairs = _runs(processes, size)
            chosen = np.random.default_rng(SEED).permutation(len(pairs))[:count]
            yield Repeated("measured", f"{name}, {size} processes", [pairs[i] for i in chosen])


def _runs(processes: Series, size: int) -> list[Pair]:
    """All pairs of runs of so many consecutive processes that have no process in common."""
    starts = range(len(processes) - size + 1)
    return [
        (processes[a : a + size], processes[b : b + size])
        for a in starts
        for b in starts
        if abs(a - b) >= size
    ]


def _published() -> Iterator[Repeated]:
    """Runs of cnn-benchmarks with equal options, in both orders; none where they are absent."""
    runs: dict[tuple[object, ...], list[Record]] = defaultdict(list)
    for file in sorted(PUBLISHED.rglob("*.json")):
        _, recordings = readers.read(file)
        for recording in recordings:
            record = recording.record
            key = (file.parent.name, record.model.id, record.run, record.software)
            runs[str(key)].append(record)
    for kind, name in (("cuda", "GTX 1080, one process"), ("cpu", "CPU, one process")):
        pairs = [
            (_series(a), _series(b))
            for equal in runs.values()
            for a, b in permutations(equal, 2)
            if a.device.kind == kind
        ]
        if pairs:
            yield Repeated("published", name, pairs)


def _series(record: Record) -> Series:
    assert record.step_ms is not None
    return [np.array(process) for process in record.step_ms.samples]
