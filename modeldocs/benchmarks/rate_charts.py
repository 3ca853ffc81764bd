"""Charts of the rates of many runs: by device, over the years, and of frameworks on one device."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence

import altair as alt

from modeldocs.benchmarks import chart, metrics
from modeldocs.benchmarks.devices import DEVICES, short_name
from modeldocs.benchmarks.labels import is_half, settings, software_name
from modeldocs.benchmarks.record import Record
from modeldocs.errors import ModeldocsError

_CLOSE = 1.25
"""Ratio of two rates of one year below which their labels would cover each other."""

_COLOURS = {
    "16 bit": chart.BAR,
    "16 bit, compiled": chart.MEDIAN,
    "32 bit": chart.TAIL,
    "32 bit, compiled": chart.TEXT,
}
"""Colours of points by precision, and whether the model was compiled."""

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


def history_chart(records: Sequence[Record]) -> str:
    """The best rate of forward passes on each device by its year of release, as SVG.

    A colour stands for a precision, compiled or not.

    Raises:
        ModeldocsError: no record has both a rate and a device of known year.
    """
    best: dict[tuple[str, str], float] = {}
    for record in records:
        rate = metrics.forward_samples_per_second(record)
        if rate and record.device.name in DEVICES:
            key = record.device.name, _kind(record)
            best[key] = max(best.get(key, 0.0), rate)
    if not best:
        raise ModeldocsError("no record has a device of a known year")
    rows = [
        {"year": year, "rate": rate, "kind": kind, "name": name}
        for year, kind, rate, name in _merged(best)
    ]
    kinds = sorted({kind for _, kind in best})
    years = [DEVICES[device].year for device, _ in best]
    base = alt.Chart(alt.Data(values=rows)).encode(
        x=alt.X(
            "year:Q",
            title="release of the device",
            axis=alt.Axis(format="d", tickMinStep=1),
            scale=alt.Scale(domain=[min(years) - 0.5, max(years) + 2.5]),
        ),
        y=alt.Y("rate:Q", title="samples per second, forward", **chart.decades([*best.values()])),
    )
    points = base.mark_point(filled=True, size=90, opacity=1).encode(
        color=alt.Color(
            "kind:N",
            title=None,
            scale=alt.Scale(domain=kinds, range=[_COLOURS[kind] for kind in kinds]),
            legend=alt.Legend(orient="top", labelColor=chart.TEXT, labelFontSize=12),
        )
    )
    names = base.mark_text(
        align="left", dx=8, dy=-3, angle=345, color=chart.TEXT, fontSize=11
    ).encode(text="name:N")
    values = "; ".join(
        f"{DEVICES[device].year} {device}, {kind}: {rate:,.0f}"
        for (device, kind), rate in sorted(best.items())
    )
    drawn = (points + names).properties(width=860, height=300)
    return chart.svg(drawn, "Rates over the years", f"Samples per second. {values}.")


def _merged(best: Mapping[tuple[str, str], float]) -> list[tuple[int, str, float, str]]:
    """Year, kind, rate and label of each point; one label for points that lie close."""
    points: list[tuple[int, str, float, str]] = []
    for (device, kind), rate in sorted(best.items(), key=lambda item: -item[1]):
        year = DEVICES[device].year
        name = short_name(device)
        for number, (other_year, other_kind, other_rate, label) in enumerate(points):
            if other_year == year and label and other_rate < _CLOSE * rate:
                if name not in label:
                    label = f"{label}, {name}"
                points[number] = (other_year, other_kind, other_rate, label)
                name = ""
                break
        points.append((year, kind, rate, name))
    return points


def _kind(record: Record) -> str:
    precision = "16 bit" if is_half(record.numerics) else "32 bit"
    return f"{precision}, compiled" if record.numerics.compiled else precision


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
