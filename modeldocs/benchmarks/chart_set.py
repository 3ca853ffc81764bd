"""The charts of a model's or a port's records."""

from __future__ import annotations

from collections.abc import Sequence

from modeldocs.benchmarks import forecast, generations, groups, metrics, series
from modeldocs.benchmarks.generations import Generation
from modeldocs.benchmarks.labels import file_name
from modeldocs.benchmarks.record import Record
from modeldocs.benchmarks.sample_macs import sample_macs
from modeldocs.ir import LayerGraph
from modeldocs.struct import Struct

LEAST_YEARS = 3
"""Devices of different years from which a chart over the years is drawn."""


class FrameworkChart(Struct, frozen=True):
    """Frameworks on one device, with what their runs have in common."""

    title: str
    svg: str


class ChartSet(Struct, frozen=True):
    """Charts as SVG; each is empty where the records have no data for it.

    `rates` compares the runs of each task, `history` devices by year, whose figures `generations`
    has; `frameworks` compares the frameworks on one device; `series` has a chart for each series of
    records, in their order; `steps` and `blocks` are of the latest record whose steps were timed;
    `scaling` has the forecast from each data-parallel record, by its file's name; `work` compares
    the models of a whole catalog.
    """

    rates: dict[str, str] = {}
    history: str = ""
    generations: tuple[Generation, ...] = ()
    frameworks: tuple[FrameworkChart, ...] = ()
    series: tuple[str, ...] = ()
    steps: str = ""
    blocks: str = ""
    scaling: dict[str, str] = {}
    work: str = ""


def draw(records: Sequence[Record]) -> ChartSet:
    """The charts of some records."""
    from modeldocs.benchmarks import (  # altair is slow to import
        chart,
        rate_charts,
        scaling_chart,
        series_chart,
    )

    last = latest(records)
    by_task = groups.by_task(records)
    forward = by_task.get("inference", []) + by_task.get("forward-backward", [])
    by_year = _by_year(forward)
    return ChartSet(
        rates={
            task: rate_charts.rate_chart(group) for task, group in by_task.items() if len(group) > 1
        },
        history=_history(forward) if by_year else "",
        generations=by_year,
        frameworks=tuple(
            FrameworkChart(title=_title(group[0]), svg=rate_charts.framework_chart(group))
            for group in groups.of_one_device(records)
        ),
        series=tuple(series_chart.series_chart(one) for one in series.series(records)),
        steps=chart.step_chart(last) if last else "",
        blocks=chart.block_chart(last) if last and last.blocks else "",
        scaling={
            file_name(fit.record): scaling_chart.scaling_chart(fit)
            for fit in forecast.fits(records)
        },
    )


def draw_catalog(records: Sequence[tuple[Record, LayerGraph]]) -> ChartSet:
    """The chart of a catalog from records with their graphs: the best of each model and device."""
    from modeldocs.benchmarks import work_chart

    best: dict[tuple[str, str], work_chart.WorkPoint] = {}
    for record, graph in records:
        if record.ddp is not None:
            continue
        rate, macs = metrics.samples_per_second(record), sample_macs(record, graph)
        key = record.model.id, record.device.name
        if rate and macs and (key not in best or rate > best[key].rate):
            best[key] = work_chart.WorkPoint(record, rate, macs)
    return ChartSet(work=work_chart.work_chart(list(best.values()))) if best else ChartSet()


def latest(records: Sequence[Record]) -> Record | None:
    """The latest record of one process whose steps were timed, None where there is none."""
    timed = [one for one in records if one.step_ms is not None and one.ddp is None]
    return max(timed, key=lambda record: record.run.date, default=None)


def _by_year(records: Sequence[Record]) -> tuple[Generation, ...]:
    """The best rates of devices by year; none where they are of few years."""
    found = tuple(generations.generations(records))
    return found if len({one.year for one in found}) >= LEAST_YEARS else ()


def _history(records: Sequence[Record]) -> str:
    from modeldocs.benchmarks.history_chart import history_chart

    return history_chart(records)


def _title(record: Record) -> str:
    size = groups.size(record) or ()
    shape = "×".join(str(one) for one in (record.run.batch, *size))
    return f"{record.device.name}, {record.run.task}, {shape}"
