"""The parent's side of an isolated process: it starts the child and waits for it.

The parent calls `run`; the child (`modeldocs.isolation.confinement`) confines itself, runs
a module's `main(folder)`, and exchanges files with the parent in that folder (`request.json` in,
`result.json` and others out).
"""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Collection, Iterable, Iterator, Sequence
from pathlib import Path
from typing import IO

import msgspec

from modeldocs import machine
from modeldocs.errors import ModeldocsError
from modeldocs.isolation import forkservers
from modeldocs.isolation.limits import CONFINEMENT, Access, Confinement, Limits
from modeldocs.isolation.outcome import RESULT, ProcessOutcome, outcome
from modeldocs.isolation.watch import RunWatch
from modeldocs.machine import FailureCause
from modeldocs.struct import Struct

_BOOTSTRAP = Path(__file__).with_name("bootstrap.py")
_KEPT_VARIABLES = (
    "PATH",
    "PYTHONHASHSEED",
    "LANG",
    "LC_ALL",
    "LD_LIBRARY_PATH",
    "SYSTEMROOT",
    "OMP_NUM_THREADS",
    "VIRTUAL_ENV",
)


class _Started:
    """A run that is under way: its process, where no server runs it, and whether it was stopped."""

    def __init__(self) -> None:
        self.stopped = False
        self.process: subprocess.Popen[bytes] | None = None
        self.lock = threading.Lock()

    def stop(self) -> None:
        """Kill its process, and let none be started."""
        with self.lock:
            self.stopped = True
            if self.process is not None:
                _kill(self.process)


_under_way: set[_Started] = set()
"""The runs of this process, on all of its threads."""

NO_ACCESS = Access()
LOG_BYTES = 64 * 1024
"""Bytes of a port's printed output that are kept."""


@contextlib.contextmanager
def run(
    module: str,
    request: Struct,
    limits: Limits,
    python: str = sys.executable,
    *,
    reads: Iterable[str | Path] = (),
    access: Access = NO_ACCESS,
    preload: Sequence[str] = (),
) -> Iterator[ProcessOutcome]:
    """Run `module.main(FOLDER)` in a confined process, with `request.json` in FOLDER.

    `python` is the interpreter: this one, or that of an environment. `reads` are files and folders
    that it may read; where the kernel has Landlock it may read no others but its interpreter's and
    the system's, and write only to its own folder. `access` is what it may use beside them.
    `preload` are modules to import, and functions to call (`module:function`), which on Linux a
    server keeps for later runs: each is a process that it forks. They run unconfined, so that they
    must be of the framework or ours, and start no threads.

    Yields its outcome; the folder is deleted when the block ends. The child and all processes that
    it started are killed when it ends, or when its time is up.

    Raises:
        ModeldocsError: the machine cannot start it, or `stop` was called before it ended.
    """
    started = _Started()
    with preparing():
        folder = Path(tempfile.mkdtemp(prefix="modeldocs-"))
    _under_way.add(started)
    try:
        with preparing():
            (folder / "request.json").write_bytes(msgspec.json.encode(request))
            places = tuple(str(Path(one).resolve()) for one in reads)
            confinement = Confinement(
                module=module,
                limits=limits,
                reads=places,
                devices=access.devices,
                loopback=access.loopback,
            )
            (folder / CONFINEMENT).write_bytes(msgspec.json.encode(confinement))
            watch = RunWatch(limits)
            with (folder / "printed.txt").open("w+b") as output:
                environment = _environment(python, access.variables, devices=access.devices)
                status = _status(started, folder, python, environment, output, watch, preload)
                printed = _printed(output)
        if started.stopped:
            raise ModeldocsError("was interrupted", fix="run it again", machine=True)
        yield outcome(status, folder, printed, limits, watch)
    finally:
        _under_way.discard(started)
        _remove(folder)


@contextlib.contextmanager
def preparing() -> Iterator[None]:
    """A block of our own work before a run: what the system refuses there is its own failure.

    Raises:
        ModeldocsError: it refused a file, a folder or a process.
    """
    try:
        yield
    except OSError as error:
        cause = machine.cause_in_ours(error) or FailureCause(
            f"a process cannot be started: {error.strerror or error}",
            "see that there is a temporary folder, and the interpreter that it runs in",
        )
        raise ModeldocsError.of_machine(cause) from None


def stop() -> None:
    """Kill all runs of this process that are under way, so that the threads that wait for them end.

    A command that is interrupted calls it: Python waits for its threads.
    """
    for started in list(_under_way):
        started.stop()
    forkservers.close()


def write_result(folder: Path, result: Struct, name: str = RESULT) -> None:
    """Write a run's result atomically: the parent takes its presence for success.

    What a run writes under other names before its result is there even where it then crashes.
    """
    partial = folder / f"{name}.part"
    partial.write_bytes(msgspec.json.encode(result))
    partial.rename(folder / name)


def _environment(python: str, variables: Collection[str], *, devices: bool) -> dict[str, str]:
    # PYTHONPATH is for packages of this interpreter, which another could not import.
    kept = (*_KEPT_VARIABLES, *variables, *(["PYTHONPATH"] if python == sys.executable else []))
    environment = {name: os.environ[name] for name in kept if name in os.environ}
    environment |= {"PYTHONDONTWRITEBYTECODE": "1", "PYTHONUNBUFFERED": "1"}
    return environment if devices else environment | {"CUDA_VISIBLE_DEVICES": ""}


def _status(
    started: _Started,
    folder: Path,
    python: str,
    environment: dict[str, str],
    output: IO[bytes],
    watch: RunWatch,
    preload: Sequence[str],
) -> int | None:
    """The exit status of a run, of which nothing runs any longer; None where its time was up."""
    (folder / "home").mkdir()
    if preload and forkservers.available():
        with contextlib.suppress(forkservers.NoServerError):
            status = forkservers.run(folder, watch, python, preload, environment)
            if status == -signal.SIGKILL:  # the server itself may have died, which ends all else
                _kill_descendants(folder)
            return status
    with started.lock:
        if started.stopped:
            return -signal.SIGKILL
        started.process = _start(folder, python, environment, output)
    try:
        return _wait(started.process, watch)
    finally:
        _kill_descendants(folder)


def _start(
    folder: Path, python: str, environment: dict[str, str], output: IO[bytes]
) -> subprocess.Popen[bytes]:
    home = str(folder / "home")
    return subprocess.Popen(
        [python, "-P", str(_BOOTSTRAP), str(folder)],
        cwd=home,
        env={**environment, "HOME": home, "TMPDIR": home},
        start_new_session=True,
        stdin=subprocess.DEVNULL,
        stdout=output,
        stderr=subprocess.STDOUT,
    )


def _wait(process: subprocess.Popen[bytes], watch: RunWatch) -> int | None:
    try:
        for moment in watch.moments(process.pid):
            with contextlib.suppress(subprocess.TimeoutExpired):
                return process.wait(timeout=max(moment - time.monotonic(), 0))
        return None
    finally:
        _kill(process)
        process.wait()


def _kill(process: subprocess.Popen[bytes]) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)


def _kill_descendants(folder: Path) -> None:
    """Kill processes that left the process group: on Linux they still show the child's HOME."""
    mark = b"HOME=" + os.fsencode(folder / "home")
    for _ in range(10):
        descendants = [
            process for process in Path("/proc").glob("[0-9]*") if _has_variable(process, mark)
        ]
        if not descendants:
            return
        for process in descendants:
            with contextlib.suppress(OSError):
                os.kill(int(process.name), signal.SIGKILL)
        time.sleep(0.01)


def _has_variable(process: Path, variable: bytes) -> bool:
    try:
        return variable in (process / "environ").read_bytes().split(b"\0")
    except OSError:
        return False


def _printed(output: IO[bytes]) -> str:
    output.seek(0)
    data = output.read(LOG_BYTES + 1)
    text = data[:LOG_BYTES].decode("utf-8", "replace")
    return text + "\n… (cut)" if len(data) > LOG_BYTES else text


def _remove(folder: Path) -> None:
    """Remove the folder, even where the child took away permissions."""
    shutil.rmtree(folder, ignore_errors=True)
    if folder.exists():
        for inner, _, _ in os.walk(folder):
            for place in Path(inner).iterdir():
                if place.is_dir() and not place.is_symlink():
                    place.chmod(0o700)
        shutil.rmtree(folder, ignore_errors=True)
