"""Rates of a network by the year in which a device came out: the best of each device."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from modeldocs.benchmarks import metrics
from modeldocs.benchmarks.devices import DEVICES
from modeldocs.benchmarks.labels import is_half
from modeldocs.benchmarks.record import Record
from modeldocs.struct import Struct

Best = Mapping[tuple[str, str], float]
"""The best rate in samples per second, by device and kind of run."""


class Generation(Struct, frozen=True):
    """The best rate of forward passes on a device, in samples per second.

    `kind` is the precision, and whether the model was compiled. `factor` is the rate over that of
    the oldest device with runs of the kind, the fastest of its year.
    """

    device: str
    year: int
    kind: str
    rate: float
    factor: float


class Gain(Struct, frozen=True):
    """The fastest device of the newest year against the fastest of the oldest."""

    first: Generation
    last: Generation

    @property
    def factor(self) -> float:
        """The rate of the last over that of the first."""
        return self.last.rate / self.first.rate

    @property
    def yearly(self) -> float:
        """The factor of one year."""
        return float(self.factor ** (1 / (self.last.year - self.first.year)))


def best(records: Iterable[Record]) -> Best:
    """The best rates of records with a rate, and a device whose year is known."""
    found: dict[tuple[str, str], float] = {}
    for record in records:
        rate = metrics.forward_samples_per_second(record)
        if rate and record.device.name in DEVICES:
            key = record.device.name, _kind(record)
            found[key] = max(found.get(key, 0.0), rate)
    return found


def generations(records: Iterable[Record]) -> Sequence[Generation]:
    """The best rates by kind and year, the oldest first."""
    found = best(records)
    oldest: dict[str, tuple[int, float]] = {}
    for (device, kind), rate in found.items():
        first = DEVICES[device].year, -rate
        oldest[kind] = min(oldest.get(kind, first), first)
    rows = [
        Generation(
            device=device,
            year=DEVICES[device].year,
            kind=kind,
            rate=rate,
            factor=rate / -oldest[kind][1],
        )
        for (device, kind), rate in found.items()
    ]
    return sorted(rows, key=lambda one: (one.kind, one.year, one.rate))


def gains(rows: Sequence[Generation]) -> list[Gain]:
    """The gain over all kinds, and that in each kind; none where devices are of one year."""
    kinds = sorted({row.kind for row in rows})
    groups = [rows, *([row for row in rows if row.kind == kind] for kind in kinds)]
    return list(dict.fromkeys(filter(None, map(_gain, groups))))


def _gain(rows: Sequence[Generation]) -> Gain | None:
    first = min(rows, key=lambda row: (row.year, -row.rate))
    last = max(rows, key=lambda row: (row.year, row.rate))
    return Gain(first=first, last=last) if first.year < last.year else None


def _kind(record: Record) -> str:
    precision = "16 bit" if is_half(record.numerics) else "32 bit"
    return f"{precision}, compiled" if record.numerics.compiled else precision
