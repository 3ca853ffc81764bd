"""A table of figures as CSV: one row a run, as papers and project pages print them.

Columns are `model`, `mean_ms` (of one step), and any of `framework`, `framework_version`, `cudnn`,
`task`, `batch`, `shape` (`128x3x224x224`), `dtype`, `device` and `date`; an empty cell is unknown.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from modeldocs.benchmarks.readers.content import Content
from modeldocs.benchmarks.readers.format import (
    FormatMatch,
    LogFormat,
    Recording,
    almost,
    with_fields,
)
from modeldocs.benchmarks.record import Record
from modeldocs.errors import ModeldocsError

_NEEDED = ("model", "mean_ms")
_COLUMNS = {
    *_NEEDED,
    *("framework", "framework_version", "cudnn", "task", "batch", "shape"),
    *("dtype", "device", "date"),
}


def _fit(content: Content) -> FormatMatch:
    found = content.columns
    strange = sorted(set(found) - _COLUMNS)
    fit = with_fields(found, _NEEDED, ["mean_ms"])
    return almost(f"it has the unknown column {strange[0]}") if fit.fits and strange else fit


def _read(content: Content) -> Sequence[Recording]:
    return [_recording(content, row, line) for line, row in enumerate(content.rows, 2)]


def _recording(content: Content, row: dict[str, str], line: int) -> Recording:
    shape = tuple(row["shape"].split("x")) if "shape" in row else None
    data = {
        "model": {"id": row.get("model", "")},
        "run": {
            "date": row.get("date", "0000"),
            "task": row.get("task"),
            "batch": row.get("batch"),
            "input_shapes": {"": shape} if shape else None,
        },
        "device": {"name": row.get("device", "not named in the table")},
        "host": {},
        "software": {name: row.get(name) for name in ("framework", "framework_version", "cudnn")},
        "numerics": {"dtype": row.get("dtype")},
        "method": {},
        "mean_ms": row.get("mean_ms"),
    }
    try:
        record = msgspec.convert(data, Record, strict=False)
    except msgspec.ValidationError as error:
        raise ModeldocsError(
            f"has a wrong cell: {error}", file=content.path, line=line, fix="correct the cell"
        ) from None
    if "date" not in row:
        record = msgspec.structs.replace(record, run=msgspec.structs.replace(record.run, date=""))
    return Recording(record)


TABLE = LogFormat(name="table of figures", fit=_fit, read=_read)
