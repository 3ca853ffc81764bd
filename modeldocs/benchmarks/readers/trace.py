"""Recordings of traces: the events on each device, and what else the trace tells."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, datetime
from decimal import Decimal
from typing import NamedTuple

from modeldocs.benchmarks import metadata as part
from modeldocs.benchmarks.activity import HostColumns, activity, names
from modeldocs.benchmarks.activity.events import MAX_NS, EventColumns, Events
from modeldocs.benchmarks.measurements import Gpu
from modeldocs.benchmarks.readers.content import Content
from modeldocs.benchmarks.readers.format import Recording
from modeldocs.benchmarks.record import Record
from modeldocs.errors import ModeldocsError

NOT_NAMED = "not named in the trace"
"""Name of a device of which a trace tells nothing."""

UNKNOWN = "A trace tells neither the model nor its batch, task and precision."

_NUMBER = re.compile(r"\s*\(\d+\)$")
_EARLIEST, _LATEST = datetime(2010, 1, 1, tzinfo=UTC), datetime(2100, 1, 1, tzinfo=UTC)


class DeviceEvents:
    """The events of a trace by device, in the order in which the devices first occur."""

    def __init__(self, content: Content) -> None:
        self._content = content
        self._columns: dict[str, EventColumns] = {}

    def of(self, device: str) -> EventColumns:
        """The events of one device, to which a reader adds."""
        columns = self._columns.get(device)
        if columns is None:
            columns = self._columns[device] = EventColumns()
        return columns

    def __bool__(self) -> bool:
        return any(len(columns) for columns in self._columns.values())

    def items(self) -> Iterator[tuple[str, Events]]:
        """Each device that has events, and these.

        Raises:
            ModeldocsError: no device has any, or the events lie too far apart.
        """
        if not self:
            raise ModeldocsError(
                "holds no event of a device",
                file=self._content.path,
                fix="record it again with tracing of the GPU switched on",
            )
        for device, columns in self._columns.items():
            if not len(columns):
                continue
            try:
                yield device, columns.events()
            except ValueError as error:
                raise ModeldocsError(str(error), file=self._content.path) from None


def nanoseconds(microseconds: Decimal) -> int:
    """A time as whole nanoseconds, rounded.

    Raises:
        ValueError: it is no number, or too large.
    """
    if not microseconds.is_finite() or abs(microseconds) > MAX_NS // 1000:
        raise ValueError(f"has the time {microseconds:g} µs")
    return round(microseconds * 1000)


def day(epoch_ns: int) -> str:
    """The day, ISO and in UTC, of a time since 1970; empty where that is no likely date."""
    try:
        moment = datetime.fromtimestamp(epoch_ns / 1e9, UTC)
    except (ValueError, OverflowError, OSError):
        return ""
    return moment.date().isoformat() if _EARLIEST < moment < _LATEST else ""


def source(
    tool: str, *, units: str | None = None, rounding: str | None = None
) -> part.RecordSource:
    """What is known of the origin of a trace: the tool, its units, and how it rounds."""
    return part.RecordSource(
        title="", citation="", tool=tool, units=units, rounding=rounding, unknown=UNKNOWN
    )


class TraceContext(NamedTuple):
    """What a trace tells of the run beside what ran."""

    device: part.Device
    run: part.RunOptions = part.RunOptions(date="")
    host: part.Host = part.Host()
    software: part.Software = part.Software()


def recording(
    gpu: Gpu | Events,
    *,
    context: TraceContext,
    source: part.RecordSource,
    operators: HostColumns | None = None,
    notes: tuple[str, ...] = (),
) -> Recording:
    """The recording of a trace: what ran on one device and on the host, and its context.

    `source` is what `source` made of the tool that wrote it.
    """
    return Recording(
        Record(
            model=part.MeasuredModel(id=""),
            run=context.run,
            device=context.device,
            host=context.host,
            software=context.software,
            numerics=part.Numerics(),
            method=part.Method(),
            gpu=activity(gpu, operators) if isinstance(gpu, Events) else gpu,
            host_operators=operators.operators() if operators is not None else None,
            provenance=source,
            notes=notes,
        )
    )


def add(columns: EventColumns, name: str, start: int, duration: int, size: int | None) -> None:
    """Add an event that nvprof or Nsight Systems printed: `[CUDA memcpy HtoD]`, or a kernel's name.

    Other events in brackets, as page faults of unified memory, run beside kernels and are left out.
    """
    if not name.startswith("["):
        columns.kernel(name, start, duration)
    elif "memcpy" in name.lower():
        columns.copy(names.copy_kind(name), start, duration, size=size)
    elif "memset" in name.lower():
        columns.memset(start, duration)


def device_and_number(text: str) -> part.Device:
    """The device that nvprof and Nsight Systems print with its number: `Tesla V100 (0)`."""
    return part.Device(name=_NUMBER.sub("", text) or NOT_NAMED, kind="cuda", count=1)
