"""The chart of a series of records: step times in order, with the noise band of each."""

from __future__ import annotations

from collections import Counter

import altair as alt

from modeldocs.benchmarks import chart
from modeldocs.benchmarks.regression import Answer
from modeldocs.benchmarks.series import Series, SeriesPoint

SIGNS: dict[Answer, str] = {
    "faster": "▼ faster",
    "slower": "▲ slower",
    "no difference found": "= no difference",
    "cannot tell": "? cannot tell",
}
"""Words above a point, by the verdict on it and the one before."""

_PER_POINT, _NARROWEST, _WIDEST = 115, 300, 860


def series_chart(one: Series) -> str:
    """Milliseconds of a step of each record, as SVG; a translucent bar is its noise band."""
    names = _names(one)
    rows = [
        {
            "run": name,
            "ms": point.ms,
            "low": point.low,
            "high": point.high,
            "top": point.high or point.ms,
            "time": _time(point),
            "sign": _sign(point),
        }
        for name, point in zip(names, one.points, strict=True)
    ]
    base = alt.Chart(alt.Data(values=rows)).encode(
        x=alt.X(
            "run:N",
            sort=None,
            title=None,
            axis=alt.Axis(labelAngle=0, labelExpr="split(datum.label, '|')", labelLimit=200),
        )
    )
    scale = alt.Scale(zero=False, nice=True, padding=34)
    times = base.encode(
        y=alt.Y("ms:Q", title="ms per step", scale=scale, axis=alt.Axis(tickCount=5))
    )
    bands = (
        base.transform_filter("isValid(datum.low)")
        .mark_bar(size=34, opacity=0.35, color=chart.BAR)
        .encode(y=alt.Y("low:Q", scale=scale), y2="high:Q")
    )
    drawn = alt.layer(
        bands,
        times.mark_line(color=chart.BAR, strokeWidth=1.5),
        times.mark_point(filled=True, size=50, opacity=1),
        *(
            base.mark_text(baseline="bottom", dy=above, color=chart.TEXT).encode(
                y=alt.Y("top:Q", scale=scale), text=f"{text}:N"
            )
            for text, above in (("time", -18), ("sign", -4))
        ),
    )
    width = min(_WIDEST, max(_NARROWEST, _PER_POINT * len(rows)))
    values = "; ".join(
        ", ".join(filter(None, (name.replace("|", ", "), _time(point), _sign(point))))
        for name, point in zip(names, one.points, strict=True)
    )
    described = f"Milliseconds of a step of {one.title}. {values}."
    return chart.svg(drawn.properties(width=width, height=200), "Step times of a series", described)


def _time(point: SeriesPoint) -> str:
    return f"{chart.digits(point.ms)} ms"


def _sign(point: SeriesPoint) -> str:
    return SIGNS[point.verdict.answer] if point.verdict is not None else ""


def _names(one: Series) -> list[str]:
    """What varies, a line each; a number tells equal ones apart."""
    counts: Counter[str] = Counter()
    names = []
    for point in one.points:
        name = "|".join(
            value if key in ("date", "framework version") else f"{key} {value}"
            for key, value in point.versions.items()
            if key != "source"
        )
        counts[name] += 1
        number = f"run {counts[name]}" if counts[name] > 1 or not name else ""
        names.append("|".join(filter(None, [name, number])))
    return names
