"""CSV of `nsys stats`: cuda_gpu_trace, or cuda_gpu_kern_sum and cuda_gpu_mem_{time,size}_sum.

Units stand in the headers: `Start (ns)`, `Bytes (MB)`. MB and GB are decimal.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from modeldocs.benchmarks.readers import trace
from modeldocs.benchmarks.readers.content import Content
from modeldocs.benchmarks.readers.format import NO, YES, Fit, Format, Recording, almost
from modeldocs.benchmarks.readers.printed_tables import TIMES, Table, in_row, tables, whole
from modeldocs.benchmarks.readers.totals import Totals
from modeldocs.errors import ModeldocsError

SIZES = {
    "B": 1,
    "byte": 1,
    "bytes": 1,
    "KB": 10**3,
    "kB": 10**3,
    "MB": 10**6,
    "GB": 10**9,
    "KiB": 2**10,
    "MiB": 2**20,
    "GiB": 2**30,
}
"""Bytes by unit."""

_COLUMN = re.compile(r"(?P<name>.*?)\s*(?:\((?P<unit>[^()]*)\))?")
_HEADER = re.compile(
    r'^"?(?:Start ?\(\w+\)"?,"?Duration ?\(\w+\)"?,"?CorrId'
    r'|(?:Time ?\(%\)"?,"?)?Total(?: Time)?(?: \([\wμ]+\))?"?,"?(?:Instances|Count|Operations)\b)',
    re.M,
)
_PREAMBLE = re.compile(rb"^Processing \[.*\] with \[.*(?:gpu|cuda).*\]", re.M)

_TRACE = {"Start", "Duration", "CorrId", "Name"}
_KERNELS = {"Total Time", "Instances", "Name"}
_COPIES = ({"Total Time", "Operation"}, {"Total", "Operation"})


def _fit(content: Content) -> Fit:
    if b"\0" in content.head:
        return NO
    if _HEADER.search(content.text):
        return YES
    missing = "it has no table: print it with --format csv"
    return almost(missing) if _PREAMBLE.search(content.head) else NO


def _is_header(row: Sequence[str]) -> bool:
    found = set(_columns(row))
    return any(found >= one for one in (_TRACE, _KERNELS, *_COPIES))


def _columns(header: Sequence[str]) -> dict[str, tuple[int, str]]:
    """Index and unit of each column by name, the unit empty where the header gives none."""
    columns = {}
    for index, text in enumerate(header):
        found = _COLUMN.fullmatch(text.strip())
        if found:
            columns[found["name"]] = (index, found["unit"] or "")
    return columns


def _read(content: Content) -> Sequence[Recording]:
    found = tables(content, _is_header)
    traces = [table for table in found if set(_columns(table.columns)) >= _TRACE]
    if traces:
        return _traces(content, traces)
    totals = Totals()
    for table in found:
        _add_totals(content, table, totals)
    if not totals:
        raise ModeldocsError("has no row of a kernel or a copy", file=content.path)
    return [
        trace.recording(
            totals.gpu(),
            device=trace.device_and_number(""),
            tool="nsys stats",
            units="MB and GB are decimal.",
            rounding="Sizes are printed with three decimals.",
        )
    ]


def _traces(content: Content, found: Sequence[Table]) -> list[Recording]:
    devices = trace.DeviceEvents(content)
    for table in found:
        columns = _columns(table.columns)
        start, start_ns = _scaled(content, table, "Start")
        duration, duration_ns = _scaled(content, table, "Duration")
        name, device = columns["Name"][0], columns.get("Device", (None, ""))[0]
        size, size_unit = columns.get("Bytes", (None, ""))
        for line, row in table.numbered():
            with in_row(content, line):
                printed = row[size] if size is not None and size_unit in SIZES else ""
                trace.add(
                    devices.of(row[device] if device is not None else ""),
                    row[name],
                    whole(row[start], start_ns),
                    whole(row[duration], duration_ns),
                    whole(printed, SIZES[size_unit]) if printed else None,
                )
    return [
        trace.recording(
            events,
            device=trace.device_and_number(device),
            tool="nsys stats, cuda_gpu_trace",
            units="MB and GB are decimal.",
            rounding="Sizes are printed with three decimals.",
        )
        for device, events in devices.items()
    ]


def _scaled(content: Content, table: Table, name: str) -> tuple[int, int]:
    """Index of a column of times, and the nanoseconds of its unit.

    Raises:
        ModeldocsError: the unit is not known.
    """
    index, unit = _columns(table.columns)[name]
    if (unit or "ns") not in TIMES:
        raise ModeldocsError(
            f"gives {name} in {unit}, a unit that is not known", file=content.path, line=table.line
        )
    return index, TIMES[unit or "ns"]


def _add_totals(content: Content, table: Table, totals: Totals) -> None:
    columns = _columns(table.columns)
    named = columns.get("Name") or columns["Operation"]
    counted = columns.get("Instances") or columns.get("Count") or columns.get("Operations")
    if counted is None:
        return
    has_times = "Total Time" in columns
    if has_times:
        at, factor = _scaled(content, table, "Total Time")
    else:
        at, unit = columns["Total"]
        factor = SIZES.get(unit, 0)
    for line, row in table.numbered():
        with in_row(content, line):
            number, total = (
                whole(row[counted[0]], 1),
                whole(row[at], factor),
            )
            if has_times:
                totals.add(row[named[0]], n=number, ns=total)
            elif factor:
                totals.add(row[named[0]], n=number, size=total)


NSYS_STATS = Format(name="CSV of nsys stats", fit=_fit, read=_read)
