"""A process of its own for code that is not ours: limits on time, memory, secrets, network.

The parent calls `run`; the child's module calls `confine` before anything else and speaks with
the parent by files in a folder of its own (`request.json` in, `result.json` and others out).
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import msgspec

from modeldocs.errors import ModeldocsError
from modeldocs.graph import Struct

_KEPT_VARIABLES = (
    "PATH",
    "PYTHONPATH",
    "PYTHONHASHSEED",
    "LANG",
    "LC_ALL",
    "LD_LIBRARY_PATH",
    "SYSTEMROOT",
    "OMP_NUM_THREADS",
    "VIRTUAL_ENV",
    "MODELDOCS_LOADER_PATH",
)
_CLONE_NEWUSER, _CLONE_NEWNET = 0x10000000, 0x40000000
LOG_BYTES = 64 * 1024
"""How much of what a port prints is kept."""


class Limits(Struct, frozen=True):
    """What one isolated run may take.

    `seconds` of wall time; `memory_mb` of data (anonymous memory, in MiB, which leaves out
    mapped libraries); `file_mb` for the largest file it writes, its printing included.
    """

    seconds: float = 120.0
    memory_mb: int = 8192
    file_mb: int = 512


class Outcome(Struct, frozen=True):
    """How a run ended: whether it wrote its result, and if not why; what it printed."""

    folder: str
    printed: str
    failure: str | None = None
    mend: str | None = None

    def file(self, name: str) -> Path:
        """A file that the run was to leave in its folder."""
        return Path(self.folder) / name


@contextlib.contextmanager
def run(
    module: str, request: Struct, limits: Limits, python: str = sys.executable
) -> Iterator[Outcome]:
    """Run `python -m module FOLDER` confined, with `request.json` in FOLDER.

    Yields its outcome; the folder is gone when the block ends. The child's whole process group
    is killed when the time is up and when it ends, so nothing of it stays behind.
    """
    folder = Path(tempfile.mkdtemp(prefix="modeldocs-"))
    try:
        (folder / "request.json").write_bytes(msgspec.json.encode(request))
        (folder / "limits.json").write_bytes(msgspec.json.encode(limits))
        status = _wait(_start(module, folder, python), limits)
        printed = _printed(folder / "printed.txt")
        failure, mend = _told(status, folder, limits)
        yield Outcome(folder=str(folder), printed=printed, failure=failure, mend=mend)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _start(module: str, folder: Path, python: str) -> subprocess.Popen[bytes]:
    home = folder / "home"
    home.mkdir()
    environment = {name: os.environ[name] for name in _KEPT_VARIABLES if name in os.environ}
    environment |= {
        "HOME": str(home),
        "TMPDIR": str(home),
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONUNBUFFERED": "1",
        "CUDA_VISIBLE_DEVICES": "",
    }
    with (folder / "printed.txt").open("wb") as printed:
        return subprocess.Popen(
            [python, "-P", "-m", module, str(folder)],
            cwd=home,
            env=environment,
            start_new_session=True,
            stdin=subprocess.DEVNULL,
            stdout=printed,
            stderr=subprocess.STDOUT,
        )


def _wait(process: subprocess.Popen[bytes], limits: Limits) -> int | None:
    try:
        return process.wait(timeout=limits.seconds)
    except subprocess.TimeoutExpired:
        return None
    finally:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def _told(status: int | None, folder: Path, limits: Limits) -> tuple[str | None, str | None]:
    """Why there is no result, in a clause, and the mend; nothing where there is one."""
    if status is None:
        return (
            f"was stopped after {limits.seconds:g} s",
            "look for an endless loop, or raise `limits: {seconds: …}` of the port in model.yml",
        )
    if (folder / "result.json").exists():
        return None, None
    if status < 0:
        name = signal.Signals(-status).name
        return (
            f"crashed its process with {name}",
            "run it on its own to find the crash; "
            f"it may have run out of its {limits.memory_mb} MiB of memory",
        )
    return f"ended its process itself, with status {status}", "take the exit out of its code"


def _printed(file: Path) -> str:
    with file.open("rb") as stream:
        data = stream.read(LOG_BYTES + 1)
    text = data[:LOG_BYTES].decode("utf-8", "replace")
    return text + "\n… (cut)" if len(data) > LOG_BYTES else text


def confine(folder: Path) -> None:
    """Put the limits of `limits.json` on this process, and take its network where Linux lets us."""
    limits = msgspec.json.decode((folder / "limits.json").read_bytes(), type=Limits)
    for kind, value in (
        (resource.RLIMIT_DATA, limits.memory_mb * 2**20),
        (resource.RLIMIT_FSIZE, limits.file_mb * 2**20),
        (resource.RLIMIT_CORE, 0),
    ):
        with contextlib.suppress(ValueError, OSError):
            resource.setrlimit(kind, (value, value))
    leave_network()


def leave_network() -> bool:
    """Move this process into a network namespace without interfaces; False where refused."""
    if not sys.platform.startswith("linux"):
        return False
    libc = ctypes.CDLL(None, use_errno=True)
    flags = _CLONE_NEWNET if os.geteuid() == 0 else _CLONE_NEWNET | _CLONE_NEWUSER
    return int(libc.unshare(flags)) == 0


class Failure(Struct, frozen=True):
    """A `ModeldocsError` as plain data, to cross a process border or to be stored."""

    reason: str
    file: str | None = None
    line: int | None = None
    column: int | None = None
    mend: str | None = None

    @classmethod
    def of(cls, error: ModeldocsError) -> Failure:
        """The error's parts."""
        return cls(
            reason=error.reason,
            file=error.file,
            line=error.line,
            column=error.column,
            mend=error.mend,
        )

    def error(self) -> ModeldocsError:
        """The error again."""
        return ModeldocsError(
            self.reason, file=self.file, line=self.line, column=self.column, mend=self.mend
        )
