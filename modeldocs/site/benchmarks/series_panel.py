"""Series of a model's records on its page: a chart and a table of each."""

from __future__ import annotations

from collections.abc import Sequence

from modeldocs.benchmarks.series import SeriesPoint, series
from modeldocs.site.benchmarks.runs import ListedRun
from modeldocs.site.templating import PageLink, Templates
from modeldocs.struct import Struct


class SeriesRow(Struct, frozen=True):
    """A record of a series: its row among the runs, and the point."""

    run: PageLink
    point: SeriesPoint


class DrawnSeries(Struct, frozen=True):
    """A series with its chart as SVG, and whether all its records have a noise band."""

    title: str
    svg: str
    rows: tuple[SeriesRow, ...]
    has_bands: bool


def html(runs: Sequence[ListedRun], charts: Sequence[str], templates: Templates) -> str:
    """The series of the runs, with their charts in the same order; empty without any."""
    anchors = {id(run.record): f"#{run.id}" for run in runs}
    found = [
        DrawnSeries(
            title=one.title,
            svg=svg,
            rows=tuple(
                SeriesRow(
                    run=PageLink(text=_name(point), href=anchors[id(point.record)]), point=point
                )
                for point in one.points
            ),
            has_bands=all(point.low is not None for point in one.points),
        )
        for one, svg in zip(series([run.record for run in runs]), charts, strict=True)
    ]
    return templates.html("series", series=found) if found else ""


def _name(point: SeriesPoint) -> str:
    """The date, and the versions that vary in the series."""
    names = {"framework version": point.record.software.framework or "framework"}
    told = [
        f"{names.get(name, name)} {value}"
        for name, value in point.versions.items()
        if name not in ("date", "source")  # a hash tells a reader nothing
    ]
    return " · ".join([point.record.run.date, *told])
