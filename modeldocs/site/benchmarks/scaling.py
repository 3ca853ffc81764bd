"""Scaling of data-parallel training: the forecast from each record, and how far it can be off."""

from __future__ import annotations

import math
from collections.abc import Sequence

from modeldocs.benchmarks import forecast, metrics
from modeldocs.benchmarks.chart_set import ChartSet
from modeldocs.benchmarks.forecast import WORLDS, Check, FittedForecast
from modeldocs.benchmarks.labels import file_name
from modeldocs.site.benchmarks.runs import ListedRun
from modeldocs.site.templating import Templates
from modeldocs.struct import Struct


class ScalingRow(Struct, frozen=True):
    """Steps of so many workers by the model in ms, and their shares of the ideal rate, 0 to 1.

    `free_ms` and `free_efficiency` are those of the overlapped step without contention; None where
    the model has none.
    """

    world: int
    blocking_ms: float
    blocking_efficiency: float
    overlapped_ms: float
    overlapped_efficiency: float
    free_ms: float | None = None
    free_efficiency: float | None = None


class Forecast(Struct, frozen=True):
    """The forecast from one record.

    `contention` is None where all-reduces do not delay the computing, `serial` where nothing of
    them overlaps with it. `bandwidth` is in bytes per second, None where it does not limit.
    """

    title: str
    href: str
    world: int
    backend: str
    batch: int | None
    svg: str
    latency_us: float
    bandwidth: float | None
    contention: float | None
    serial: bool
    bucket_bytes: tuple[int, ...]
    rows: tuple[ScalingRow, ...]
    checks: tuple[Check, ...]
    recorded: tuple[tuple[str, float], ...]
    """Kinds of recorded steps, and their medians in ms."""
    framework_overlap: float | None
    """The share of the all-reduces during backward, as the framework reports it, 0 to 1."""


def html(runs: Sequence[ListedRun], panel: ChartSet, templates: Templates) -> str:
    """The forecasts from all data-parallel runs; empty without any."""
    anchors = {id(run.record): run for run in runs}
    found = [
        _forecast(fit, anchors[id(fit.record)], panel)
        for fit in forecast.fits([run.record for run in runs])
    ]
    return templates.html("scaling", forecasts=found) if found else ""


def _forecast(fit: FittedForecast, run: ListedRun, panel: ChartSet) -> Forecast:
    record, model = fit.record, fit.model
    ddp = record.ddp
    assert ddp is not None
    return Forecast(
        title=f"{run.software}, {record.device.name}, {ddp.world} workers",
        href=f"#{run.id}",
        world=ddp.world,
        backend=ddp.backend or "unknown backend",
        batch=record.run.batch,
        svg=panel.scaling.get(file_name(record), ""),
        latency_us=model.link.latency_us,
        bandwidth=model.link.bytes_per_us * 1e6 if math.isfinite(model.link.bytes_per_us) else None,
        contention=model.contention if 1 < model.contention < math.inf else None,
        serial=math.isinf(model.contention),
        bucket_bytes=tuple(round(bucket.bytes) for bucket in model.step.buckets),
        rows=tuple(_row(fit, world) for world in WORLDS),
        checks=tuple(fit.checks()),
        recorded=tuple((name, times.p50) for name, times in forecast.recorded(record)),
        framework_overlap=metrics.all_reduce_overlap(ddp),
    )


def _row(fit: FittedForecast, world: int) -> ScalingRow:
    model = fit.model
    blocking, overlapped = model.blocking_us(world), model.overlapped_us(world)
    free = model._replace(contention=1.0).overlapped_us(world) if model.contention > 1 else None
    return ScalingRow(
        world=world,
        blocking_ms=blocking / 1e3,
        blocking_efficiency=model.efficiency(blocking),
        overlapped_ms=overlapped / 1e3,
        overlapped_efficiency=model.efficiency(overlapped),
        free_ms=None if free is None else free / 1e3,
        free_efficiency=None if free is None else model.efficiency(free),
    )
