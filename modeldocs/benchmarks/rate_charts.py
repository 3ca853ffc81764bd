"""Charts of the rates of many runs: by device, and of frameworks on one device."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence

from modeldocs.benchmarks import chart, metrics
from modeldocs.benchmarks.devices import short_name
from modeldocs.benchmarks.labels import settings, software_name
from modeldocs.benchmarks.record import Record
from modeldocs.errors import ModeldocsError

LOGARITHMIC_FROM = 30.0
"""Ratio of the largest to the smallest rate above which the axis is logarithmic."""


def label(record: Record) -> str:
    """`device · software · conditions · batch`, what a bar stands for among runs of one task."""
    parts = [
        short_name(record.device.name),
        software_name(record.software),
        *settings(record),
        f"batch {record.run.batch:,}" if record.run.batch else "batch unknown",
    ]
    return " · ".join(part for part in parts if part)


def rate_chart(records: Sequence[Record]) -> str:
    """Samples per second of runs of one task, as SVG: devices with the fastest run first.

    Rates are bars that start at zero, or points on a logarithmic axis where they lie far apart.

    Raises:
        ModeldocsError: no record has a rate.
    """
    rated = _rated(records)
    if not rated:
        raise ModeldocsError("no record has a throughput to draw")
    best: dict[str, float] = defaultdict(float)
    for rate, record in rated:
        best[record.device.name] = max(best[record.device.name], rate)

    def place(one: tuple[float, Record]) -> tuple[float, str, float]:
        device = one[1].device.name
        return -best[device], device, -one[0]

    ordered = sorted(rated, key=place)
    rates = [rate for rate, _ in ordered]
    wide = max(rates) > LOGARITHMIC_FROM * min(rates)
    rows = [
        {"run": name, "rate": rate, "text": chart.digits(rate)}
        for name, (rate, _) in zip(_distinct(r for _, r in ordered), ordered, strict=True)
    ]
    title = "samples per second" + (", logarithmic" if wide else "")
    values = "; ".join(f"{row['run']}: {row['text']}" for row in rows)
    drawn = chart.bars(rows, "run", "rate", title, logarithmic=wide)
    return chart.svg(drawn, "Samples per second", f"Samples per second by device. {values}.")


def framework_chart(records: Sequence[Record]) -> str:
    """Time of a step of runs with equal device, task, batch and shape, relative to the fastest.

    Raises:
        ModeldocsError: no record has the time of a step.
    """
    timed = sorted(
        ((ms, record) for record in records if (ms := metrics.step_ms(record))),
        key=lambda one: one[0],
    )
    if not timed:
        raise ModeldocsError("no record has the time of a step to draw")
    fastest = timed[0][0]
    names = _distinct((record for _, record in timed), name=_software)
    rows = [
        {"run": name, "times": ms / fastest, "text": f"{ms / fastest:.2f} × ({ms:,.4g} ms)"}
        for name, (ms, _) in zip(names, timed, strict=True)
    ]
    values = "; ".join(f"{row['run']}: {row['text']}" for row in rows)
    drawn = chart.bars(rows, "run", "times", "time of a step, the fastest is 1")
    return chart.svg(drawn, "Frameworks on one device", f"Time relative to the fastest. {values}.")


def _rated(records: Iterable[Record]) -> list[tuple[float, Record]]:
    rates = ((metrics.samples_per_second(record), record) for record in records)
    return [(rate, record) for rate, record in rates if rate]


def _software(record: Record) -> str:
    name = software_name(record.software)
    return " · ".join([name or "software unknown", *settings(record)])


def _distinct(records: Iterable[Record], name: Callable[[Record], str] = label) -> list[str]:
    """The records' names; a number tells equal ones apart, which would share a bar."""
    counts: Counter[str] = Counter()
    names = []
    for record in records:
        text = name(record)
        counts[text] += 1
        names.append(f"{text} ({counts[text]})" if counts[text] > 1 else text)
    return names
