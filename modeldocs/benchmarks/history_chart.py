"""The chart of a network's rates over the years: the best of each device, by its release."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any, NamedTuple

import altair as alt

from modeldocs.benchmarks import chart, generations, point_labels
from modeldocs.benchmarks.devices import DEVICES, short_name
from modeldocs.benchmarks.generations import Best
from modeldocs.benchmarks.point_labels import LabelledPoint
from modeldocs.benchmarks.record import Record
from modeldocs.errors import ModeldocsError

_COLOURS = {
    "16 bit": chart.BAR,
    "16 bit, compiled": chart.MEDIAN,
    "32 bit": chart.TAIL,
    "32 bit, compiled": chart.TEXT,
}
"""Colours of points by precision, and whether the model was compiled."""

_WIDTH, _HEIGHT = 860, 300


class _ChartFrame(NamedTuple):
    """What the chart's axes reach: years from left to right, rates from the bottom to the top."""

    years: tuple[float, float]
    rates: tuple[float, float]

    def pixels(self, year: float, rate: float) -> tuple[float, float]:
        """Pixels from the left and from the top."""
        across = (year - self.years[0]) / (self.years[1] - self.years[0])
        low, high = map(math.log10, self.rates)
        return _WIDTH * across, _HEIGHT * (high - math.log10(rate)) / (high - low)

    def place(self, x: float, y: float) -> dict[str, Any]:
        """Year and rate of a place in pixels."""
        low, high = map(math.log10, self.rates)
        year = self.years[0] + x / _WIDTH * (self.years[1] - self.years[0])
        return {"year": year, "rate": 10 ** (high - y / _HEIGHT * (high - low))}


def history_chart(records: Iterable[Record]) -> str:
    """The best rate of forward passes on each device by its year of release, as SVG.

    A colour stands for a precision, compiled or not.

    Raises:
        ModeldocsError: no record has both a rate and a device of known year.
    """
    best = generations.best(records)
    if not best:
        raise ModeldocsError("no record has a device of a known year")
    years = [DEVICES[device].year for device, _ in best]
    upwards = chart.decades([*best.values()])
    ends = upwards["scale"].domain
    frame = _ChartFrame((min(years) - 0.5, max(years) + 0.5), (ends[0], ends[-1]))
    drawn = _chart(best, frame, upwards).properties(width=_WIDTH, height=_HEIGHT)
    values = "; ".join(
        f"{DEVICES[device].year} {device}, {kind}: {rate:,.0f}"
        for (device, kind), rate in sorted(best.items())
    )
    return chart.svg(drawn, "Rates over the years", f"Samples per second. {values}.")


def _chart(best: Best, frame: _ChartFrame, upwards: dict[str, Any]) -> Any:
    ordered = sorted(best.items(), key=lambda item: -item[1])
    dots = point_labels.spread(
        [
            LabelledPoint(*frame.pixels(DEVICES[device].year, rate), short_name(device))
            for (device, _), rate in ordered
        ],
        _WIDTH,
    )
    names = point_labels.places(dots, _WIDTH, _HEIGHT)
    kinds = sorted({kind for _, kind in best})
    across = alt.X(
        "year:Q",
        title="release of the device",
        axis=alt.Axis(format="d", values=list(range(*map(math.ceil, frame.years)))),
        scale=alt.Scale(domain=frame.years, nice=False),
    )
    y = alt.Y("rate:Q", title="samples per second, forward", **upwards)
    colour = alt.Color(
        "kind:N",
        title=None,
        scale=alt.Scale(domain=kinds, range=[_COLOURS[kind] for kind in kinds]),
        legend=alt.Legend(orient="top", labelColor=chart.TEXT, labelFontSize=12),
    )
    points = _rows(
        frame.place(dot.x, dot.y) | {"kind": kind}
        for dot, ((_, kind), _) in zip(dots, ordered, strict=True)
    )
    texts = [
        _rows(
            frame.place(one.x, one.y) | {"name": one.label} for one in names if one.align == align
        )
        .mark_text(align=align, baseline="middle", color=chart.TEXT, fontSize=point_labels.SIZE)
        .encode(x=across, y=y, text="name:N")
        for align in sorted({one.align for one in names})
    ]
    marks = points.mark_point(filled=True, size=90, opacity=1).encode(x=across, y=y, color=colour)
    return alt.layer(marks, *texts)


def _rows(rows: Iterable[dict[str, Any]]) -> Any:
    return alt.Chart(alt.Data(values=list(rows)))
