"""CSV of nvprof: `--print-gpu-trace` and `--print-gpu-summary`.

A row below the header gives the units, which nvprof chooses by the size of the values. Its MB and
GB are binary.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

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

SIZES = {"B": 1, "KB": 2**10, "MB": 2**20, "GB": 2**30}
"""Bytes by unit."""

_HEADER = re.compile(
    rb'^"?(?:Start"?,"?Duration"?,"?Grid X|(?:Type"?,"?)?Time\(%\)"?,"?Time"?,)', re.M
)
_PREAMBLE = re.compile(rb"^=+\d*=+ (?:NVPROF is profiling|Profiling (?:result|application))", re.M)
_CALL = re.compile(r"cu(?:da)?[A-Z]\w*")
_TRACE = {"Start", "Duration", "Device", "Name"}
_SUMMARY = {"Time(%)", "Time", "Calls", "Name"}


def _fit(content: Content) -> FormatMatch:
    if _HEADER.search(content.data):
        return YES
    return almost("it has no table: print it with --csv") if _PREAMBLE.search(content.head) else NO


def _read(content: Content) -> Sequence[Recording]:
    devices, totals = trace.DeviceEvents(content), TableTotals()
    rounding = "Sizes are printed with six decimals."
    for table in PrintedTables(content, lambda row: set(row) >= _TRACE or set(row) >= _SUMMARY):
        if not set(table.columns) >= _TRACE:
            _add_totals(content, table, totals)
        elif _add_events(content, table, devices) == "s":
            rounding = "Starts are printed in seconds with six decimals, sizes likewise."
    if totals and not devices:
        tool = "nvprof --print-gpu-summary"
        return [
            trace.recording(
                totals.gpu(),
                context=trace.TraceContext(trace.device_and_number("")),
                source=trace.source(tool),
            )
        ]
    return [
        trace.recording(
            events,
            context=trace.TraceContext(trace.device_and_number(device)),
            source=trace.source(
                "nvprof --print-gpu-trace", units="KB, MB and GB are binary.", rounding=rounding
            ),
        )
        for device, events in devices.items()
    ]


def _add_events(content: Content, table: PrintedTable, devices: trace.DeviceEvents) -> str:
    """Add the events of a table; returns the unit of its starts."""
    units = _units(content, table, ("Start", "Duration"))
    at = {name: index for index, name in enumerate(table.columns)}
    device, name, start, duration = (at[one] for one in ("Device", "Name", "Start", "Duration"))
    start_ns, duration_ns = TIMES[units["Start"]], TIMES[units["Duration"]]
    size, factor = at.get("Size"), SIZES[units.get("Size", "B")]
    with reading(content, table):
        for row in table.rows:
            printed = row[size] if size is not None else ""
            trace.add(
                devices.of(row[device]),
                row[name],
                whole(row[start], start_ns),
                whole(row[duration], duration_ns),
                whole(printed, factor) if printed else None,
            )
    return units["Start"]


def _add_totals(content: Content, table: PrintedTable, totals: TableTotals) -> None:
    units = _units(content, table, ("Time",))
    time_ns = TIMES[units["Time"]]
    at = {name: index for index, name in enumerate(table.columns)}
    with reading(content, table):
        for row in table.rows:
            name, time, number = (row[at[column]] for column in ("Name", "Time", "Calls"))
            if row[at["Type"]] == "API calls" if "Type" in at else _CALL.fullmatch(name):
                continue
            totals.add_time(name, whole(number, 1), whole(time, time_ns))


def _units(content: Content, table: PrintedTable, needed: Sequence[str]) -> dict[str, str]:
    """The unit of each column that has one, from the first row.

    Raises:
        ModeldocsError: a column has none, or one that is not known.
    """
    row = next(table.rows, [])
    units = {name: unit for name, unit in zip(table.columns, row, strict=False) if unit}
    bad = [name for name in needed if units.get(name) not in TIMES]
    if "Size" in units and units["Size"] not in SIZES:
        bad.append("Size")
    if bad:
        raise ModeldocsError(
            f"gives no unit that is known for {', '.join(bad)}",
            file=content.path,
            line=table.line,
            fix="print it again with --csv",
        )
    return units


NVPROF = LogFormat(name="CSV of nvprof", fit=_fit, read=_read)
