"""What an isolated process may take and read."""

from __future__ import annotations

from modeldocs.struct import Struct


class Limits(Struct, frozen=True):
    """What one isolated run may take.

    `seconds` of wall time; `memory_mb` of data (anonymous memory, in MiB, which leaves out
    mapped libraries); `file_mb` for the largest file it writes, its printing included.
    """

    seconds: float = 120.0
    memory_mb: int = 8192
    file_mb: int = 512

    def wider(self, other: Limits) -> Limits:
        """What two may take that run at once: as much as either may."""
        return Limits(
            seconds=max(self.seconds, other.seconds),
            memory_mb=max(self.memory_mb, other.memory_mb),
            file_mb=max(self.file_mb, other.file_mb),
        )


class Confinement(Struct, frozen=True):
    """What a process runs and is left: its limits, and what it may read besides its interpreter."""

    module: str
    limits: Limits
    reads: tuple[str, ...] = ()
