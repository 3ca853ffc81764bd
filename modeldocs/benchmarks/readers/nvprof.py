"""CSV of nvprof: `--print-gpu-trace` and `--print-gpu-summary`.

A row below the header gives the units, which nvprof chooses by the size of the values. Its MB and
GB are binary.
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

SIZES = {"B": 1, "KB": 2**10, "MB": 2**20, "GB": 2**30}
"""Bytes by unit."""

_HEADER = re.compile(
    r'^"?(?:Start"?,"?Duration"?,"?Grid X|(?:Type"?,"?)?Time\(%\)"?,"?Time"?,)', re.M
)
_PREAMBLE = re.compile(rb"^=+\d*=+ (?:NVPROF is profiling|Profiling (?:result|application))", re.M)
_CALL = re.compile(r"cu(?:da)?[A-Z]\w*")
_TRACE = {"Start", "Duration", "Device", "Name"}
_SUMMARY = {"Time(%)", "Time", "Calls", "Name"}


def _fit(content: Content) -> Fit:
    if b"\0" in content.head:
        return NO
    if _HEADER.search(content.text):
        return YES
    return almost("it has no table: print it with --csv") if _PREAMBLE.search(content.head) else NO


def _read(content: Content) -> Sequence[Recording]:
    found = tables(content, lambda row: set(row) >= _TRACE or set(row) >= _SUMMARY)
    traces = [table for table in found if set(table.columns) >= _TRACE]
    if traces:
        return _traces(content, traces)
    totals = Totals()
    for table in found:
        _add_totals(content, table, totals)
    if not totals:
        raise ModeldocsError("has no row of a kernel or a copy", file=content.path)
    return [
        trace.recording(
            totals.gpu(), device=trace.device_and_number(""), tool="nvprof --print-gpu-summary"
        )
    ]


def _traces(content: Content, found: Sequence[Table]) -> list[Recording]:
    devices = trace.DeviceEvents(content)
    rounding = ""
    for table in found:
        units = _units(content, table, ("Start", "Duration"))
        at = {name: table.columns.index(name) for name in _TRACE}
        size_at = table.columns.index("Size") if "Size" in table.columns else None
        start_ns, duration_ns = (TIMES[units[name]] for name in ("Start", "Duration"))
        size_unit = units.get("Size", "B")
        if start_ns == TIMES["s"]:
            rounding = "Starts are printed in seconds with six decimals: to 1 µs. "
        for line, row in table.numbered(first=1):
            with in_row(content, line):
                size = row[size_at] if size_at is not None else ""
                trace.add(
                    devices.of(row[at["Device"]]),
                    row[at["Name"]],
                    whole(row[at["Start"]], start_ns),
                    whole(row[at["Duration"]], duration_ns),
                    whole(size, SIZES[size_unit]) if size else None,
                )
    return [
        trace.recording(
            events,
            device=trace.device_and_number(device),
            tool="nvprof --print-gpu-trace",
            units="KB, MB and GB are binary.",
            rounding=f"{rounding}Sizes are printed with six decimals.",
        )
        for device, events in devices.items()
    ]


def _add_totals(content: Content, table: Table, totals: Totals) -> None:
    units = _units(content, table, ("Time",))
    time_ns = TIMES[units["Time"]]
    of = {name: index for index, name in enumerate(table.columns)}
    for line, row in table.numbered(first=1):
        name, time, number = (row[of[column]] for column in ("Name", "Time", "Calls"))
        if row[of["Type"]] == "API calls" if "Type" in of else _CALL.fullmatch(name):
            continue
        with in_row(content, line):
            totals.add(name, n=whole(number, 1), ns=whole(time, time_ns))


def _units(content: Content, table: Table, needed: Sequence[str]) -> dict[str, str]:
    """The unit of each column that has one.

    Raises:
        ModeldocsError: a column has none, or one that is not known.
    """
    row = table.rows[0] if table.rows else []
    units = {name: unit for name, unit in zip(table.columns, row, strict=False) if unit}
    bad = [name for name in needed if units.get(name) not in TIMES]
    if "Size" in units and units["Size"] not in SIZES:
        bad.append("Size")
    if bad:
        raise ModeldocsError(
            f"gives no unit that is known for {', '.join(bad)}",
            file=content.path,
            line=table.line + 1,
            fix="print it again with --csv",
        )
    return units


NVPROF = Format(name="CSV of nvprof", fit=_fit, read=_read)
