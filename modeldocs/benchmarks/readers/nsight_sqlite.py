"""SQLite export of Nsight Systems; its tables and columns differ by version."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from typing import Any
from urllib.parse import quote

from modeldocs.benchmarks import metadata as part
from modeldocs.benchmarks.activity.events import EventColumns
from modeldocs.benchmarks.measurements import CopyKind
from modeldocs.benchmarks.readers import trace
from modeldocs.benchmarks.readers.content import Content
from modeldocs.benchmarks.readers.format import NO, YES, FormatMatch, LogFormat, Recording, almost
from modeldocs.errors import ModeldocsError

_KERNELS = "CUPTI_ACTIVITY_KIND_KERNEL"
_COPIES = "CUPTI_ACTIVITY_KIND_MEMCPY"
_MEMSETS = "CUPTI_ACTIVITY_KIND_MEMSET"
_GRAPHS = "CUPTI_ACTIVITY_KIND_GRAPH_TRACE"
_CALLS = "CUPTI_ACTIVITY_KIND_RUNTIME"
_OF_NVPROF = "CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL"

_COPY_KINDS: dict[int, CopyKind] = {
    1: "HtoD",
    2: "DtoH",
    8: "DtoD",
    9: "HtoH",
    10: "P2P",
    3: "HtoD",
    4: "DtoH",
    5: "DtoD",
    6: "DtoD",
    7: "DtoD",  # arrays lie in device memory
    11: "HtoD",
    12: "DtoH",
    13: "DtoD",  # migrations of unified memory
}
"""CUPTI's numbers of the kinds of copies."""

_PROCESS = 2**24
"""A `globalTid` is its process's `globalPid` plus a number below this."""

Launches = dict[tuple[int, int], int]
"""Start of the call in nanoseconds, by process and correlation."""


class _Database:
    """A database, of which only the tables are used: a view could compute without end."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        connection.text_factory = lambda data: data.decode("utf-8", "replace")
        found = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
        self.tables = {name for (name,) in found}

    def rows(self, table: str, columns: Sequence[str]) -> Iterator[tuple[Any, ...]]:
        """The rows of a table; a column that it lacks is None, a table that is not there empty."""
        if table not in self.tables:
            return iter(())
        known = {row[1] for row in self._connection.execute(f'PRAGMA table_info("{table}")')}
        wanted = ", ".join(f'"{one}"' if one in known else "NULL" for one in columns)
        return iter(self._connection.execute(f'SELECT {wanted} FROM "{table}"'))


@contextmanager
def _opened(content: Content) -> Iterator[_Database]:
    """The database, opened for reading alone.

    Raises:
        ModeldocsError: it is damaged, or holds values of wrong types.
    """
    address = f"file:{quote(str(content.path.absolute()))}?mode=ro&immutable=1"
    try:
        with closing(sqlite3.connect(address, uri=True)) as connection:
            yield _Database(connection)
    except (sqlite3.Error, TypeError, ValueError, OverflowError, MemoryError) as error:
        reason = str(error) or "a value is too large"  # a damaged length asks for any memory
        raise ModeldocsError(
            f"is a damaged export of Nsight Systems: {reason}",
            file=content.path,
            fix="export it again with `nsys export --type sqlite`",
        ) from None


def _fit(content: Content) -> FormatMatch:
    if not content.is_sqlite:
        compressed = content.head.startswith(b"SQLite format 3")
        return almost("it is compressed: unpack it") if compressed else NO
    with _opened(content) as database:
        tables = database.tables
    if {_KERNELS, _COPIES, _GRAPHS} & tables:
        return YES
    if _OF_NVPROF in tables:
        return almost("it is a file of nvprof: print it with `nvprof -i FILE --csv`")
    if "TARGET_INFO_SYSTEM_ENV" in tables or "META_DATA_EXPORT" in tables:
        return almost("it holds no activity of CUDA")
    return NO


def _read(content: Content) -> Sequence[Recording]:
    with _opened(content) as database:
        devices = trace.DeviceEvents(content)
        _add_events(database, devices)
        notes = []
        if _GRAPHS in database.tables and any(database.rows(_GRAPHS, ["start"])):
            notes.append("CUDA graphs were traced as a whole: each counts as one kernel.")
        export = dict(database.rows("META_DATA_EXPORT", ["name", "value"]))
        version = export.get("EXPORT_PRODUCT_VERSION")
        return [
            trace.recording(
                events,
                context=trace.TraceContext(
                    _device(database, device),
                    part.RunOptions(date=_date(database)),
                    _host(database),
                ),
                source=trace.source(f"Nsight Systems {version}" if version else "Nsight Systems"),
                notes=tuple(notes),
            )
            for device, events in devices.items()
        ]


def _add_events(database: _Database, devices: trace.DeviceEvents) -> None:
    launched = _launches(database)
    place = ["deviceId", "start", "end", "globalPid", "correlationId"]

    def added(row: Sequence[Any]) -> tuple[EventColumns, int, int, int | None]:
        device, start, end, process, correlation = row[: len(place)]
        issued = launched.get(((process or 0) // _PROCESS, correlation or 0))
        return devices.of(str(device or 0)), start, end - start, issued

    names = dict(database.rows("StringIds", ["id", "value"]))
    for row in database.rows(_KERNELS, [*place, "demangledName", "shortName"]):
        columns, start, duration, issued = added(row)
        name = names.get(row[-2]) or names.get(row[-1]) or "kernel without a name"
        columns.kernel(str(name), start, duration, issued=issued)
    for row in database.rows(_COPIES, [*place, "bytes", "copyKind"]):
        columns, start, duration, issued = added(row)
        kind = _COPY_KINDS.get(row[-1])
        columns.copy(kind, start, duration, size=row[-2], issued=issued)
    for row in database.rows(_MEMSETS, place):
        columns, start, duration, issued = added(row)
        columns.memset(start, duration, issued=issued)
    for row in database.rows(_GRAPHS, place):
        columns, start, duration, issued = added(row)
        columns.kernel("CUDA graph", start, duration, issued=issued)


def _launches(database: _Database) -> Launches:
    calls = database.rows(_CALLS, ["globalTid", "correlationId", "start"])
    return {
        ((thread or 0) // _PROCESS, correlation): start
        for thread, correlation, start in calls
        if correlation
    }


def _device(database: _Database, number: str) -> part.Device:
    """The device that CUDA gives that number."""
    gpus = {
        str(cuda): gpu
        for gpu, cuda in database.rows("TARGET_INFO_CUDA_DEVICE", ["gpuId", "cudaId"])
    }
    wanted = str(gpus.get(number, number))
    columns = ["id", "name", "totalMemory", "computeMajor", "computeMinor", "smMajor", "smMinor"]
    for gpu, name, memory, *versions in database.rows("TARGET_INFO_GPU", columns):
        if str(gpu) == wanted and name:
            major, minor = versions[:2] if versions[0] else versions[2:]
            return part.Device(
                name=str(name),
                kind="cuda",
                count=1,
                compute_capability=f"{major}.{minor}" if major else None,
                memory_bytes=memory if isinstance(memory, int) and memory > 0 else None,
                driver=_environment(database).get("NvDriverVersion"),
            )
    return part.Device(name=trace.NOT_NAMED, kind="cuda", count=1)


def _environment(database: _Database) -> dict[str, str]:
    rows = database.rows("TARGET_INFO_SYSTEM_ENV", ["name", "value"])
    return {str(name): str(value) for name, value in rows if value}


def _host(database: _Database) -> part.Host:
    told = _environment(database)
    return part.Host(cpu=told.get("CpuDescription"), os=told.get("OsDescription"))


def _date(database: _Database) -> str:
    for (moment,) in database.rows("TARGET_INFO_SESSION_START_TIME", ["utcEpochNs"]):
        if isinstance(moment, int):
            return trace.day(moment)
    return ""


NSIGHT_SQLITE = LogFormat(name="SQLite export of Nsight Systems", fit=_fit, read=_read)
