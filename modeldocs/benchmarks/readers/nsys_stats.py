"""CSV of `nsys stats`: cuda_gpu_trace, or cuda_gpu_kern_sum and cuda_gpu_mem_{time,size}_sum.

Units stand in the headers: `Start (ns)`, `Bytes (MB)`. MB and GB are decimal.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from modeldocs.benchmarks.activity.events import Events
from modeldocs.benchmarks.measurements import Gpu
from modeldocs.benchmarks.readers import trace
from modeldocs.benchmarks.readers.content import Content
from modeldocs.benchmarks.readers.format import NO, YES, FormatMatch, LogFormat, Recording, almost
from modeldocs.benchmarks.readers.printed_tables import (
    TIMES,
    PrintedTable,
    PrintedTables,
    reading,
    whole,
)
from modeldocs.benchmarks.readers.totals import TableTotals
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
    rb'^"?(?:Start ?\(\w+\)"?,"?Duration ?\(\w+\)"?,"?CorrId'
    rb'|(?:Time ?\(%\)"?,"?)?Total(?: Time)?(?: \([^)]*\))?"?,"?(?:Instances|Count|Operations)\b)',
    re.M,
)
_PREAMBLE = re.compile(rb"^Processing \[.*\] with \[.*(?:gpu|cuda).*\]", re.M)

_TRACE = {"Start", "Duration", "CorrId", "Name"}
_KERNELS = {"Total Time", "Instances", "Name"}
_COPIES = ({"Total Time", "Operation"}, {"Total", "Operation"})


def _fit(content: Content) -> FormatMatch:
    if _HEADER.search(content.data):
        return YES
    missing = "it has no table: print it with --format csv"
    return almost(missing) if _PREAMBLE.search(content.head) else NO


def _is_header(row: Sequence[str]) -> bool:
    if "Name" not in row and "Operation" not in row:  # as in nearly all of a million rows
        return False
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
    devices, totals = trace.DeviceEvents(content), TableTotals()
    for table in PrintedTables(content, _is_header):
        if set(_columns(table.columns)) >= _TRACE:
            _add_events(content, table, devices)
        else:
            _add_totals(content, table, totals)
    if totals and not devices:
        return [_recording(totals.gpu(), "", "nsys stats")]
    tool = "nsys stats, cuda_gpu_trace"
    return [_recording(events, device, tool) for device, events in devices.items()]


def _recording(gpu: Gpu | Events, device: str, tool: str) -> Recording:
    return trace.recording(
        gpu,
        context=trace.TraceContext(trace.device_and_number(device)),
        source=trace.source(
            tool,
            units="MB and GB are decimal.",
            rounding="Sizes are printed with three decimals.",
        ),
    )


def _add_events(content: Content, table: PrintedTable, devices: trace.DeviceEvents) -> None:
    columns = _columns(table.columns)
    start, start_ns = _scaled(content, table, "Start")
    duration, duration_ns = _scaled(content, table, "Duration")
    name, device = columns["Name"][0], columns.get("Device", (None, ""))[0]
    size, size_unit = columns.get("Bytes", (None, ""))
    factor = SIZES.get(size_unit)
    with reading(content, table):
        for row in table.rows:
            printed = row[size] if size is not None else ""
            trace.add(
                devices.of(row[device] if device is not None else ""),
                row[name],
                whole(row[start], start_ns),
                whole(row[duration], duration_ns),
                whole(printed, factor) if printed and factor else None,
            )


def _scaled(content: Content, table: PrintedTable, name: str) -> tuple[int, int]:
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


def _add_totals(content: Content, table: PrintedTable, totals: TableTotals) -> None:
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
    with reading(content, table):
        for row in table.rows:
            number, total = whole(row[counted[0]], 1), whole(row[at], factor)
            if has_times:
                totals.add_time(row[named[0]], number, total)
            elif factor:
                totals.add_size(row[named[0]], number, total)


NSYS_STATS = LogFormat(name="CSV of nsys stats", fit=_fit, read=_read)
