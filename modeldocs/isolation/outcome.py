"""The end of a run: its result, or why it has none, and whether that was the machine's failure."""

from __future__ import annotations

import os
import shutil
import signal
import stat
import tempfile
from pathlib import Path
from typing import TypeVar

import msgspec

from modeldocs import machine
from modeldocs.errors import ModeldocsError
from modeldocs.isolation.limits import CONFINEMENT, FAILED_MACHINE, Limits
from modeldocs.isolation.watch import RunWatch
from modeldocs.machine import FailureCause
from modeldocs.struct import Struct

RESULT = "result.json"
"""The file of a run's result."""

_LITTLE = 2**20
"""Bytes left on a disk that counts as full."""

S = TypeVar("S", bound=Struct)


class ProcessOutcome(Struct, frozen=True):
    """The end of a run: why it wrote no result, if so, with the fix, and what it printed.

    `machine` is whether that was the machine's failure, not that of what ran.
    """

    folder: str
    printed: str
    failure: str | None = None
    fix: str | None = None
    file_mb: int = Limits().file_mb
    machine: bool = False

    def file(self, name: str) -> Path:
        """The path of a file that the run wrote to its folder."""
        return Path(self.folder) / name

    def read(self, name: str) -> bytes:
        """Content of a file that the run wrote.

        Raises:
            OSError: there is none, it is a link, a device or a pipe, or larger than the limit.
        """
        descriptor = os.open(self.file(name), os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode) or status.st_size > self.file_mb * 2**20:
            os.close(descriptor)
            raise OSError(f"{name} is no plain file of at most {self.file_mb} MiB")
        with os.fdopen(descriptor, "rb") as stream:
            return stream.read()

    def check(self, *, doing: str = "", file: str | None = None, fix: str | None = None) -> None:
        """Check that the process wrote a result; `fix` is what to do where it failed by itself.

        Raises:
            ModeldocsError: it ended without one; the reason begins with `doing`, and names `file`.
        """
        if self.failure is None:
            return
        if self.machine:
            cause = FailureCause(f"{doing}{self.failure}", self.fix or "")
            raise ModeldocsError.of_machine(cause, file=file)
        raise ModeldocsError(f"{doing}{self.failure}", file=file, fix=fix or self.fix)

    def result(self, kind: type[S], *, doing: str = "", file: str | None = None) -> S:
        """The result that the process wrote; errors begin with `doing` and name `file`.

        Raises:
            ModeldocsError: it ended without a result, or wrote one that cannot be read.
        """
        self.check(doing=doing, file=file)
        try:
            return msgspec.json.decode(self.read(RESULT), type=kind)
        except (OSError, msgspec.MsgspecError) as error:
            raise unreadable(error, file) from None


def unreadable(error: Exception, file: str | None) -> ModeldocsError:
    """The error for a file of a run that cannot be read: the machine's, or that of what ran."""
    cause = machine.cause_in_ours(error)
    if cause is not None:
        return ModeldocsError.of_machine(cause, file=file)
    return ModeldocsError(f"left no readable result: {error}", file=file)


def outcome(
    status: int | None, folder: Path, printed: str, limits: Limits, watch: RunWatch
) -> ProcessOutcome:
    """The outcome of a run that ended with a status, None where its time was up."""
    failure: str | None = None
    fix: str | None = None
    cause = None
    if status is not None and (folder / RESULT).exists():
        pass
    elif (cause := _machine(status, folder, watch)) is not None:
        failure, fix = cause
    else:
        failure, fix = _explain(status, limits)
    return ProcessOutcome(
        folder=str(folder),
        printed=printed,
        failure=failure,
        fix=fix,
        file_mb=limits.file_mb,
        machine=cause is not None,
    )


def _machine(status: int | None, folder: Path, watch: RunWatch) -> FailureCause | None:
    """The cause in the machine of a run that wrote no result; None where it failed by itself."""
    if status is None:
        return None if watch.had_its_time else watch.stopped()
    if (killed := watch.killed(-status)) is not None:
        return killed
    full = shutil.disk_usage(folder).free < _LITTLE
    if status == FAILED_MACHINE or (status == -signal.SIGBUS and full):
        place = f"the disk of {tempfile.gettempdir()} "
        if full:
            return FailureCause(
                f"{place}is full", "make room there, or set TMPDIR to another folder"
            )
        return FailureCause(f"{place}could not be read or written", "check that disk")
    if (folder / CONFINEMENT).exists():  # it reads that before it runs what it is for
        return FailureCause(
            f"its process ended before it began, with status {status}",
            "see that there are memory and disk left, and that its interpreter runs",
        )
    return None


def _explain(status: int | None, limits: Limits) -> tuple[str, str]:
    """Why a run that failed by itself wrote no result, as a clause, and the fix."""
    if status is None:
        return (
            f"was stopped after {limits.seconds:g} s",
            "look for an endless loop, or raise `limits: {seconds: …}` of the port in model.yml",
        )
    if status < 0:
        return (
            f"crashed its process with {_signal_name(-status)}",
            "run it on its own to find the crash; "
            f"it may have run out of its {limits.memory_mb} MiB of memory",
        )
    return f"ended its process itself, with status {status}", "take the exit out of its code"


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
