"""The life of a process that a server starts: its memory, and its end with that of the server."""

from __future__ import annotations

import contextlib
import os
import resource
import shutil
import signal
import sys
from collections.abc import Iterator
from pathlib import Path

from modeldocs.isolation import Limits

INPUT = 0
"""The standard input, which closes when the server ends in any way."""


def limit_memory() -> None:
    """Limit this process, and those that it starts, to the memory of one load."""
    size = Limits().memory_mb * 2**20
    with contextlib.suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_DATA, (size, size))


def stop_at_end_of_input() -> None:
    """Wait for the end of the standard input, and stop this process."""
    os.read(INPUT, 1)  # the stream of `sys` would have a lock that Python needs at its end
    os.kill(os.getpid(), signal.SIGTERM)


@contextlib.contextmanager
def deleted_if_stopped(folder: Path) -> Iterator[None]:
    """Delete the folder, and end processes that work in it, if this process is stopped."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    try:
        yield
    except SystemExit:
        _kill_descendants(folder)
        shutil.rmtree(folder, ignore_errors=True)
        raise


def _kill_descendants(folder: Path) -> None:
    """Kill processes whose HOME is in the folder: on Linux, those that a source started."""
    mark = b"HOME=" + os.fsencode(folder) + os.fsencode(os.sep)
    for process in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            variables = (process / "environ").read_bytes().split(b"\0")
            if any(variable.startswith(mark) for variable in variables):
                os.kill(int(process.name), signal.SIGKILL)
