"""The chart of rates against the work of a sample, for many models and devices."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import altair as alt

from modeldocs.benchmarks import chart
from modeldocs.benchmarks.devices import short_name
from modeldocs.benchmarks.record import Record

TERAFLOPS = (1, 10, 100)
"""Rates of operations, in 10^12 per second, at which the chart has a line."""

_COLOURS = ("#4a86c5", "#c9622b", "#9b6bc0", "#4f9a57", "#b5892f", "#808080", "#c05a8a", "#3f9aa3")


class WorkPoint(NamedTuple):
    """A run: its rate in samples per second, and the multiply-accumulates of a sample."""

    record: Record
    rate: float
    macs: int


def work_chart(points: Sequence[WorkPoint]) -> str:
    """Samples per second against MACs of a sample, both logarithmic, a colour a device, as SVG.

    Runs on one of the lines do equally many operations per second, 2 a multiply-accumulate.
    """
    ordered = sorted(points, key=lambda one: (one.record.device.name, one.macs, -one.rate))
    rows = [
        {
            "macs": one.macs / 1e9,
            "rate": one.rate,
            "device": short_name(one.record.device.name),
        }
        for one in ordered
    ]
    devices = sorted({str(row["device"]) for row in rows})
    colours = [_COLOURS[number % len(_COLOURS)] for number in range(len(devices))]
    across = chart.decades([one.macs / 1e9 for one in points])
    up = chart.decades([one.rate for one in points])
    runs = (
        alt.Chart(alt.Data(values=rows))
        .mark_point(filled=True, size=80, opacity=1)
        .encode(
            x=alt.X("macs:Q", title="multiply-accumulates of a sample, 10⁹", **across),
            y=alt.Y("rate:Q", title="samples per second", **up),
            color=alt.Color(
                "device:N",
                title=None,
                scale=alt.Scale(domain=devices, range=colours),
                legend=alt.Legend(
                    orient="top", columns=6, labelColor=chart.TEXT, labelFontSize=12, labelLimit=300
                ),
            ),
        )
    )
    drawn = alt.layer(*_lines(across["scale"].domain, up["scale"].domain), runs)
    values = "; ".join(
        f"{one.record.model.id} on {one.record.device.name}: {one.rate:,.0f}/s at "
        f"{one.macs / 1e9:.3g} GMACs"
        for one in ordered
    )
    return chart.svg(
        drawn.properties(width=860, height=340),
        "Rate against work",
        f"Samples per second against multiply-accumulates. {values}.",
    )


def _lines(across: Sequence[float], up: Sequence[float]) -> list[Any]:
    """A line for each rate of operations, cut to the chart, with its name at the lower end."""
    layers: list[Any] = []
    for tera in TERAFLOPS:
        giga = tera * 1e3 / 2  # 10^9 MACs per second
        left = max(across[0], giga / up[1])
        right = min(across[1], giga / up[0])
        if left >= right:
            continue
        ends = [{"x": x, "y": giga / x} for x in (left, right)]
        base = alt.Chart(alt.Data(values=ends)).encode(x="x:Q", y="y:Q")
        layers.append(base.mark_line(color=chart.TEXT, strokeDash=[4, 4], strokeWidth=1))
        name = alt.Chart(alt.Data(values=[{**ends[1], "name": f"{tera} TFLOP/s"}]))
        text = name.mark_text(align="right", dx=-6, dy=-14, color=chart.TEXT, fontSize=11)
        layers.append(text.encode(x="x:Q", y="y:Q", text="name:N"))
    return layers
