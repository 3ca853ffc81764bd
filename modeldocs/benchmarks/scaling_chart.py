"""Chart of a forecast of data-parallel training: the time of a step against the workers."""

from __future__ import annotations

import altair as alt

from modeldocs.benchmarks import chart
from modeldocs.benchmarks.forecast import WORLDS, FittedForecast, recorded
from modeldocs.benchmarks.labels import label

_COLOURS = {
    "blocking": chart.MEDIAN,
    "overlapped": chart.BAR,
    "overlapped, without contention": chart.TAIL,
    "one worker alone": chart.TEXT,
    "without all-reduce": chart.TEXT,
}

_DASHES = {"overlapped": [7, 5]}


def scaling_chart(fit: FittedForecast) -> str:
    """Steps of the model as lines, for 1 to 1,024 workers, and recorded steps as points; SVG."""
    lines = _lines(fit)
    kinds = list(dict.fromkeys(str(row["kind"]) for row in lines))
    colour = alt.Color(
        "kind:N",
        title=None,
        scale=alt.Scale(domain=kinds, range=[_COLOURS[kind] for kind in kinds]),
        legend=alt.Legend(
            orient="top",
            labelColor=chart.TEXT,
            labelFontSize=12,
            labelLimit=300,
            symbolType="stroke",
        ),
    )
    # Dashed, since it may lie on the other lines.
    dash = alt.StrokeDash(
        "kind:N",
        scale=alt.Scale(domain=kinds, range=[_DASHES.get(kind, [1, 0]) for kind in kinds]),
        legend=None,
    )
    x = alt.X(
        "workers:Q",
        title="workers",
        scale=alt.Scale(type="log", base=2, domain=[WORLDS[0], WORLDS[-1]]),
        axis=alt.Axis(values=list(WORLDS), format=",d", grid=False),
    )
    y = alt.Y("ms:Q", title="milliseconds per step", scale=alt.Scale(zero=True, nice=True))
    drawn = (
        alt.Chart(alt.Data(values=lines)).mark_line(strokeWidth=2).encode(x=x, y=y, color=colour)
    )
    points = alt.Chart(alt.Data(values=_points(fit))).mark_point(filled=True, size=70, opacity=1)
    named = alt.Color("fill:N", scale=None)
    both = (
        drawn.encode(x=x, y=y, color=colour, strokeDash=dash) + points.encode(x=x, y=y, color=named)
    ).resolve_scale(color="independent")
    values = "; ".join(
        f"{row['kind']}, {row['workers']:,}: {chart.digits(float(row['ms']))} ms" for row in lines
    )
    description = f"Forecast by workers, from {label(fit.record)}. {values}."
    return chart.svg(
        both.resolve_scale(color="independent").properties(width=620, height=260),
        "Scaling",
        description,
    )


def _lines(fit: FittedForecast) -> list[dict[str, str | float]]:
    model = fit.model
    steps = {"blocking": model.blocking_us}
    if model.contention > 1:
        free = model._replace(contention=1.0)
        steps["overlapped, without contention"] = free.overlapped_us
    steps["overlapped"] = model.overlapped_us  # last, so that its dashes lie on the others
    return [
        {"kind": kind, "workers": world, "ms": us(world) / 1e3}
        for kind, us in steps.items()
        for world in WORLDS
    ]


def _points(fit: FittedForecast) -> list[dict[str, str | float]]:
    """The recorded steps; that of one worker alone stands at 1."""
    return [
        {
            "workers": 1 if name == "one worker alone" else one.ddp.world,
            "ms": times.p50,
            "fill": _COLOURS[name],
        }
        for one in (fit.record, *fit.others)
        if one.ddp is not None
        for name, times in recorded(one)
        if name != "without all-reduce"
    ]
