"""Watching a run that may reach its limit: whether the machine gives it its time.

The limit is one of what a run does: of the time that it computes, or sleeps of its own accord. Time
in which it wants to go on and cannot, since others have the processors, or a disk or memory keeps
it waiting, is not its own. Linux tells the time that its tasks computed, and by their states
whether all of them sleep. A run whose time is up by the clock is stopped where it had three
quarters of it, which is an end of its own. Else it may go on, up to three times as long; after that
the machine was too busy to say anything of it. Other systems tell nothing: there a run is stopped
by the clock, and its end never counts as its own.
"""

from __future__ import annotations

import contextlib
import os
import signal
import time
from collections.abc import Iterator
from pathlib import Path

from modeldocs.isolation.limits import Limits
from modeldocs.machine import FailureCause

_LOOKS = 64
"""Looks at the states of a run's tasks until its limit."""

_APART = 0.1
"""Seconds between two looks at least."""

_SHARE = 0.75
"""Share of its time that a run must have had for its end to be its own."""

_PATIENCE = 3
"""How many times as long as its limit a run may take that did not get its time."""

_UTIME = 11
"""Place of the first of four times of a process in /proc/PID/stat, behind its name."""

_SENT = (signal.SIGKILL, signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
"""Signals that the kernel and other programs end a process with; crashes give others."""

_SLEEPING = frozenset("SIZX")
"""States of tasks that do not want to go on; others run, or wait for a processor or a disk."""

_COUNTS = Path("/proc/vmstat")


class RunWatch:
    """A run's limit of time, and what was seen of it when it reached that."""

    def __init__(self, limits: Limits) -> None:
        self.seconds = limits.seconds
        self._killed_before = _out_of_memory_kills()
        self._looks = self._asleep = 0
        self._had = 0.0

    def moments(self, process: int) -> Iterator[float]:
        """The moments to wait until, by `time.monotonic`: the last one is the end of its time.

        `process` leads the run. It must be there still when the next moment is asked for.
        """
        start = time.monotonic()
        looks = min(_LOOKS, max(int(self.seconds / _APART), 1))
        for number in range(1, _PATIENCE * looks + 1):
            yield start + self.seconds * number / looks
            self._look(process, time.monotonic() - start)
            if number >= looks and (self.had_its_time or not self._looks):
                return

    def _look(self, process: int, elapsed: float) -> None:
        states, computed = "", 0.0
        for one in _tree(process):
            with contextlib.suppress(OSError, ValueError):
                tasks = list(Path(f"/proc/{one}/task").iterdir())
                states += "".join(_fields(task)[0] for task in tasks)
                computed += max(_ticks(Path(f"/proc/{one}")), sum(map(_scheduled, tasks)))
        if states:
            self._looks += 1
            self._asleep += set(states) <= _SLEEPING
            self._had = computed + elapsed * self._asleep / self._looks

    @property
    def had_its_time(self) -> bool:
        """Whether a run computed, or slept of its own accord, for as long as it may."""
        return self._looks > 0 and self._had >= _SHARE * self.seconds

    def stopped(self) -> FailureCause:
        """The cause in the machine of the end of a run that did not have its time."""
        if not self._looks:
            return FailureCause(
                f"was stopped after {self.seconds:g} s, and this system does not tell whether it "
                "was slow or the machine",
                "end other programs",
            )
        return FailureCause(
            f"was stopped after {_PATIENCE * self.seconds:g} s, in most of which it waited for a "
            "processor, memory or a disk",
            "end other programs, or use fewer --jobs",
        )

    def killed(self, number: int) -> FailureCause | None:
        """The cause in the machine of a run's end by a signal; None where it crashed."""
        if number not in _SENT:
            return None
        name = signal.Signals(number).name
        if number == signal.SIGKILL and _out_of_memory_kills() > self._killed_before:
            return FailureCause(
                f"was killed ({name}) while the machine ran out of memory",
                "end other programs, use fewer --jobs, or build where there is more memory",
            )
        return FailureCause(
            f"was killed ({name}) by the system, by another program, or by its own code",
            "end other programs, or use fewer --jobs; take such a signal out of its code",
        )


def _out_of_memory_kills() -> int:
    """Processes that the kernel has killed for memory since it started; 0 where it does not say."""
    with contextlib.suppress(OSError, ValueError):
        for line in _COUNTS.read_text("ascii").splitlines():
            name, _, count = line.partition(" ")
            if name == "oom_kill":
                return int(count)
    return 0


def _tree(process: int) -> Iterator[int]:
    """A process and its descendants."""
    yield process
    with contextlib.suppress(OSError, ValueError):
        for task in Path(f"/proc/{process}/task").iterdir():
            for child in (task / "children").read_text("ascii").split():
                yield from _tree(int(child))


def _ticks(process: Path) -> float:
    """Seconds that a process computed, with its tasks and children that ended; in hundredths."""
    return sum(map(int, _fields(process)[_UTIME : _UTIME + 4])) / os.sysconf("SC_CLK_TCK")


def _scheduled(task: Path) -> float:
    """Seconds that a task computed, exactly; 0 where the kernel does not count that."""
    with contextlib.suppress(OSError, ValueError):
        return int((task / "schedstat").read_text("ascii").split()[0]) / 1e9
    return 0.0


def _fields(folder: Path) -> list[str]:
    """What /proc tells of a task behind its name, which is in parentheses: its state first."""
    return (folder / "stat").read_text("utf-8", "replace").rpartition(")")[2].split()
