"""Time and peak memory of reading traces of a million events: `make bench-traces`.

The traces are generated, each is read in a fresh process, and the smallest time of some counts.
"""

from __future__ import annotations

import gzip
import json
import random
import resource
import shutil
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

from rich.console import Console
from rich.table import Table

REPOSITORY = Path(__file__).parents[1]
EVENTS = 1_000_000
REPEATS = 3
KERNELS = [
    "void at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add<float>, "
    f"at::detail::Array<char*, 3> >(int, at::native::CUDAFunctor_add<float>) {number}"
    for number in range(300)
]
"""Names as long as those of PyTorch."""


def main(events: int) -> None:
    """Print a line for each format."""
    table = Table(title=f"Reading {events:,} events, least of {REPEATS}")
    for heading in ("format", "MB of the file", "seconds", "peak MiB"):
        table.add_column(heading, justify="left" if heading == "format" else "right")
    with TemporaryDirectory() as folder:
        for name, write in WRITERS.items():
            path = Path(folder, "trace")
            write(path, events)
            seconds, peak = _read(path)
            size = path.stat().st_size / 1e6
            table.add_row(name, f"{size:,.0f}", f"{seconds:.1f}", f"{peak:,}")
            path.unlink()
    Console().print(table)


def _read(path: Path) -> tuple[float, int]:
    """The least of some times of reading a file, and the memory that its process took then."""
    command = [sys.executable, "-m", "evaluation.traces", "--child", str(path)]
    found = []
    for _ in range(REPEATS):
        done = subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True, check=True)
        seconds, peak = json.loads(done.stdout)
        found.append((seconds, peak))
    return min(found)


def child(path: Path) -> None:
    """Read a file in this process, and print the seconds and the peak in MiB."""
    from modeldocs.benchmarks import readers

    started = time.perf_counter()
    (recording,) = readers.read(path)[1]
    seconds = time.perf_counter() - started
    assert recording.record.gpu is not None
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    print(json.dumps((seconds, peak)))  # noqa: T201


def _kernels(number: int) -> Iterator[tuple[float, float, str]]:
    """Start and duration in µs, and name, of kernels with gaps and overlaps."""
    chance = random.Random(1)
    at = 0.0
    for index in range(number):
        at += chance.random() * 20
        yield at, chance.random() * 20, KERNELS[index % len(KERNELS)]


def _kineto(path: Path, events: int) -> None:
    """A third each of operators, launches and kernels."""
    with path.open("w") as stream:
        stream.write('{"schemaVersion": 1, "traceEvents": [\n')
        for index, (at, took, name) in enumerate(_kernels(events // 3)):
            host = {"ph": "X", "pid": 1, "tid": 1, "ts": round(at, 3), "dur": 5.5}
            shapes = {"External id": index, "Input Dims": [[32, 3, 224, 224], [1]]}
            launch = {"cbid": 211, "correlation": index}
            more = {"device": 0, "stream": 7, "correlation": index, "grid": [564, 1, 1],
                    "block": [128, 1, 1], "est. achieved occupancy %": 27}  # fmt: skip
            device = {"ph": "X", "pid": 0, "tid": 7, "ts": round(at + 8, 3), "dur": round(took, 3)}
            for event in (
                host | {"cat": "cpu_op", "name": "aten::add", "args": shapes},
                host | {"cat": "cuda_runtime", "name": "cudaLaunchKernel", "args": launch},
                device | {"cat": "kernel", "name": name, "args": more},
            ):
                stream.write(json.dumps(event) + ",\n")
        stream.write('{"ph": "M", "name": "process_name"}]}')


def _compressed(path: Path, events: int) -> None:
    plain = path.with_suffix(".json")
    _kineto(plain, events)
    with plain.open("rb") as source, gzip.open(path, "wb", compresslevel=1) as target:
        shutil.copyfileobj(source, target)
    plain.unlink()


def _kernels_alone(path: Path, events: int) -> None:
    with path.open("w") as stream:
        stream.write('{"schemaVersion": 1, "traceEvents": [\n')
        for at, took, name in _kernels(events):
            event = {"ph": "X", "cat": "kernel", "name": name, "pid": 0, "tid": 7,
                     "ts": round(at, 3), "dur": round(took, 3), "args": {"device": 0}}  # fmt: skip
            stream.write(json.dumps(event) + ",\n")
        stream.write('{"ph": "M", "name": "process_name"}]}')


def _nsight(path: Path, events: int) -> None:
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT)")
        connection.executemany("INSERT INTO StringIds VALUES (?, ?)", enumerate(KERNELS))
        columns = "start, end, deviceId, correlationId, globalPid, demangledName"
        connection.execute(f"CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL ({columns})")
        connection.executemany(
            "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (?, ?, 0, ?, 0, ?)",
            (
                (int(at * 1e3), int((at + took) * 1e3), index + 1, index % len(KERNELS))
                for index, (at, took, _) in enumerate(_kernels(events // 2))
            ),
        )
        columns = "start, correlationId, globalTid"
        connection.execute(f"CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME ({columns})")
        connection.executemany(
            "INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (?, ?, 0)",
            ((int(at), index + 1) for index, (at, _, _) in enumerate(_kernels(events // 2))),
        )
    connection.close()


def _nvprof(path: Path, events: int) -> None:
    with path.open("w") as stream:
        stream.write('"Start","Duration","Grid X","Size","Device","Name"\nms,us,,MB,,\n')
        for at, took, name in _kernels(events):
            stream.write(f'{at / 1e3:.6f},{took:.6f},1,,"GeForce GTX 950 (0)","{name}"\n')


def _nsys(path: Path, events: int) -> None:
    with path.open("w") as stream:
        stream.write("Start (ns),Duration (ns),CorrId,GrdX,Bytes (MB),Device,Strm,Name\n")
        for index, (at, took, name) in enumerate(_kernels(events)):
            times = f"{int(at * 1e3)},{int(took * 1e3)}"
            stream.write(f'{times},{index},1,,NVIDIA A100 (0),7,"{name}"\n')


WRITERS: dict[str, Callable[[Path, int], None]] = {
    "PyTorch profiler": _kineto,
    "PyTorch profiler, compressed": _compressed,
    "PyTorch profiler, kernels alone": _kernels_alone,
    "Nsight Systems, SQLite": _nsight,
    "nsys stats, CSV": _nsys,
    "nvprof, CSV": _nvprof,
}


if __name__ == "__main__":
    if sys.argv[1:2] == ["--child"]:
        child(Path(sys.argv[2]))
    else:
        main(int(sys.argv[1]) if sys.argv[1:] else EVENTS)
