"""The benchmark record: one JSON file a run, beside the model it measures."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any, get_args, get_type_hints

import msgspec

from modeldocs import digest
from modeldocs.benchmarks import quantities
from modeldocs.benchmarks import sections as part
from modeldocs.errors import ModeldocsError

FORMAT = 1
"""Version of the record; raised when a field changes its meaning."""

FOLDER = "benchmarks"
MOST_SLUG = 60
"""Characters of one part of a record's file name: file systems take 255 of all."""

_RAW_NAME = re.compile(r"[0-9a-f]{16,}")


class Record(part.Section, frozen=True):
    """One recorded run. A section that is null was not measured."""

    model: part.Model
    """What was measured."""
    run: part.Run
    """What was asked for."""
    device: part.Device
    """What it ran on."""
    host: part.Host
    """The machine around it."""
    software: part.Software
    """Versions."""
    numerics: part.Numerics
    """Precision and choice of kernels."""
    method: part.Method
    """How the steps were timed."""
    step_ms: quantities.StepTimes | None = None
    """Wall time of a step, the device waited for."""
    device_ms: quantities.StepTimes | None = None
    """Time of a step between two events on the device; null on a CPU."""
    throughput: quantities.Throughput | None = None
    """Samples and the wall time they took."""
    memory: quantities.Memory | None = None
    """Peaks of memory."""
    energy: quantities.Energy | None = None
    """Energy of a window of steps."""
    flops: quantities.Flops | None = None
    """Operations that the model asks for."""
    peaks: quantities.Peaks | None = None
    """What the device reaches by itself."""
    gpu: quantities.Gpu | None = None
    """What the device did, from a trace."""
    blocks: tuple[quantities.Block, ...] | None = None
    """Modules of the network, in definition order."""
    ddp: quantities.Ddp | None = None
    """Data-parallel training."""
    raw: tuple[part.Raw, ...] = ()
    """Raw files beside the record."""
    provenance: part.Provenance | None = None
    """Source of an imported record; null where modeldocs measured."""
    notes: tuple[str, ...] = ()
    """What a reader must know before quoting a figure."""
    format: int = FORMAT
    """Version of this format."""

    def __post_init__(self) -> None:
        if self.format != FORMAT:
            raise ValueError(f"record format {self.format}; this modeldocs reads {FORMAT}")


def schema() -> dict[str, Any]:
    """JSON Schema (draft 2020-12) of a record, each field described."""
    made = msgspec.json.schema(Record)
    classes: list[type[part.Section]] = [Record]
    for section in classes:
        _describe(made["$defs"][section.__name__]["properties"], section)
        classes += [found for found in _sections_in(section) if found not in classes]
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "modeldocs benchmark record",
        **made,
    }


def _describe(properties: dict[str, Any], section: type[part.Section]) -> None:
    for name, said in part.field_docs(section).items():
        properties[name]["description"] = said


def _sections_in(section: type[part.Section]) -> list[type[part.Section]]:
    """Sections that the fields of `section` hold, directly, in tuples or in dicts."""
    held: list[type[part.Section]] = []
    waiting: list[Any] = list(get_type_hints(section).values())
    for hint in waiting:
        if isinstance(hint, type) and issubclass(hint, part.Section):
            held.append(hint)
        waiting += get_args(hint)
    return held


def encode(record: Record) -> bytes:
    """The record's file: fields as declared, plain lists on one line, a newline at the end.

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
    """The record that `encode` wrote, or somebody typed.

    Raises:
        ModeldocsError: it is not JSON (with the line), or a field does not fit (with its path).
    """
    try:
        return msgspec.json.decode(data, type=Record)
    except msgspec.ValidationError as error:
        raise ModeldocsError(
            f"not a benchmark record: {error}",
            file=file,
            fix="correct the field named, or record the run again with `modeldocs bench run`",
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


def slug(text: str | None) -> str:
    """`text` as a part of a file name: lower case, letters and digits and hyphens.

    One that is very long is cut, and told apart from others by its digest.
    """
    plain = re.sub(r"\((r|tm)\)", "", (text or "unknown").lower())
    made = re.sub(r"[^a-z0-9]+", "-", plain).strip("-") or "unknown"
    if len(made) <= MOST_SLUG:
        return made
    return f"{made[: MOST_SLUG - 9].rstrip('-')}-{digest.of(made.encode())[:8]}"


def file_name(record: Record) -> str:
    """`<YYYYMMDD>-<device>-<port>-<task>-b<batch>-<precision>[-<tag>].json`.

    A part that is not known reads `unknown`, a month or day that is not known `00`.
    """
    run = record.run
    parts = [
        run.date.replace("-", "").ljust(8, "0"),
        slug(record.device.name),
        slug(record.model.port),
        slug(run.task),
        f"b{run.batch or 'unknown'}",
        slug(record.numerics.dtype),
    ]
    return "-".join(parts + ([slug(run.tag)] if run.tag else [])) + ".json"


def files(folder: Path) -> list[Path]:
    """The record files of a model's folder, sorted; raw files, named by hash, are not among them.

    The list is empty where the model has no records.
    """
    found = sorted((folder / FOLDER).glob("*.json"))
    return [file for file in found if not _RAW_NAME.fullmatch(file.stem)]


def read(file: Path) -> Record:
    """One record file.

    Raises:
        ModeldocsError: as `decode`; or the file cannot be read, or its name tells another run.
    """
    try:
        data = file.read_bytes()
    except OSError as error:
        raise ModeldocsError(f"cannot be read: {error.strerror}", file=file) from None
    record = decode(data, file=file)
    if file.name != file_name(record):
        raise ModeldocsError(
            "the file's name does not tell what the record holds",
            file=file,
            fix=f"rename it to {file_name(record)}",
        )
    return record


def write(record: Record, folder: Path) -> Path:
    """Write the record under a model's folder; one of the same name is replaced.

    Returns:
        The file written.
    """
    target = folder / FOLDER / file_name(record)
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_bytes(encode(record))
    return target
