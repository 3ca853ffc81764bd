"""Results of airspeed velocity (asv), JSON: one file for each commit and environment.

Only benchmarks of wall time are read, whose names begin with `time_`; their unit is the second.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from typing import Annotated, Any

import msgspec
from msgspec import Meta

from modeldocs.benchmarks import metadata as part
from modeldocs.benchmarks.readers import trace
from modeldocs.benchmarks.readers.content import Content
from modeldocs.benchmarks.readers.format import NO, FormatMatch, LogFormat, Recording, with_fields
from modeldocs.benchmarks.record import Record
from modeldocs.benchmarks.summary import summarise
from modeldocs.errors import ModeldocsError

_FIELDS = ("results", "result_columns", "commit_hash")
_TIMED = ("time_", "timeraw_")
_Seconds = Annotated[float, Meta(ge=0, le=1e9)]


class _AsvMachine(msgspec.Struct, frozen=True):
    cpu: str | None = None
    os: str | None = None
    python: str | None = None


class _AsvFile(msgspec.Struct):
    results: dict[str, list[Any]]
    result_columns: list[str]
    commit_hash: str
    params: _AsvMachine = _AsvMachine()
    python: str | None = None


class _AsvRow(msgspec.Struct):
    """The results of a benchmark: one for each combination of its parameters."""

    result: list[_Seconds | None] | None = None
    params: list[list[str]] = []
    started_at: int | None = None
    samples: list[list[_Seconds] | None] | None = None


def _fit(content: Content) -> FormatMatch:
    return with_fields(content.fields, _FIELDS, ["result_columns"]) if content.fields else NO


def _read(content: Content) -> Sequence[Recording]:
    try:
        file = msgspec.convert(content.json, _AsvFile)
        recordings = [
            recording
            for name, values in file.results.items()
            if name.rpartition(".")[2].startswith(_TIMED)
            for recording in _recordings(file, name, values)
        ]
    except msgspec.ValidationError as error:
        raise ModeldocsError(f"has a wrong field: {error}", file=content.path) from None
    if not recordings:
        raise ModeldocsError("holds no result of a benchmark of time", file=content.path)
    return recordings


def _recordings(file: _AsvFile, name: str, values: list[Any]) -> Iterator[Recording]:
    """One for each combination of parameters that has a result."""
    row = msgspec.convert(dict(zip(file.result_columns, values, strict=False)), _AsvRow)
    results = row.result or []
    combinations = list(itertools.islice(itertools.product(*row.params), len(results)))
    samples = row.samples or []
    for place, seconds in enumerate(results):
        if seconds is None:
            continue
        chosen = combinations[place] if place < len(combinations) else ()
        label = f"{name}({', '.join(chosen)})" if chosen else name
        times = samples[place] if place < len(samples) else None
        yield _recording(file, row, label, seconds, times or [])


def _recording(
    file: _AsvFile, row: _AsvRow, label: str, seconds: float, samples: Sequence[float]
) -> Recording:
    machine = file.params
    return Recording(
        Record(
            model=part.MeasuredModel(id=label),
            run=part.RunOptions(
                date=trace.day(row.started_at * 10**6) if row.started_at else "",
                commit=file.commit_hash,
            ),
            device=part.Device(name="not named in the file"),
            host=part.Host(cpu=machine.cpu or None, os=machine.os or None),
            software=part.Software(python=file.python or machine.python),
            numerics=part.Numerics(),
            method=part.Method(timer="asv", steps=len(samples) or None, processes=1),
            step_ms=summarise([[time * 1e3 for time in samples]]) if samples else None,
            mean_ms=None if samples else round(seconds * 1e3, 6),
            provenance=part.RecordSource(
                title="",
                citation="",
                tool="asv",
                rounding=None if samples else "`mean_ms` is the median that asv gives.",
                unknown="The file tells neither the batch nor the task, precision and device.",
            ),
        )
    )


ASV = LogFormat(name="results of asv", fit=_fit, read=_read)
