"""JSON of pytest-benchmark: the times of every test, in seconds."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Annotated

import msgspec
from msgspec import Meta

from modeldocs.benchmarks import metadata as part
from modeldocs.benchmarks.readers.content import Content
from modeldocs.benchmarks.readers.format import NO, FormatMatch, LogFormat, Recording, with_fields
from modeldocs.benchmarks.record import Record
from modeldocs.benchmarks.summary import summarise
from modeldocs.errors import ModeldocsError

_FIELDS = ("benchmarks", "machine_info", "commit_info")
_DAY = re.compile(r"\d{4}-\d\d-\d\d")
_Seconds = Annotated[float, Meta(ge=0, le=1e9)]


class _Stats(msgspec.Struct):
    mean: _Seconds
    rounds: Annotated[int, Meta(ge=1)]
    data: list[_Seconds] = []


class _Benchmark(msgspec.Struct):
    name: str
    stats: _Stats
    fullname: str | None = None


class _Processor(msgspec.Struct, frozen=True):
    brand_raw: str | None = None
    brand: str | None = None
    count: Annotated[int, Meta(ge=1)] | None = None


class _PytestMachine(msgspec.Struct):
    system: str | None = None
    release: str | None = None
    python_version: str | None = None
    cpu: _Processor = _Processor()


class _Commit(msgspec.Struct):
    id: str | None = None
    dirty: bool | None = None


class _PytestFile(msgspec.Struct):
    machine_info: _PytestMachine
    commit_info: _Commit
    benchmarks: list[_Benchmark]
    datetime: str = ""


def _fit(content: Content) -> FormatMatch:
    return with_fields(content.fields, _FIELDS, ["commit_info"]) if content.fields else NO


def _read(content: Content) -> Sequence[Recording]:
    try:
        file = msgspec.convert(content.json, _PytestFile)
    except msgspec.ValidationError as error:
        raise ModeldocsError(f"has a wrong field: {error}", file=content.path) from None
    if not file.benchmarks:
        raise ModeldocsError("holds no benchmark", file=content.path)
    return [_recording(file, benchmark) for benchmark in file.benchmarks]


def _recording(file: _PytestFile, benchmark: _Benchmark) -> Recording:
    stats, machine = benchmark.stats, file.machine_info
    day = _DAY.match(file.datetime)
    cpu = machine.cpu.brand_raw or machine.cpu.brand
    return Recording(
        Record(
            model=part.MeasuredModel(id=benchmark.name),
            run=part.RunOptions(
                date=day.group() if day else "",
                commit=file.commit_info.id,
                dirty=file.commit_info.dirty,
            ),
            device=part.Device(name="not named in the file"),
            host=part.Host(
                cpu=cpu,
                logical_cores=machine.cpu.count,
                os=" ".join(filter(None, (machine.system, machine.release))) or None,
            ),
            software=part.Software(python=machine.python_version),
            numerics=part.Numerics(),
            method=part.Method(
                timer="pytest-benchmark", steps=len(stats.data) or stats.rounds, processes=1
            ),
            step_ms=summarise([[time * 1e3 for time in stats.data]]) if stats.data else None,
            mean_ms=None if stats.data else round(stats.mean * 1e3, 6),
            provenance=part.RecordSource(
                title="",
                citation="",
                tool="pytest-benchmark",
                unknown="The file tells neither the batch nor the task, precision and device.",
            ),
        )
    )


PYTEST_BENCHMARK = LogFormat(name="JSON of pytest-benchmark", fit=_fit, read=_read)
