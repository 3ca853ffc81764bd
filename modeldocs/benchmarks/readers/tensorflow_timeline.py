"""Timeline of TensorFlow 1 (`timeline.Timeline`, from RunMetadata), a Chrome trace.

Each GPU has a line for each stream, one for all of them and one for copies, so that an event stands
in two. The line that bears a device's name alone has the operators placed on it, as the host ran
them. Names are those of operators. Times are whole microseconds, 1 where an event took less.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Annotated

import msgspec
from msgspec import Meta

from modeldocs.benchmarks import metadata as part
from modeldocs.benchmarks.activity import HostColumns, names
from modeldocs.benchmarks.activity.events import EventColumns
from modeldocs.benchmarks.readers import chrome, trace
from modeldocs.benchmarks.readers.content import Content
from modeldocs.benchmarks.readers.format import NO, YES, FormatMatch, LogFormat, Recording, almost

_MARK = re.compile(rb'/(?:stream:|memcpy)[^"/]* Compute"')
_NO_GPU = re.compile(rb'/(?:device:)?[cC][pP][uU]:\d+ Compute"')
_LINE = re.compile(r"(?P<device>\S*?)/(?P<line>memcpy|stream:(?P<stream>\S+)) Compute")
_OPERATORS = re.compile(r"\S*/(?:device:)?[cCgG][pP][uU]:\d+ Compute")
_BYTES = re.compile(r"\b(\d{1,15}) bytes")

_Text = Annotated[str, Meta(max_length=20_000)]


class _TimelineDetails(msgspec.Struct, frozen=True):
    name: _Text = ""
    op: _Text = ""
    label: _Text = ""


class _TimelineEvent(msgspec.Struct):
    name: _Text
    pid: int
    ts: Decimal
    dur: Decimal
    tid: int = 0
    args: _TimelineDetails = _TimelineDetails()

    @property
    def text(self) -> str:
        """All that it tells of itself."""
        return " ".join((self.name, self.args.name, self.args.op, self.args.label))


class _TimelineProcess(msgspec.Struct):
    pid: int
    args: _TimelineDetails


@dataclass(frozen=True)
class _GpuLine:
    """A line of a GPU that is read, and whether its copies are."""

    device: str
    has_copies: bool


_EVENT, _PROCESS = msgspec.json.Decoder(_TimelineEvent), msgspec.json.Decoder(_TimelineProcess)


def _fit(content: Content) -> FormatMatch:
    if "traceEvents" not in content.fields:
        return NO
    if _MARK.search(content.head):
        return YES
    if _NO_GPU.search(content.head):
        return almost("it has no line of a GPU: record it with FULL_TRACE on one")
    return NO


def _read(content: Content) -> Sequence[Recording]:
    raw = chrome.events(content)
    lines: dict[int, re.Match[str]] = {}
    hosts: set[int] = set()
    operators = HostColumns()
    numbers: list[int] = []
    devices = trace.DeviceEvents(content)
    with chrome.reading(content) as place:
        for number, one in enumerate(raw):
            place.number = number
            head = chrome.HEAD.decode(one)
            if head.ph == "M" and head.name == "process_name":
                process = _PROCESS.decode(one)
                found = _LINE.fullmatch(process.args.name)
                if found:
                    lines[process.pid] = found
                elif _OPERATORS.fullmatch(process.args.name):
                    hosts.add(process.pid)
            elif head.ph == "X":
                numbers.append(number)
        chosen = _chosen(lines)
        for number in numbers:
            place.number = number
            event = _EVENT.decode(raw[number])
            line = chosen.get(event.pid)
            if line and (line.has_copies or "MEMCPY" not in event.text):
                _add(event, devices.of(line.device))
            elif event.pid in hosts:
                thread, start = (event.pid, event.tid), trace.nanoseconds(event.ts)
                operators.operator(thread, event.name, start, trace.nanoseconds(event.dur))
    return [
        trace.recording(
            events,
            context=trace.TraceContext(
                part.Device(name=trace.NOT_NAMED, kind="cuda", count=1),
                part.RunOptions(date=trace.day(int(events.start.min()))),
                software=part.Software(framework="TensorFlow"),
            ),
            source=trace.source(
                "TensorFlow timeline",
                rounding="The trace gives times in whole microseconds, and 1 for shorter ones.",
            ),
            operators=operators,
            notes=("Kernels are named by their operators.",),
        )
        for _, events in devices.items()
    ]


def _chosen(lines: dict[int, re.Match[str]]) -> dict[int, _GpuLine]:
    """The lines that are read, so that no event is read twice, by process.

    They are the line of all streams and that of copies, else the lines of the streams. Copies may
    stand in the line of all streams, too.
    """
    whole = {line["device"] for line in lines.values() if line["stream"] == "all"}
    copies = {line["device"] for line in lines.values() if line["line"] == "memcpy"}
    chosen: dict[int, _GpuLine] = {}
    for pid, line in lines.items():
        device, is_stream = line["device"], line["line"] != "memcpy"
        if (device not in whole and is_stream) or (device in whole and not is_stream):
            chosen[pid] = _GpuLine(device, has_copies=True)
        elif line["stream"] == "all":
            chosen[pid] = _GpuLine(device, has_copies=device not in copies)
    return chosen


def _add(event: _TimelineEvent, columns: EventColumns) -> None:
    start, duration = trace.nanoseconds(event.ts), trace.nanoseconds(event.dur)
    text = event.text
    if "MEMCPY" in text:
        size = _BYTES.search(text)
        kind = names.copy_kind(text[text.index("MEMCPY") :])
        columns.copy(kind, start, duration, size=int(size[1]) if size else None)
    elif "MEMSET" in text:
        columns.memset(start, duration)
    else:
        columns.kernel(event.name, start, duration)


TENSORFLOW_TIMELINE = LogFormat(name="TensorFlow timeline", fit=_fit, read=_read)
