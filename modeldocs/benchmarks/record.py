"""The benchmark record: one JSON file per run, in the folder of the model."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from typing import Any, get_args, get_type_hints

import msgspec

from modeldocs.benchmarks import measurements
from modeldocs.benchmarks import metadata as part
from modeldocs.benchmarks.ddp import Ddp
from modeldocs.benchmarks.labels import file_name
from modeldocs.errors import ModeldocsError
from modeldocs.formatting import is_text

FORMAT = 1
"""Version of the format; raised when a field changes its meaning."""

FOLDER = "benchmarks"

_RAW_NAME = re.compile(r"[0-9a-f]{16,}")


class Record(part.Section, frozen=True):
    """One recorded run. A section that is null was not measured."""

    model: part.MeasuredModel
    """The model that was measured."""
    run: part.RunOptions
    """The options of the run."""
    device: part.Device
    """The device that the steps ran on."""
    host: part.Host
    """The machine of that device."""
    software: part.Software
    """Versions."""
    numerics: part.Numerics
    """Precision and choice of kernels."""
    method: part.Method
    """How the steps were timed."""
    step_ms: measurements.StepTimes | None = None
    """Wall time of a step, until the device has finished it."""
    device_ms: measurements.StepTimes | None = None
    """Time of a step between two events on the device; null on a CPU."""
    mean_ms: part.Amount | None = None
    """Mean time of a step in milliseconds, where the source tells no more of the steps."""
    phases: tuple[measurements.Phase, ...] | None = None
    """Forward and backward of the steps, where they were timed apart."""
    throughput: measurements.Throughput | None = None
    """Samples, and their wall time."""
    memory: measurements.MemoryPeaks | None = None
    """Peaks of memory."""
    energy: measurements.Energy | None = None
    """Energy of a window of steps."""
    flops: measurements.Flops | None = None
    """Operations of the model."""
    peaks: measurements.Peaks | None = None
    """Rates that the device reaches in a test of its own."""
    gpu: measurements.Gpu | None = None
    """Activity of the device, from a trace."""
    blocks: tuple[measurements.Block, ...] | None = None
    """Modules of the network, in definition order."""
    host_operators: tuple[measurements.HostOperator, ...] | None = None
    """Operators of the host's processor, those with the longest time of their own first."""
    ddp: Ddp | None = None
    """Data-parallel training."""
    raw: tuple[part.Raw, ...] = ()
    """Raw files beside the record."""
    provenance: part.RecordSource | None = None
    """Source of an imported record; null where modeldocs measured it."""
    notes: tuple[str, ...] = ()
    """Remarks for readers who quote a figure."""
    format: int = FORMAT
    """Version of this format."""

    def __post_init__(self) -> None:
        if self.format != FORMAT:
            raise ValueError(f"record format {self.format}; this version reads {FORMAT}")


def schema() -> dict[str, Any]:
    """JSON Schema (draft 2020-12) of a record, with a description of each field."""
    definition = msgspec.json.schema(Record)
    classes: list[type[part.Section]] = [Record]
    for section in classes:
        _describe(definition["$defs"][section.__name__]["properties"], section)
        classes += [inner for inner in _sections_in(section) if inner not in classes]
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "modeldocs benchmark record",
        **definition,
    }


def _describe(properties: dict[str, Any], section: type[part.Section]) -> None:
    for name, description in part.field_docs(section).items():
        properties[name]["description"] = description


def _sections_in(section: type[part.Section]) -> list[type[part.Section]]:
    """Sections in the fields of `section`: directly, in tuples or in dicts."""
    sections: list[type[part.Section]] = []
    hints: list[Any] = list(get_type_hints(section).values())
    for hint in hints:
        if isinstance(hint, type) and issubclass(hint, part.Section):
            sections.append(hint)
        hints += get_args(hint)
    return sections


def encode(record: Record) -> bytes:
    """The JSON of a record: fields in declared order, lists of numbers on one line.

    Raises:
        msgspec.ValidationError: a quantity is out of its range.
    """
    checked = msgspec.convert(msgspec.to_builtins(record), Record)
    return (_pretty(msgspec.to_builtins(checked, order="deterministic"), "") + "\n").encode()


def _pretty(value: Any, margin: str) -> str:
    inner = margin + " "
    if isinstance(value, dict) and value:
        lines = [f"{inner}{_scalar(key)}: {_pretty(item, inner)}" for key, item in value.items()]
        return "{\n" + ",\n".join(lines) + f"\n{margin}}}"
    if isinstance(value, list | tuple) and any(isinstance(i, dict | list | tuple) for i in value):
        lines = [inner + _pretty(item, inner) for item in value]
        return "[\n" + ",\n".join(lines) + f"\n{margin}]"
    return _scalar(value)


def _scalar(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False)


def decode(data: bytes, *, file: Path | str | None = None) -> Record:
    """The record in the JSON of a file.

    Raises:
        ModeldocsError: it is not JSON (with the line), or a field is invalid (with its path).
    """
    try:
        return msgspec.json.decode(data, type=Record)
    except msgspec.ValidationError as error:
        raise ModeldocsError(
            f"not a benchmark record: {error}",
            file=file,
            fix="correct that field, or record the run again with `modeldocs bench run`",
        ) from None
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        line, column = _place(data)
        raise ModeldocsError(
            f"not JSON: {error}", file=file, line=line, column=column, fix="correct the file"
        ) from None


def _place(data: bytes) -> tuple[int | None, int | None]:
    try:
        json.loads(data)
    except json.JSONDecodeError as error:
        return error.lineno, error.colno
    except ValueError:
        pass
    return None, None


def files(folder: Path) -> list[Path]:
    """The record files of a model's folder, sorted, without raw files, which are named by hash."""
    paths = sorted((folder / FOLDER).glob("*.json"))
    return [path for path in paths if not _RAW_NAME.fullmatch(path.stem) and is_text(path.name)]


def read(file: Path) -> Record:
    """The record in a file.

    Raises:
        ModeldocsError: as `decode`; or the file cannot be read, or its name does not match.
    """
    try:
        data = file.read_bytes()
    except OSError as error:
        raise ModeldocsError(f"cannot be read: {error.strerror}", file=file) from None
    record = decode(data, file=file)
    if file.name != file_name(record):
        raise ModeldocsError(
            "the file's name does not match the record",
            file=file,
            fix=f"rename it to {file_name(record)}",
        )
    return record


def write(record: Record, folder: Path) -> Path:
    """Write the record into a model's folder, over one of the same name; returns its path.

    Raises:
        ModeldocsError: the file of that name is no record.
    """
    target = folder / FOLDER / file_name(record)
    target.parent.mkdir(parents=True, exist_ok=True)
    if os.path.lexists(target) and not _is_record(target):
        raise ModeldocsError(
            "exists, and is no record, which would be written over it",
            file=target,
            fix="move the file away",
        )
    partial = target.with_name(f".{target.stem}-{os.getpid()}-{os.urandom(4).hex()}")
    partial.write_bytes(encode(record))
    partial.rename(target)  # an interruption leaves no half record
    return target


def _is_record(file: Path) -> bool:
    try:
        decode(file.read_bytes(), file=file)
    except (OSError, ModeldocsError):
        return False
    return not file.is_symlink()
