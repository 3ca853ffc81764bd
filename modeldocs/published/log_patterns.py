"""Logs of single repositories, read by patterns that the YAML file of a source declares.

    logs:
      - name: convnet-benchmarks log of Torch7
        runs: "^ModelType: "
        needs: [mean_ms]
        fields:
          model.id: "^ModelType: (.+?) +Kernels"
          device.name: {pattern: "^Running on device: (.+)", of_file: true}
          mean_ms: {pattern: ":TOTAL: +([0-9.]+)", unit: ms}

A run begins where `runs` matches and ends before the next; without, a file holds one. A field of a
record is what the group of its pattern holds, or its named groups put into a `text`. A JSON file is
read as lines such as `opt.batch_size: 16`, in the order of their names, a list of numbers with
spaces between them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Final, NamedTuple

import msgspec

from modeldocs.benchmarks import measurements
from modeldocs.benchmarks import metadata as part
from modeldocs.benchmarks.readers.content import Content
from modeldocs.benchmarks.readers.format import Recording
from modeldocs.benchmarks.record import Record
from modeldocs.benchmarks.summary import summarise
from modeldocs.errors import ModeldocsError
from modeldocs.published.record_fields import section_of

_UNITS: Final = {
    "us": 1e-3,
    "ms": 1.0,
    "s": 1e3,
    "B": 1,
    "KiB": 2**10,
    "MiB": 2**20,
    "GiB": 2**30,
}
"""By unit: the factor to milliseconds, or to bytes."""
_STEPS: Final = "steps"
"""The field of the times of all steps, one after the other."""
_SOME_DAY: Final = "2000"
"""Stands for the day of a run that a log does not tell, while its fields are checked."""
_PHASE: Final = "phases."
_FIGURE: Final = "figures."
_DIGITS: Final = {"phases": 4, "mean_ms": 6}
"""Digits behind the point of times in milliseconds that are kept."""


class FieldPattern(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Where a field stands in a log, and how it is read.

    `pattern` is a regular expression, whose group is the value. With `text` that is put together
    of its named groups. `values` are what the texts of a log mean in a record, `"*"` all others.
    `unit` is that of a time or a size, `separator` stands between the numbers of a list, and
    `of_file` is a field that the file has once for all its runs.
    """

    pattern: str
    text: str | None = None
    values: dict[str, str] = {}
    unit: str | None = None
    separator: Annotated[str, msgspec.Meta(min_length=1)] | None = None
    of_file: bool = False


Pattern = str | FieldPattern | list[str | FieldPattern]
"""A pattern alone, one with settings, or several of which the first that matches counts."""


class LogPatterns(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The patterns of one kind of log.

    `fields` are those of a record by dotted name, and `steps` (the times of all of them),
    `phases.NAME` (one time, or one of each step) and `figures.NAME` (a printed figure). `needs` are
    those without which a run is broken off.
    """

    name: str
    fields: dict[str, Pattern]
    runs: str | None = None
    needs: tuple[str, ...] = ()


class Log(NamedTuple):
    """The text of a file, and how it is read."""

    path: Path
    text: str
    patterns: LogPatterns

    def fits(self) -> bool:
        """Whether a run begins in it; without a pattern for that, whether it has a field of one."""
        if self.patterns.runs is not None:
            return bool(self.starts())
        return any(_LogRun(self, 0, len(self.text)).has(name) for name in self.patterns.needs)

    def starts(self) -> list[int]:
        """Where runs begin.

        Raises:
            ModeldocsError: the pattern is no regular expression.
        """
        if self.patterns.runs is None:
            return [0]
        return [one.start() for one in self.found(self.patterns.runs, self.text)]

    def found(self, pattern: str, text: str) -> Iterator[re.Match[str]]:
        """Where a pattern of the source matches."""
        try:
            return re.finditer(pattern, text, re.M)
        except re.error as error:
            raise ModeldocsError(
                f"the pattern {pattern!r} of the source is no regular expression: {error}",
                file=self.path,
                fix="correct it under `logs:` in the source's file",
            ) from None


def opened(content: Content, patterns: LogPatterns) -> Log:
    """A file as it is read by patterns."""
    document = content.json
    text = "\n".join(_lines(document)) if isinstance(document, dict) else content.text
    return Log(content.path, text, patterns)


def read(log: Log) -> Sequence[Recording]:
    """The runs of a log.

    Raises:
        ModeldocsError: one is broken off, or what a pattern found is no value of its field.
    """
    starts = log.starts()
    ends = [*starts[1:], len(log.text)]
    runs = (_LogRun(log, *bounds) for bounds in zip(starts, ends, strict=True))
    return [Recording(_record(run)) for run in runs]


class _LogRun:
    """The text of one run, and the fields that are read from it."""

    def __init__(self, log: Log, start: int, end: int) -> None:
        self.log, self.start = log, start
        self.text = log.text[start:end]

    def values(self) -> dict[str, Any]:
        """The fields that the log has, by dotted name: texts, numbers, or lists of numbers.

        Raises:
            ModeldocsError: one is missing that every run needs.
        """
        every = {name: self._field(name) for name in self.log.patterns.fields}
        found = {name: value for name, value in every.items() if value is not None}
        lacking = [name for name in self.log.patterns.needs if name not in found]
        if lacking:
            named = found.get("model.id") or self.log.patterns.name
            raise self.error(f"breaks off in {named}: it has no {', '.join(lacking)}")
        return found

    def has(self, name: str) -> bool:
        """Whether the log has a field."""
        return name in self.log.patterns.fields and self._field(name) is not None

    def _field(self, name: str) -> Any:
        """The value of the first pattern of a field that matches; None where none does."""
        given = self.log.patterns.fields[name]
        for one in given if isinstance(given, list) else [given]:
            field = FieldPattern(one) if isinstance(one, str) else one
            value = self._value(field, is_printed=name.startswith(_FIGURE))
            if value is not None:
                return value
        return None

    def _value(self, field: FieldPattern, *, is_printed: bool) -> Any:
        """What a pattern finds; a figure as it is printed, with its unit."""
        text = self.log.text if field.of_file else self.text
        match = next(self.log.found(field.pattern, text), None)
        if match is None:
            return None
        value = field.text.format(**_groups(match)) if field.text else match[match.lastindex or 0]
        value = field.values.get(value, field.values.get("*", value))
        if field.separator is not None:
            return [self._number(part, field) for part in value.strip().split(field.separator)]
        if is_printed:
            return {"value": value, "unit": field.unit or "1"}
        return self._number(value, field) if field.unit else value.strip()

    def _number(self, text: str, field: FieldPattern) -> float:
        try:
            number = float(text)
        except ValueError:
            raise self.error(f"has {text!r} where {field.pattern!r} wants a number") from None
        factor = _UNITS.get(field.unit or "", 1)
        return int(number * factor) if isinstance(factor, int) else number * factor

    def error(self, reason: str) -> ModeldocsError:
        """The error to raise, at the line where the run begins."""
        line = self.log.text[: self.start].count("\n") + 1
        return ModeldocsError(reason, file=self.log.path, line=line)


def _groups(match: re.Match[str]) -> Mapping[str, str]:
    return {name: value or "" for name, value in match.groupdict().items()}


def _lines(value: Any, name: str = "") -> Iterator[str]:
    """A JSON value as lines, each with the dotted name of its place."""
    if isinstance(value, dict):
        for key in sorted(value):
            yield from _lines(value[key], f"{name}.{key}" if name else key)
    elif isinstance(value, list) and not any(isinstance(item, dict | list) for item in value):
        yield f"{name}: {' '.join(map(str, value))}"
    elif isinstance(value, list):
        for place, item in enumerate(value):
            yield from _lines(item, f"{name}.{place}")
    else:
        yield f"{name}: {value}"


def _record(run: _LogRun) -> Record:
    values = run.values()
    data: dict[str, Any] = msgspec.to_builtins(_empty())
    phases, figures = [], []
    for name, value in values.items():
        if name.startswith(_PHASE):
            phases.append(_phase(name.removeprefix(_PHASE), value))
        elif name.startswith(_FIGURE):
            figures.append({"name": name.removeprefix(_FIGURE)} | value)
        elif name != _STEPS:
            _set(data, name, value, run)
    data["phases"] = phases or None
    if figures:
        data["provenance"] = {"title": "", "citation": "", "figures": figures}
    if _STEPS in values:
        _measured(data, values[_STEPS])
    dated = bool(data["run"]["date"])
    data["run"]["date"] = data["run"]["date"] or _SOME_DAY
    try:
        record = msgspec.convert(data, Record, strict=False)
    except msgspec.ValidationError as error:
        raise run.error(f"has a wrong field: {error}") from None
    options = record.run if dated else msgspec.structs.replace(record.run, date="")
    return msgspec.structs.replace(record, run=options)


def _empty() -> Record:
    """A record of which nothing is known."""
    return Record(
        model=part.MeasuredModel(id=""),
        run=part.RunOptions(date=""),
        device=part.Device(name="not named in the log"),
        host=part.Host(),
        software=part.Software(),
        numerics=part.Numerics(),
        method=part.Method(),
    )


def _set(data: dict[str, Any], name: str, value: Any, run: _LogRun) -> None:
    """Set a field by its dotted name."""
    found = section_of(data, name)
    if found is None:
        raise ModeldocsError(
            f"the source's log has a pattern of {name!r}, which a record does not have",
            file=run.log.path,
            fix="take a field of the schema of records, such as device.name",
        )
    place, last = found
    if name == "run.input_shapes":
        place[last] = {"": [int(size) for size in value]}
    elif name == "notes":
        place[last] = [value]
    else:
        place[last] = round(value, _DIGITS[name]) if name in _DIGITS else value


def _phase(name: str, times: float | list[float]) -> dict[str, Any]:
    """A phase by its time, or by that of each step."""
    if not isinstance(times, list):
        return {"name": name, "mean_ms": times}
    samples = [round(one, _DIGITS["phases"]) for one in times]
    mean = round(sum(samples) / len(samples), _DIGITS["phases"])
    return {"name": name, "mean_ms": mean, "samples_ms": samples}


def _measured(data: dict[str, Any], times: list[float]) -> None:
    """Statistics of the times of all steps, and the rate that follows from them."""
    data["method"] |= {"steps": len(times), "processes": 1}
    data["step_ms"] = msgspec.to_builtins(summarise([times]))
    batch = data["run"]["batch"]
    if batch is not None:
        wall = round(sum(times) * 1e3, 1)
        samples = int(batch) * len(times)
        data["throughput"] = msgspec.to_builtins(
            measurements.Throughput(samples=samples, wall_us=wall)
        )
