"""Comparisons of a server: how many run, what each has received, and how each ends."""

from __future__ import annotations

import secrets
import threading
from collections.abc import Callable

from modeldocs.errors import ModeldocsError
from modeldocs.site.serving.job import Job
from modeldocs.site.serving.plan import StoredPort
from modeldocs.site.serving.request import ComparisonRequest

MAX_ACTIVE = 2
"""Comparisons that receive files or run at the same time: each may take the memory of a load."""

MAX_KEPT = 4
"""Comparisons that ended and whose reports are in memory."""

FindPort = Callable[[str], StoredPort]
"""The stored port of a name; raises ModeldocsError where there is none or it did not load."""


class TooManyError(ModeldocsError):
    """No further comparison can be started now."""


class Jobs:
    """The comparisons of a server, by id."""

    def __init__(self, find_port: FindPort) -> None:
        self._find_port = find_port
        self._lock = threading.Lock()
        self._jobs: dict[str, Job] = {}
        self._closed = False

    def create(self, comparison: ComparisonRequest) -> tuple[str, Job]:
        """Start a comparison, which first receives the files of its sides.

        Raises:
            TooManyError: others are active.
            ModeldocsError: a port is unknown or did not load.
        """
        sides = comparison.sides.items()
        ports = {letter: self._find_port(side.port) for letter, side in sides if side.port}
        with self._lock:
            if self._closed or sum(job.active for job in self._jobs.values()) >= MAX_ACTIVE:
                raise TooManyError(
                    f"{MAX_ACTIVE} comparisons are running, and no more run at a time",
                    fix="wait until one of them ends, or cancel it",
                )
            identity, job = secrets.token_hex(16), Job(comparison, ports)
            self._jobs[identity] = job
            ended = [name for name, one in self._jobs.items() if not one.active]
            for name in ended[:-MAX_KEPT]:
                del self._jobs[name]
        return identity, job

    def get(self, identity: str) -> Job | None:
        """The comparison of an id."""
        return self._jobs.get(identity)

    def remove(self, identity: str) -> bool:
        """Cancel a comparison if it is active, and forget it; False where there is none."""
        with self._lock:
            job = self._jobs.pop(identity, None)
        if job is not None:
            job.stop()
        return job is not None

    def close(self) -> None:
        """Stop all, and wait until their folders are gone."""
        with self._lock:
            self._closed = True
            jobs, self._jobs = list(self._jobs.values()), {}
        for job in jobs:
            job.stop()
        for job in jobs:
            job.join()
