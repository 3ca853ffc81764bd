"""What a record is called: its file's name, its label on pages, and the words for its settings."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from modeldocs import digest
from modeldocs.benchmarks import metadata as part

if TYPE_CHECKING:
    from modeldocs.benchmarks.record import Record

MAX_SLUG = 60
"""Characters of one part of a record's file name; file systems allow 255 for all of it."""


def slug(text: str | None) -> str:
    """`text` as a part of a file name: lower-case letters, digits and hyphens.

    A long one is cut, and ends with a digest of the whole.
    """
    lower = re.sub(r"\((r|tm)\)", "", (text or "unknown").lower())
    name = re.sub(r"[^a-z0-9]+", "-", lower).strip("-") or "unknown"
    if len(name) <= MAX_SLUG:
        return name
    return f"{name[: MAX_SLUG - 9].rstrip('-')}-{digest.of(name.encode())[:8]}"


def file_name(record: Record) -> str:
    """`<YYYYMMDD>-<device>-<port>-<task>-b<batch>-<precision>[-<tag>].json`.

    An unknown part is `unknown`, an unknown month or day `00`.
    """
    run = record.run
    parts = [
        run.date.replace("-", "").ljust(8, "0"),
        slug(record.device.name),
        slug(record.model.port),
        slug(run.task),
        f"b{run.batch or 'unknown'}",
        slug(precision(record.numerics)),
    ]
    return "-".join(parts + ([slug(run.tag)] if run.tag else [])) + ".json"


def software_name(software: part.Software) -> str:
    """The framework with its version, as far as they are known."""
    return " ".join(filter(None, (software.framework, software.framework_version)))


def is_half(numerics: part.Numerics) -> bool:
    """Whether products run in 16 bits: mixed precision, or parameters of such a type."""
    return bool(numerics.amp) or numerics.dtype in ("float16", "bfloat16")


def precision(numerics: part.Numerics) -> str | None:
    """The element type, `amp` for automatic mixed precision or `tf32`; None where it is unknown."""
    if numerics.amp:
        return "amp"
    return "tf32" if numerics.dtype == "float32" and numerics.tf32 else numerics.dtype


def workers(record: Record) -> str | None:
    """`2 workers` for a data-parallel run, None for others."""
    return f"{record.ddp.world} workers" if record.ddp is not None else None


def settings(record: Record) -> list[str]:
    """What sets a run apart beside device, task and batch: precision, layout, workers …"""
    numerics, software = record.numerics, record.software
    words = [
        precision(numerics),
        {True: "NHWC", False: "NCHW", None: None}[numerics.channels_last],
        "compiled" if numerics.compiled else None,
        workers(record),
        f"cuDNN {software.cudnn}" if software.cudnn else None,
    ]
    return [word for word in words if word]


def label(record: Record) -> str:
    """`device · port · batch · precision · date`, with `training` before the date if it is that."""
    run = record.run
    parts = [
        record.device.name,
        record.model.port or "port unknown",
        f"batch {run.batch}" if run.batch else "batch unknown",
        precision(record.numerics) or "precision unknown",
        *([run.task] if run.task not in (None, "inference") else []),
        *([found] if (found := workers(record)) else []),
        run.date,
        *([run.tag] if run.tag else []),
    ]
    return " · ".join(parts)
