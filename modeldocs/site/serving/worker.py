"""The process of one comparison: `python -m modeldocs.site.serving.worker FOLDER`.

It waits for `start` on its standard input, reads `plan.json`, and leaves `outcome.json`, and where
it succeeds `report.html` and `diff.json`, in the folder. When its standard input closes, since the
comparison was cancelled or the server ended in any way, it stops and deletes the folder.
"""

from __future__ import annotations

import contextlib
import importlib
import os
import resource
import shutil
import signal
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import msgspec

from modeldocs import lazy_import
from modeldocs.errors import Failure, ModeldocsError, first_line
from modeldocs.isolation import Limits
from modeldocs.site.serving.plan import OUTCOME, PLAN, START, ComparisonOutcome, Plan

_INPUT = 0


def main(folder: Path) -> None:
    """Wait for the start, compare, and write the outcome."""
    _limit_memory()
    lazy_import.defer_symbolic()
    with _deleted_if_stopped(folder):
        importlib.import_module("modeldocs.site.serving.comparing")  # while files are being sent
        if os.read(_INPUT, len(START)) != START:
            raise SystemExit
        threading.Thread(target=_stop_at_end_of_input, daemon=True).start()
        _run(folder)


def _run(folder: Path) -> None:
    from modeldocs.site.serving.comparing import PlanRun

    plan = msgspec.json.decode((folder / PLAN).read_bytes(), type=Plan)
    run = PlanRun(folder)
    try:
        outcome = run.compare(plan)
    except ModeldocsError as error:
        outcome = ComparisonOutcome(failure=Failure.of(error), printed=run.printed)
    except Exception as error:
        reason = f"modeldocs failed with {type(error).__name__}: {first_line(error)}"
        fix = "this is a defect of modeldocs; report it with the two files"
        failure = Failure.of(ModeldocsError(reason, fix=fix), error)
        outcome = ComparisonOutcome(failure=failure, printed=run.printed)
    (folder / OUTCOME).write_bytes(msgspec.json.encode(outcome))


def _limit_memory() -> None:
    """Limit this process, and those that it starts, to the memory of one load."""
    size = Limits().memory_mb * 2**20
    with contextlib.suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_DATA, (size, size))


def _stop_at_end_of_input() -> None:
    os.read(_INPUT, 1)  # the stream of `sys` would have a lock that Python needs at its end
    os.kill(os.getpid(), signal.SIGTERM)


@contextlib.contextmanager
def _deleted_if_stopped(folder: Path) -> Iterator[None]:
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


if __name__ == "__main__":
    main(Path(sys.argv[1]))
