"""Records drawn as SVG, without script: legible on a light and on a dark page, and in print."""

from __future__ import annotations

import html
import math
import re
from collections.abc import Sequence
from typing import Any

import altair as alt
import vl_convert

from modeldocs.benchmarks import metrics
from modeldocs.benchmarks.quantities import Block, StepTimes
from modeldocs.benchmarks.record import Record
from modeldocs.errors import ModeldocsError

TEXT = "#808080"
"""Mid grey: about 4 to 1 against white and against a dark page alike."""
BAR = "#4a86c5"
MEDIAN = "#c9622b"
TAIL = "#9b6bc0"

MOST_BLOCKS = 15
LOGARITHMIC_FROM = 30.0
"""Largest rate against the smallest, from where bars become points on a logarithmic axis."""

_WIDTH = 420


def label(record: Record) -> str:
    """`device · port · batch · precision · date`, with the task where it is training."""
    run = record.run
    parts = [
        record.device.name,
        record.model.port or "port unknown",
        f"batch {run.batch}" if run.batch else "batch unknown",
        record.numerics.dtype or "precision unknown",
        *(["training"] if run.task == "training" else []),
        run.date,
        *([run.tag] if run.tag else []),
    ]
    return " · ".join(parts)


def throughput_chart(records: Sequence[Record]) -> str:
    """Samples a second of each record that has them, fastest first, as an SVG.

    Bars start at zero; where the rates lie far apart they are points on a logarithmic axis,
    since the length of a bar means nothing there.

    Raises:
        ModeldocsError: no record has a throughput.
    """
    rates = [(label(record), metrics.samples_per_second(record)) for record in records]
    known = sorted(((rate, name) for name, rate in rates if rate), reverse=True)
    if not known:
        raise ModeldocsError("no record has a throughput to draw")
    wide = known[0][0] > LOGARITHMIC_FROM * known[-1][0]
    rows = [
        {"run": f"{name} ({number})" if number > 1 else name, "rate": rate, "told": _told(rate)}
        for name, rate, number in _numbered(known)
    ]
    title = "samples a second" + (", logarithmic" if wide else "")
    drawn = _bars(rows, "run", "rate", title, logarithmic=wide)
    said = "; ".join(f"{row['run']}: {row['told']}" for row in rows)
    return _svg(drawn, "Samples a second", f"Samples a second, fastest first. {said}.")


def step_chart(record: Record) -> str:
    """How the step times of a record are spread, with the median and the 90th percentile.

    Steps above the 99.5th percentile are left out of the drawing, and counted in the caption.

    Raises:
        ModeldocsError: the record has no step times.
    """
    times = record.step_ms
    if times is None:
        raise ModeldocsError("the record has no step times to draw")
    values = sorted(value for process in times.samples for value in process)
    shown = values[: max(1, round(len(values) * 0.995))]
    title = "milliseconds a step"
    if len(shown) < len(values):
        title += f"; {len(values) - len(shown)} slower, up to {_told(values[-1])}, not drawn"
    counted = "steps" if times.every == 1 else f"steps, 1 in {times.every}"
    drawn = _histogram(shown, title, counted) + _marks(times)
    said = (
        f"Step times of {label(record)}. {times.n} steps, median {_told(times.p50)} ms, "
        f"90th percentile {_told(times.p90)} ms, from {_told(values[0])} to {_told(values[-1])} ms."
    )
    return _svg(drawn.properties(width=_WIDTH, height=150), "Step times", said)


def block_chart(record: Record) -> str:
    """The blocks with the longest forward time, those that hold no other block, as an SVG.

    Raises:
        ModeldocsError: the record has no block times.
    """
    known = [(b.forward_us, b.path, b.kind or "") for b in leaves(record.blocks or ())]
    timed = sorted(((us, path, kind) for us, path, kind in known if us), key=lambda b: -b[0])
    if not timed:
        raise ModeldocsError("the record has no block times to draw")
    top = timed[:MOST_BLOCKS]
    rows = [
        {"block": f"{path}  {kind}".strip(), "us": us, "told": _told(us)} for us, path, kind in top
    ]
    title = "forward, µs a step"
    if len(timed) > len(top):
        title += f"; the {len(top)} longest of {len(timed)}"
    drawn = _bars(rows, "block", "us", title)
    said = "; ".join(f"{row['block']}: {row['told']} µs" for row in rows)
    return _svg(drawn, "Forward time by block", f"Forward time of {label(record)}. {said}.")


def leaves(blocks: Sequence[Block]) -> list[Block]:
    """The blocks that hold no other block of the list."""
    holders = {path for block in blocks for path in _above(block.path)}
    return [block for block in blocks if block.path not in holders]


def _above(path: str) -> list[str]:
    steps = path.split(".")
    return [".".join(steps[:count]) for count in range(1, len(steps))]


def _numbered(rows: list[tuple[float, str]]) -> list[tuple[str, float, int]]:
    """Name, rate, and which of that name it is, since equal labels would share a row."""
    seen: dict[str, int] = {}
    found = []
    for rate, name in rows:
        seen[name] = seen.get(name, 0) + 1
        found.append((name, rate, seen[name]))
    return found


def _told(value: float) -> str:
    """Three significant digits, in full."""
    if value >= 100:
        return f"{value:,.0f}"
    return f"{value:#.3g}".rstrip(".")


def _bars(
    rows: list[dict[str, Any]], name: str, amount: str, title: str, *, logarithmic: bool = False
) -> Any:
    across = _logarithmic([row[amount] for row in rows]) if logarithmic else _LINEAR
    base = alt.Chart(alt.Data(values=rows)).encode(
        y=alt.Y(f"{name}:N", sort=None, title=None, axis=alt.Axis(labelLimit=460)),
        x=alt.X(f"{amount}:Q", title=title, **across),
    )
    mark = (
        base.mark_point(filled=True, size=90, opacity=1)
        if logarithmic
        else base.mark_bar(height=14)
    )
    words = base.mark_text(align="left", dx=8 if logarithmic else 4, color=TEXT)
    drawn = mark + words.encode(text="told:N")
    return drawn.properties(width=_WIDTH, height=22 * len(rows))


_LINEAR = {"scale": alt.Scale(zero=True, nice=True), "axis": alt.Axis(tickCount=5)}


def _logarithmic(values: list[float]) -> dict[str, Any]:
    """Whole decades around the values, a line at each."""
    low, high = math.floor(math.log10(min(values))), math.ceil(math.log10(max(values)))
    decades = [10.0**power for power in range(low, high + 1)]
    scale = alt.Scale(type="log", domain=[decades[0], decades[-1]])
    return {"scale": scale, "axis": alt.Axis(values=decades, format=",~r")}


def _histogram(values: list[float], title: str, counted: str) -> Any:
    """Counts of steps in 40 equal intervals, made here so that the drawing has few elements."""
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
            x=alt.X("from:Q", title=title, axis=alt.Axis(grid=False), scale=scale),
            x2="to:Q",
            y=alt.Y("steps:Q", title=counted, axis=alt.Axis(tickCount=4)),
            y2="none:Q",
        )
    )


def _marks(times: StepTimes) -> Any:
    """Rules at the median and the 90th percentile, named above the drawing."""
    layers = []
    for name, at, color, above in (
        ("p50", times.p50, MEDIAN, -18),
        ("p90", times.p90, TAIL, -5),
    ):
        row = {"at": at, "name": f"{name} {_told(at)} ms"}
        base = alt.Chart(alt.Data(values=[row])).encode(x="at:Q")
        words = base.mark_text(align="center", color=color, fontWeight="bold")
        layers.append(base.mark_rule(color=color, strokeWidth=2))
        layers.append(words.encode(y=alt.value(above), text="name:N"))
    return alt.layer(*layers)


def _svg(drawn: Any, title: str, said: str) -> str:
    """The chart as SVG with no background, its text in a title and a description."""
    styled = (
        drawn.configure(background="transparent", font="sans-serif")
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
    made: str = vl_convert.vegalite_to_svg(styled.to_dict())
    return _named(made, title, said)


def _named(svg: str, title: str, said: str) -> str:
    """One image with one text, in place of the roles that the drawing library gives each part."""
    plain = re.sub(r' (?:role|aria-[a-z]+)="[^"]*"', "", svg)
    head = f'<svg role="img" aria-label="{html.escape(said)}"'
    inside = f"<title>{html.escape(title)}</title><desc>{html.escape(said)}</desc>"
    opened = re.sub(r"^<svg", lambda _: head, plain.strip(), count=1)
    return re.sub(r"^(<svg[^>]*>)", lambda m: m.group(1) + inside, opened, count=1) + "\n"
