"""Series of records: one model on one device with equal settings, recorded again and again."""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Sequence

from modeldocs.benchmarks import comparability, metrics, regression
from modeldocs.benchmarks.comparability import NEEDED
from modeldocs.benchmarks.labels import file_name, precision
from modeldocs.benchmarks.record import Record
from modeldocs.benchmarks.regression import RegressionVerdict
from modeldocs.struct import Struct

VARYING = ("framework version", "CUDA", "cuDNN", "driver", "source")
"""Conditions that change in the course of a series; all others are those of the series."""
WIDEST = math.log(10)
"""Half the width of a noise band on a logarithmic scale above which it says nothing."""
WITHOUT = "not used"
"""Version of a library that a run does without, which is no step in that library's history."""


class SeriesPoint(Struct, frozen=True):
    """A record of a series: the milliseconds of its step, and what changed since the one before.

    `low` and `high` are the 95 % interval of the median step, None where single steps are not
    known or differ wildly; `versions` are the conditions that vary in the series, by name. The
    first has no verdict.
    """

    record: Record
    ms: float
    low: float | None
    high: float | None
    versions: dict[str, str]
    changed: tuple[str, ...] = ()
    verdict: RegressionVerdict | None = None


class Series(Struct, frozen=True):
    """Two points or more, in the order of their dates, then of their versions."""

    title: str
    points: tuple[SeriesPoint, ...]


def series(records: Sequence[Record]) -> list[Series]:
    """The series among some records, by title; in what order the records come changes nothing."""
    found: dict[tuple[str | None, ...], list[Record]] = defaultdict(list)
    for record in records:
        values = comparability.values(record)
        if metrics.step_ms(record) and all(values[name] is not None for name in NEEDED):
            fixed = [value for name, value in values.items() if name not in VARYING]
            found[(*fixed, WITHOUT if values["cuDNN"] == WITHOUT else None)].append(record)
    many = [sorted(group, key=_age) for group in found.values() if len(group) > 1]
    return sorted(
        (Series(title=_title(group[0]), points=_points(group)) for group in many),
        key=lambda one: (one.title, file_name(one.points[0].record)),
    )


def _age(record: Record) -> tuple[object, ...]:
    """By date, then by version, which tells what is newer where a date is that of publication."""
    software = record.software
    versions = (software.framework_version, software.cuda, software.cudnn, record.device.driver)
    return record.run.date, *(_parts(version) for version in versions), file_name(record)


def _parts(version: str | None) -> tuple[int, ...]:
    """The numbers in a version, so that 5.10 comes after 5.9."""
    return tuple(int(digits) for digits in re.findall(r"\d+", version or ""))


def _points(group: Sequence[Record]) -> tuple[SeriesPoint, ...]:
    """The points of ordered records."""
    values = [{"date": one.run.date, **comparability.values(one)} for one in group]
    varying = [
        name for name in ("date", *VARYING) if len({each[name] for each in values} - {None}) > 1
    ]
    points = []
    for number, record in enumerate(group):
        before = group[number - 1] if number else None
        points.append(
            _point(
                record,
                before,
                {name: value for name in varying if (value := values[number][name]) is not None},
            )
        )
    return tuple(points)


def _point(record: Record, before: Record | None, versions: dict[str, str]) -> SeriesPoint:
    ms, reach = metrics.step_ms(record) or 0.0, regression.noise(record.step_ms)
    reach = None if reach is None or reach > WIDEST else reach
    known = comparability.conditions(before, record) if before is not None else ()
    return SeriesPoint(
        record=record,
        ms=ms,
        low=None if reach is None else ms * math.exp(-reach),
        high=None if reach is None else ms * math.exp(reach),
        versions=versions,
        changed=tuple(
            f"{one.name} {one.a} → {one.b}" if one.name != "source" else "source"
            for one in known
            if one.differs and one.name in VARYING
        ),
        verdict=None
        if before is None
        else regression.judge(before.step_ms, record.step_ms, comparability.obstacle(known)),
    )


def _title(record: Record) -> str:
    """What the records of a series share: `device, framework, port, task, batch, settings`."""
    values, run = comparability.values(record), record.run
    framework, port = record.software.framework or "", record.model.port
    flags = {"channels last": "NHWC", "compiled": "compiled", "CUDA graph": "CUDA graph"}
    words = [
        values["device"],
        framework,
        f"port {port}" if port and port != framework.lower() else None,
        run.task,
        values["input shape"] or f"batch {run.batch}",
        precision(record.numerics),
        *(text for name, text in flags.items() if values[name] == "on"),
        "without cuDNN" if values["cuDNN"] == WITHOUT else None,
    ]
    return ", ".join(word for word in words if word)
