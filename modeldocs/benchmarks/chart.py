"""Charts of benchmark records as SVG without scripts, for light and dark pages and print."""

from __future__ import annotations

import html
import math
import re
from typing import Any

import altair as alt
import vl_convert

from modeldocs.benchmarks.blocks import leaves
from modeldocs.benchmarks.labels import label
from modeldocs.benchmarks.measurements import StepTimes
from modeldocs.benchmarks.record import Record
from modeldocs.errors import ModeldocsError

TEXT = "#808080"
"""Mid grey, with a contrast of about 4:1 on white and on dark pages."""
BAR = "#4a86c5"
MEDIAN = "#c9622b"
TAIL = "#9b6bc0"

MAX_BLOCKS = 15
"""Blocks in a chart."""

_WIDTH = 420


def step_chart(record: Record) -> str:
    """The distribution of a record's step times, with median and 90th percentile, as SVG.

    Steps above the 99.5th percentile are not drawn, but counted in the caption.

    Raises:
        ModeldocsError: the record has no step times.
    """
    times = record.step_ms
    if times is None:
        raise ModeldocsError("the record has no step times to draw")
    values = sorted(value for process in times.samples for value in process)
    drawn = values[: max(1, round(len(values) * 0.995))]
    title = "milliseconds per step"
    if len(drawn) < len(values):
        title += f"; {len(values) - len(drawn)} slower, up to {digits(values[-1])}, not drawn"
    unit = "steps" if times.every == 1 else f"steps, 1 in {times.every}"
    chart = _histogram(drawn, title, unit) + _marks(times)
    description = (
        f"Step times of {label(record)}. {times.n} steps, median {digits(times.p50)} ms, "
        f"90th percentile {digits(times.p90)} ms, "
        f"from {digits(values[0])} to {digits(values[-1])} ms."
    )
    return svg(chart.properties(width=_WIDTH, height=150), "Step times", description)


def block_chart(record: Record) -> str:
    """The blocks with the longest forward times, among those that hold no other block, as SVG.

    Raises:
        ModeldocsError: the record has no block times.
    """
    times = [(b.forward_us, b.path, b.kind or "") for b in leaves(record.blocks or ())]
    ordered = sorted(((us, path, kind) for us, path, kind in times if us), key=lambda b: -b[0])
    if not ordered:
        raise ModeldocsError("the record has no block times to draw")
    top = ordered[:MAX_BLOCKS]
    rows = [
        {"block": f"{path}  {kind}".strip(), "us": us, "text": digits(us)} for us, path, kind in top
    ]
    title = "forward, µs per step"
    if len(ordered) > len(top):
        title += f"; the {len(top)} longest of {len(ordered)}"
    chart = bars(rows, "block", "us", title)
    values = "; ".join(f"{row['block']}: {row['text']} µs" for row in rows)
    return svg(chart, "Forward time by block", f"Forward time of {label(record)}. {values}.")


def digits(value: float) -> str:
    """A value with three significant digits, and no exponent."""
    if value >= 100:
        return f"{value:,.0f}"
    return f"{value:#.3g}".rstrip(".")


def bars(
    rows: list[dict[str, Any]], name: str, amount: str, title: str, *, logarithmic: bool = False
) -> Any:
    """A bar a row, in order, with its text at the end; points where the axis is logarithmic."""
    across = decades([row[amount] for row in rows]) if logarithmic else _LINEAR
    base = alt.Chart(alt.Data(values=rows)).encode(
        y=alt.Y(f"{name}:N", sort=None, title=None, axis=alt.Axis(labelLimit=460)),
        x=alt.X(f"{amount}:Q", title=title, **across),
    )
    mark = (
        base.mark_point(filled=True, size=90, opacity=1)
        if logarithmic
        else base.mark_bar(height=14)
    )
    text = base.mark_text(align="left", dx=8 if logarithmic else 4, color=TEXT)
    chart = mark + text.encode(text="text:N")
    return chart.properties(width=_WIDTH, height=22 * len(rows))


_LINEAR = {"scale": alt.Scale(zero=True, nice=True), "axis": alt.Axis(tickCount=5)}


def decades(values: list[float]) -> dict[str, Any]:
    """Scale and axis of whole decades around the values, with a line at each."""
    low, high = math.floor(math.log10(min(values))), math.ceil(math.log10(max(values)))
    high = max(high, low + 1)
    powers = [10.0**power for power in range(low, high + 1)]
    scale = alt.Scale(type="log", domain=[powers[0], powers[-1]])
    return {"scale": scale, "axis": alt.Axis(values=powers, format=",~r")}


_FEW_TICKS = alt.Axis(grid=False, tickCount=6, labelSeparation=12, labelFlush=True)


def _whole_numbers(most: int) -> alt.Axis:
    """The axis of counts up to the largest, with at most five ticks."""
    return alt.Axis(values=list(range(0, most + 1, -(-most // 4))), format=",d")


def _histogram(values: list[float], title: str, unit: str) -> Any:
    """Counts of sorted values in 40 equal intervals, so that the chart has few elements."""
    low, high = values[0], values[-1]
    width = (high - low) / 40 or max(high, 1e-3) / 40
    counts = [0] * 40
    for value in values:
        counts[min(39, int((value - low) / width))] += 1
    rows = [
        {"from": low + i * width, "to": low + (i + 1) * width, "steps": count, "none": 0}
        for i, count in enumerate(counts)
        if count
    ]
    scale = alt.Scale(zero=False, nice=False)
    return (
        alt.Chart(alt.Data(values=rows))
        .mark_bar()
        .encode(
            x=alt.X("from:Q", title=title, axis=_FEW_TICKS, scale=scale),
            x2="to:Q",
            y=alt.Y("steps:Q", title=unit, axis=_whole_numbers(max(counts))),
            y2="none:Q",
        )
    )


def _marks(times: StepTimes) -> Any:
    """Lines at the median and the 90th percentile, with labels above the chart."""
    layers = []
    for name, at, color, above in (
        ("p50", times.p50, MEDIAN, -18),
        ("p90", times.p90, TAIL, -5),
    ):
        row = {"at": at, "name": f"{name} {digits(at)} ms"}
        base = alt.Chart(alt.Data(values=[row])).encode(x="at:Q")
        text = base.mark_text(align="center", color=color, fontWeight="bold")
        layers.append(base.mark_rule(color=color, strokeWidth=2))
        layers.append(text.encode(y=alt.value(above), text="name:N"))
    return alt.layer(*layers)


def svg(chart: Any, title: str, description: str) -> str:
    """The chart as SVG without background, with a title and a description for screen readers."""
    styled = (
        chart.configure(background="transparent", font="sans-serif")
        .configure_view(stroke=None)
        .configure_axis(
            labelColor=TEXT,
            titleColor=TEXT,
            tickColor=TEXT,
            domainColor=TEXT,
            gridColor=TEXT,
            gridOpacity=0.25,
            titleFontWeight="normal",
            labelFontSize=12,
            titleFontSize=12,
        )
        .configure_text(fontSize=12)
        .configure_bar(color=BAR)
        .configure_point(color=BAR)
    )
    svg: str = vl_convert.vegalite_to_svg(styled.to_dict())
    return _with_description(svg, title, description)


def _with_description(svg: str, title: str, description: str) -> str:
    """The SVG as one image with one description; the library gives each of its parts a role."""
    roleless = re.sub(r' (?:role|aria-[a-z]+)="[^"]*"', "", svg)
    head = f'<svg role="img" aria-label="{html.escape(description)}"'
    content = f"<title>{html.escape(title)}</title><desc>{html.escape(description)}</desc>"
    image = re.sub(r"^<svg", lambda _: head, roleless.strip(), count=1)
    return re.sub(r"^(<svg[^>]*>)", lambda m: m.group(1) + content, image, count=1) + "\n"
