"""Limits of an isolated process, and the files that it may read."""

from __future__ import annotations

from modeldocs.struct import Struct

CONFINEMENT = "confinement.json"
"""The file of a process's `Confinement`, which it deletes before it runs its module."""

FAILED_MACHINE = 75
"""Exit status of a process that the machine failed: EX_TEMPFAIL of sysexits.h, "try again"."""


class Limits(Struct, frozen=True):
    """Limits of one isolated run.

    `seconds` that it computes or sleeps, without those that it waits for the machine (see `watch`);
    `memory_mb` of data in MiB (anonymous memory, without mapped libraries); `file_mb` for the
    largest file that it writes, its printed output included.
    """

    seconds: float = 120.0
    memory_mb: int = 8192
    file_mb: int = 512

    def wider(self, other: Limits) -> Limits:
        """The larger of two runs' limits, each."""
        return Limits(
            seconds=max(self.seconds, other.seconds),
            memory_mb=max(self.memory_mb, other.memory_mb),
            file_mb=max(self.file_mb, other.file_mb),
        )


class Confinement(Struct, frozen=True):
    """What a process runs, its limits, and the files that it may read besides its interpreter's.

    With `devices` it may use the machine's accelerators; with `loopback` its processes may connect
    to each other by TCP.
    """

    module: str
    limits: Limits
    reads: tuple[str, ...] = ()
    devices: bool = False
    loopback: bool = False


class Access(Struct, frozen=True):
    """What a run may use beside its own folder and the files that it may read.

    `variables` are further variables of the environment; with `devices` it may use the machine's
    accelerators. With `loopback`, processes that it starts may connect to each other by TCP; the
    network stays out of reach.
    """

    variables: frozenset[str] = frozenset()
    devices: bool = False
    loopback: bool = False
