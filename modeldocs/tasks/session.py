"""What a server keeps from one build to the next: processes, models, and answers of the store."""

from __future__ import annotations

import contextlib
from collections import defaultdict
from collections.abc import Iterator, Sequence
from functools import partial

from modeldocs import catalog
from modeldocs.catalog import Catalog
from modeldocs.tasks import diff, draw, kinds, load
from modeldocs.tasks.answer_cache import AnswerCache
from modeldocs.tasks.kind import TaskFolders
from modeldocs.tasks.pool import Pool, PooledTask, silent
from modeldocs.tasks.results import Results

_FEW = 2
"""Ports that a rebuild loads, after which its processes are kept for the next."""

_READY = 2
"""Processes that are ready before a port is edited."""

_FRAMEWORKS = 2
"""Frameworks, those of the most ports, that a process has imported before a port is edited."""

_MAX_SECONDS = 10.0
"""Ports that take longer to load are not loaded for that."""


class TaskSession:
    """A pool, whose processes have imported what they need, and memories of models and answers."""

    def __init__(self, jobs: int | None) -> None:
        self.pool = Pool(None, jobs, silent)
        self.models, self.memory = catalog.CatalogCache(), AnswerCache()

    def rest(self, read: Catalog, results: Results) -> None:
        """End the processes of a build of many ports, whose memory a rebuild does not need.

        Where there is none then, two start, which take the drawing and the diffs of a port that is
        edited. Each does once what that will make it do: import the tasks and the frameworks, load
        a port, draw it and compare it.
        """
        if sum(run.kind == "load" and run.outcome != "stored" for run in results.log) > _FEW:
            self.pool.close()
        if self.pool.own is None:
            rehearse = partial(_rehearse, results.place, list(_quick_loads(read, results)))
            for _ in range(min(self.pool.jobs, _READY)):
                self.pool.prepare(rehearse)

    def close(self) -> None:
        """End the processes."""
        self.pool.close()


def _quick_loads(read: Catalog, results: Results) -> Iterator[PooledTask]:
    """The load that took the shortest of each of the frameworks with the most ports."""
    loads: dict[str, list[tuple[float, str, PooledTask]]] = defaultdict(list)
    for model in read.models:
        for port in model.ports:
            if port.failure is None and (done := results.loaded(model, port)).graph is not None:
                task = load.task(read, model, port)
                loads[port.framework].append((done.seconds, task.name, task))
    for ports in sorted(loads.values(), key=len, reverse=True)[:_FRAMEWORKS]:
        seconds, _, task = min(ports, key=lambda one: one[:2])
        if seconds <= _MAX_SECONDS:
            yield task


def _rehearse(place: TaskFolders, loads: Sequence[PooledTask]) -> None:
    """Import all kinds of tasks, and load, draw and compare these ports; nothing of it is kept."""
    every = {name: kinds.KINDS[name] for name in kinds.KINDS}
    with place.objects.in_use():
        for task in loads:
            with contextlib.suppress(Exception):  # the build tells of failures
                graph = every[task.kind].run(task.inputs, place).graph
                every[draw.DRAW.name].run(draw.DrawInputs(graph=graph), place)
                every[diff.DIFF.name].run(diff.DiffInputs(a=graph, b=graph), place)
