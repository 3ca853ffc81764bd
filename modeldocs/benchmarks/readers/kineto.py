"""Trace of the PyTorch profiler (Kineto), JSON.

Its dialects differ in categories (`Kernel` in 2021, `kernel` later), in threads (texts or numbers)
and in times: whole microseconds since 1970 until 2023, then with fractions, then since a base time.
"""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from typing import Annotated, Any

import msgspec
from msgspec import Meta

from modeldocs.benchmarks import metadata as part
from modeldocs.benchmarks.activity import HostColumns, host, names
from modeldocs.benchmarks.activity.events import MAX_BYTES, EventColumns, Events
from modeldocs.benchmarks.readers import chrome, trace
from modeldocs.benchmarks.readers.content import Content
from modeldocs.benchmarks.readers.format import NO, YES, FormatMatch, LogFormat, Recording, almost

_KERNELS = {"kernel", "Kernel"}
_COPIES = {"gpu_memcpy", "Memcpy"}
_MEMSETS = {"gpu_memset", "Memset"}
_DEVICE = _KERNELS | _COPIES | _MEMSETS
_LAUNCHES = {"cuda_runtime", "cuda_driver", "Runtime"}
_OPERATORS = {"cpu_op", "Operator"}
_RANGES = "user_annotation"
_MARKS = ("schemaVersion", "deviceProperties", "distributedInfo", "baseTimeNanoseconds")
_STEP = "ProfilerStep#"
_OWN_RANGES = ("enumerate(DataLoader)#", "Optimizer.")
"""Ranges that PyTorch marks itself, which were operators in 2021."""

_Text = Annotated[str, Meta(max_length=20_000)]
_Bytes = Annotated[int, Meta(ge=0, le=MAX_BYTES)]
_Count = Annotated[int, Meta(ge=0, le=2**31)]
_Version = Annotated[int, Meta(ge=0, le=1000)]


class _KinetoDetails(msgspec.Struct, gc=False, frozen=True):
    device: int | None = None
    bytes: int | None = None
    correlation: int | None = None
    occupancy: float | None = msgspec.field(name="est. achieved occupancy %", default=None)


class _KinetoEvent(msgspec.Struct, gc=False):
    cat: str
    name: _Text
    ts: Decimal
    dur: Decimal
    pid: Any = None
    args: _KinetoDetails = _KinetoDetails()


class _Correlation(msgspec.Struct, gc=False, frozen=True):
    correlation: int | None = None


class _Launch(msgspec.Struct, gc=False):
    ts: Decimal
    args: _Correlation = _Correlation()


class _OnHost(msgspec.Struct, gc=False):
    name: _Text
    ts: Decimal
    dur: Decimal
    tid: int | _Text = 0


class _Properties(msgspec.Struct):
    id: _Count
    name: _Text
    totalGlobalMem: _Bytes | None = None  # noqa: N815
    computeMajor: _Version | None = None  # noqa: N815
    computeMinor: _Version | None = None  # noqa: N815


class _Distributed(msgspec.Struct):
    rank: _Count
    world_size: _Count
    backend: _Text = "unknown backend"


_EVENT = msgspec.json.Decoder(_KinetoEvent)
_LAUNCH = msgspec.json.Decoder(_Launch)
_ON_HOST = msgspec.json.Decoder(_OnHost)


def _fit(content: Content) -> FormatMatch:
    if "traceEvents" not in content.fields:
        return NO
    if any(mark in content.fields for mark in _MARKS):
        return YES
    return almost(f"it has none of {', '.join(_MARKS)}") if b'"aten::' in content.head else NO


def _read(content: Content) -> Sequence[Recording]:
    raw = chrome.events(content)
    on_device: list[int] = []
    launched: dict[int, int] = {}
    operators = HostColumns()
    devices = trace.DeviceEvents(content)
    with chrome.reading(content) as place:
        for number, one in enumerate(raw):
            place.number = number
            head = chrome.HEAD.decode(one)
            if head.ph != "X" or not isinstance(head.cat, str):
                continue
            if head.cat in _DEVICE:
                on_device.append(number)
            elif head.cat in _LAUNCHES:
                _launch(_LAUNCH.decode(one), launched)
                if isinstance(head.name, str) and host.waits(head.name):
                    operators.wait(*_span(_ON_HOST.decode(one)))
            elif head.cat in _OPERATORS or head.cat == _RANGES:
                _add_on_host(_ON_HOST.decode(one), head.cat, operators)
        for number in on_device:
            place.number = number
            found = _EVENT.decode(raw[number])
            _add(found, devices.of(_device_of(found)), launched)
    return [_recording(content, device, events, operators) for device, events in devices.items()]


def _span(event: _OnHost) -> tuple[int, int]:
    """Start and duration in nanoseconds."""
    return trace.nanoseconds(event.ts), trace.nanoseconds(event.dur)


def _add_on_host(event: _OnHost, category: str, operators: HostColumns) -> None:
    """Add an operator or a step; ranges that the user marks are neither."""
    if event.name.startswith(_STEP):
        operators.step(*_span(event))
    elif category != _RANGES or event.name.startswith(_OWN_RANGES):
        operators.operator(event.tid, event.name, *_span(event))


def _launch(call: _Launch, launched: dict[int, int]) -> None:
    """Keep the start of a call; one of the runtime may call the driver, both under one number."""
    if call.args.correlation is not None:
        start = trace.nanoseconds(call.ts)
        earliest = launched.get(call.args.correlation, start)
        launched[call.args.correlation] = min(start, earliest)


def _device_of(event: _KinetoEvent) -> str:
    device = event.args.device
    return str(event.pid if device is None and isinstance(event.pid, int) else device or 0)


def _add(event: _KinetoEvent, columns: EventColumns, launched: dict[int, int]) -> None:
    start, duration = trace.nanoseconds(event.ts), trace.nanoseconds(event.dur)
    args = event.args
    issued = None if args.correlation is None else launched.get(args.correlation)
    if event.cat in _COPIES:
        kind = names.copy_kind(event.name)
        columns.copy(kind, start, duration, size=args.bytes, issued=issued)
    elif event.cat in _MEMSETS:
        columns.memset(start, duration, issued=issued)
    else:
        share = None if args.occupancy is None else args.occupancy / 100
        columns.kernel(event.name, start, duration, occupancy=share, issued=issued)


def _recording(content: Content, device: str, events: Events, operators: HostColumns) -> Recording:
    base = chrome.number(content, "baseTimeNanoseconds") or 0
    whole = not (events.start % 1000).any() and not (events.duration % 1000).any()
    cuda = chrome.number(content, "cuda_runtime_version")
    return trace.recording(
        events,
        context=trace.TraceContext(
            _device(content, device),
            part.RunOptions(
                date=trace.day(base + int(events.start.min())), iterations=operators.steps or None
            ),
            software=part.Software(
                framework="PyTorch", cuda=f"{cuda // 1000}.{cuda % 1000 // 10}" if cuda else None
            ),
        ),
        source=trace.source(
            "PyTorch profiler (Kineto)",
            rounding="The trace gives times in whole microseconds." if whole else None,
        ),
        operators=operators,
        notes=_notes(content),
    )


def _device(content: Content, number: str) -> part.Device:
    """The device, as the trace describes the one of that number, or all of its devices alike."""
    known = chrome.field(content, "deviceProperties", list[_Properties]) or []
    same = [one for one in known if str(one.id) == number]
    if not same and len({one.name for one in known}) == 1:
        same = known
    if not same:
        return part.Device(name=trace.NOT_NAMED, count=1)
    told = same[0]
    is_nvidia = "AMD" not in told.name and chrome.number(content, "hip_runtime_version") is None
    capability = f"{told.computeMajor}.{told.computeMinor}"
    return part.Device(
        name=told.name,
        kind="cuda" if is_nvidia else "unknown",
        count=1,
        compute_capability=capability if is_nvidia and told.computeMajor else None,
        memory_bytes=told.totalGlobalMem,
    )


def _notes(content: Content) -> tuple[str, ...]:
    notes = []
    job = chrome.field(content, "distributedInfo", _Distributed)
    if job is not None and job.world_size > 1:
        notes.append(f"Rank {job.rank} of {job.world_size} processes ({job.backend}).")
    hip = chrome.number(content, "hip_runtime_version")
    if hip is not None:
        notes.append(f"HIP runtime {hip // 10**7}.{hip // 10**5 % 100}.{hip % 10**5}.")
    return tuple(notes)


KINETO = LogFormat(name="PyTorch profiler trace", fit=_fit, read=_read)
