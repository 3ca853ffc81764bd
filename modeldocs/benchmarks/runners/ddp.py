"""Data-parallel workers: starts them, and ends all of them where one dies.

`modeldocs.isolation` runs `main`. It imports no framework: it forks, after which each worker
imports its own.
"""

from __future__ import annotations

import multiprocessing
import os
import socket
import time
from multiprocessing.connection import wait
from multiprocessing.process import BaseProcess
from pathlib import Path

import msgspec

from modeldocs.benchmarks.world import Worker, World, WorldRequest
from modeldocs.errors import Failure, ModeldocsError, first_line
from modeldocs.isolation import confinement, write_result

GRACE_SECONDS = 1.0
"""Time in which the other workers may end after the first that failed: theirs may be the cause."""

_FAILED = 1
"""Exit code of a worker that has written its failure."""

_Workers = dict[int, BaseProcess]


def main(folder: Path) -> None:
    """Run the workers of `request.json`, and write a `World`."""
    request = msgspec.json.decode((folder / "request.json").read_bytes(), type=WorldRequest)
    try:
        write_result(folder, World(workers=_run(request, folder)))
    except ModeldocsError as error:
        write_result(folder, World(failure=Failure.of(error)))


def _run(request: WorldRequest, folder: Path) -> tuple[Worker, ...]:
    _check_loopback()
    # Without an interface that other machines can reach, these find none by themselves.
    os.environ |= {"GLOO_SOCKET_IFNAME": "lo", "NCCL_SOCKET_IFNAME": "lo"}
    context = multiprocessing.get_context("fork")
    workers: _Workers = {
        rank: context.Process(target=_work, args=(request, rank, folder))
        for rank in range(request.world)
    }
    for process in workers.values():
        process.start()
    _join(workers, request, folder)
    return tuple(
        msgspec.json.decode(_result(folder, rank).read_bytes(), type=Worker) for rank in workers
    )


def _check_loopback() -> None:
    """Check that processes of this one can connect to each other.

    Raises:
        ModeldocsError: they cannot.
    """
    try:
        with socket.create_server(("127.0.0.1", 0)) as server:
            socket.create_connection(server.getsockname(), timeout=5).close()
    except OSError as error:
        raise ModeldocsError(
            f"the workers cannot connect to each other: {error.strerror or error}",
            fix="measure where the system allows unprivileged user and network namespaces",
        ) from None


def _work(request: WorldRequest, rank: int, folder: Path) -> None:
    """The whole of one worker's process."""
    confinement.die_with_parent()
    from modeldocs.benchmarks.runners.pytorch.ddp_worker import measure

    try:
        result = measure(request, rank, folder)
        _result(folder, rank).write_bytes(msgspec.json.encode(result))
        code = 0
    except Exception as error:
        failure = Failure.of(_located(error, request))
        _failure(folder, rank).write_bytes(msgspec.json.encode(failure))
        code = _FAILED
    os._exit(code)  # skips threads of the communication, which abort when they are destroyed


def _located(error: Exception, request: WorldRequest) -> ModeldocsError:
    if isinstance(error, ModeldocsError):
        return error
    return ModeldocsError(
        f"training in parallel raised {type(error).__name__}: {first_line(error)}",
        file=request.run.load.source,
        fix="train the model on one device alone, and correct it",
    )


def _join(workers: _Workers, request: WorldRequest, folder: Path) -> None:
    """Wait for all workers.

    Raises:
        ModeldocsError: one ended without a result; the others are killed.
    """
    left = dict(workers)
    while left:
        wait([process.sentinel for process in left.values()])
        ended = [rank for rank, process in left.items() if process.exitcode is not None]
        if any(not _result(folder, rank).exists() for rank in ended):
            raise _cause(workers, request, folder)
        for rank in ended:
            del left[rank]


def _cause(workers: _Workers, request: WorldRequest, folder: Path) -> ModeldocsError:
    """The error of the worker that failed first; those whose connection to it broke fail after it.

    A worker that died without a word comes before those that have written a failure.
    """
    end = time.monotonic() + GRACE_SECONDS
    for process in workers.values():
        process.join(max(0.0, end - time.monotonic()))
    codes = {rank: process.exitcode for rank, process in workers.items()}
    for process in workers.values():
        process.kill()
        process.join()
    for rank, code in codes.items():
        if code not in (None, 0, _FAILED) or (code == _FAILED and not _written(folder, rank)):
            return _death(rank, code or 0, request)
    written = [rank for rank in workers if _written(folder, rank)]
    if not written:
        return ModeldocsError("a worker ended without a result", file=request.run.load.source)
    first = min(written, key=lambda rank: _failure(folder, rank).stat().st_mtime_ns)
    return msgspec.json.decode(_failure(folder, first).read_bytes(), type=Failure).error()


def _death(rank: int, code: int, request: WorldRequest) -> ModeldocsError:
    if code == -9:
        reason, fix = "was killed, probably because memory ran out", "measure a smaller --batch"
    elif code < 0:
        reason, fix = f"crashed with signal {-code}", "run the model alone, and correct it"
    else:
        reason, fix = f"ended itself with code {code}", "take the exit out of its code"
    name = f"worker {rank + 1} of {request.world}"
    return ModeldocsError(f"{name} {reason}", file=request.run.load.source, fix=fix)


def _result(folder: Path, rank: int) -> Path:
    return folder / f"worker-{rank}.json"


def _failure(folder: Path, rank: int) -> Path:
    return folder / f"failure-{rank}.json"


def _written(folder: Path, rank: int) -> bool:
    return _failure(folder, rank).exists()
