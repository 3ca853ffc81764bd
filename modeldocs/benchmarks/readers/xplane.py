"""Profile of TensorFlow 2 and JAX (`.xplane.pb`).

A plane is a device or the host, its lines are streams or threads. Further lines of a GPU's plane
(operators, modules, steps) are derived from the streams and left out. Times are picoseconds from
the start of a line.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from modeldocs.benchmarks import metadata as part
from modeldocs.benchmarks.activity import HostColumns, host, names
from modeldocs.benchmarks.activity.events import EventColumns
from modeldocs.benchmarks.readers import trace, xplane_messages
from modeldocs.benchmarks.readers.content import Content
from modeldocs.benchmarks.readers.format import NO, YES, FormatMatch, LogFormat, Recording, almost
from modeldocs.errors import ModeldocsError

_START = re.compile(rb"\n[\x80-\xff]{0,8}[\x00-\x7f][\x08\x12\x1a\x22\x2a\x32]")
"""The beginning of a first plane: its length, then one of its fields."""
_GPU, _HOST, _CPU = "/device:GPU:", "/host:", "/host:CPU"
_PYTHON = "$"
"""Beginning of the names of Python's functions, which are no operators."""
_STREAM = "Stream #"
_SIZE = re.compile(r"\bsize:(\d{1,15})\b")


def _fit(content: Content) -> FormatMatch:
    if not _START.match(content.head):
        return NO
    if _GPU.encode() in content.data and _STREAM.encode() in content.data:
        return YES
    return almost("it has no stream of a GPU") if b"/host:CPU" in content.data else NO


def _read(content: Content) -> Sequence[Recording]:
    from google.protobuf.message import DecodeError

    space = xplane_messages.space()()
    try:
        space.ParseFromString(content.data)
    except DecodeError as error:
        raise ModeldocsError(f"is a damaged profile: {error}", file=content.path) from None
    devices = trace.DeviceEvents(content)
    launched: dict[int, int] = {}
    operators = HostColumns()
    try:
        for plane in space.planes:
            if plane.name.startswith(_HOST):
                _add_host(plane, launched, operators if plane.name == _CPU else None)
        for plane in space.planes:
            if plane.name.startswith(_GPU):
                _add_events(plane, devices.of(plane.name), launched)
    except ValueError as error:
        raise ModeldocsError(f"has a broken event: it {error}", file=content.path) from None
    base = _profile_start(space)
    return [
        trace.recording(
            events,
            context=trace.TraceContext(
                part.Device(name=trace.NOT_NAMED, count=1),
                part.RunOptions(date=trace.day(base + int(events.start.min()))),
            ),
            source=trace.source("XLA profiler (xplane)"),
            operators=operators,
        )
        for _, events in devices.items()
    ]


def _start(line: Any, event: Any) -> int:
    """Nanoseconds, rounded."""
    return int(line.timestamp_ns) + (int(event.offset_ps) + 500) // 1000


def _duration(event: Any) -> int:
    """Nanoseconds, rounded."""
    return (int(event.duration_ps) + 500) // 1000


def _add_host(plane: Any, launched: dict[int, int], operators: HostColumns | None) -> None:
    """Keep the start of each call of the host that launched something, and add its operators."""
    event_names, stat_names = _names(plane.event_names), _names(plane.stat_names)
    numbers = {key for key, name in stat_names.items() if name == "correlation_id"}
    for thread, line in enumerate(plane.lines):
        for event in line.events:
            start = _start(line, event)
            calls = [stat for stat in event.stats if stat.name_id in numbers]
            for stat in calls:
                launched[stat.signed or stat.unsigned] = start
            name = event_names.get(event.name_id, "")
            if operators is None or not name or name.startswith(_PYTHON):
                continue
            if host.waits(name):
                operators.wait(start, _duration(event))
            elif not calls:
                operators.operator(thread, name, start, _duration(event))


def _add_events(plane: Any, columns: EventColumns, launched: dict[int, int]) -> None:
    event_names, stat_names = _names(plane.event_names), _names(plane.stat_names)
    for line in plane.lines:
        if not line.name.startswith(_STREAM):
            continue
        for event in line.events:
            texts = _texts(event, stat_names)
            name = event_names.get(event.name_id) or "kernel without a name"
            start, duration = _start(line, event), _duration(event)
            issued = launched.get(_numbers(event, stat_names).get("correlation_id", 0))
            if "memcpy_details" in texts:
                size = _SIZE.search(texts["memcpy_details"])
                kind, held = names.copy_kind(name), int(size[1]) if size else None
                columns.copy(kind, start, duration, size=held, issued=issued)
            elif "memset_details" in texts:
                columns.memset(start, duration, issued=issued)
            else:
                columns.kernel(name, start, duration, issued=issued)


def _names(entries: Any) -> dict[int, str]:
    return {entry.key: entry.value.name for entry in entries}


def _texts(owner: Any, stat_names: dict[int, str]) -> dict[str, str]:
    """The texts among the statistics of an event, by name; a text may stand among the names."""
    return {
        stat_names.get(stat.name_id, ""): stat.text or stat_names.get(stat.text_id, "")
        for stat in owner.stats
        if stat.text or stat.text_id
    }


def _numbers(owner: Any, stat_names: dict[int, str]) -> dict[str, int]:
    """The whole numbers among the statistics of an event or a plane, by name."""
    return {
        stat_names.get(stat.name_id, ""): stat.signed or stat.unsigned
        for stat in owner.stats
        if stat.signed or stat.unsigned
    }


def _profile_start(space: Any) -> int:
    """Nanoseconds since 1970 at which the profile began, 0 where it does not tell."""
    for plane in space.planes:
        numbers = _numbers(plane, _names(plane.stat_names))
        if "profile_start_time" in numbers:
            return numbers["profile_start_time"]
    return 0


XPLANE = LogFormat(name="profile of TensorFlow or JAX", fit=_fit, read=_read)
