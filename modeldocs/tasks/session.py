"""What a server keeps from one build to the next: processes, models, and answers of the store."""

from __future__ import annotations

from modeldocs import catalog
from modeldocs.tasks import kinds
from modeldocs.tasks.memory import Memory
from modeldocs.tasks.pool import Pool, silent
from modeldocs.tasks.results import Results

_FEW = 2
"""Ports that a rebuild loads, after which its processes are kept for the next."""


class Session:
    """A pool, whose processes have imported what they need, and memories of models and answers."""

    def __init__(self, jobs: int | None) -> None:
        self.pool = Pool(None, jobs, silent)
        self.models, self.memory = catalog.Memory(), Memory()

    def rest(self, results: Results) -> None:
        """End the processes of a build of many ports, whose memory a rebuild does not need.

        Otherwise one is ready when the next build begins.
        """
        if sum(run.kind == "load" and run.outcome != "stored" for run in results.log) > _FEW:
            self.pool.close()
        self.pool.prepare(_import_kinds)

    def close(self) -> None:
        """End the processes."""
        self.pool.close()


def _import_kinds() -> None:
    for name in kinds.KINDS:
        kinds.KINDS[name]
