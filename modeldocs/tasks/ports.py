"""Single ports, of a catalog or not: loaded, compared and run, with what the store holds of that.

The keys of a port of the catalog are those of `build`: what a build computed is not computed again,
and what is computed here is there for the next build. Other sources (files, callables, revisions,
and ports with other arguments) have keys that tell their settings and the digests of all files that
loading read, so that they are stored too.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, NamedTuple

from modeldocs.catalog import Port
from modeldocs.isolation import Limits
from modeldocs.loaders import LiveRequest
from modeldocs.tasks import load
from modeldocs.tasks.kind import TaskFolders
from modeldocs.tasks.kinds import KINDS
from modeldocs.tasks.load import LOAD, Load
from modeldocs.tasks.pool import Pool, PooledTask, Progress, Status, silent
from modeldocs.tasks.store import Answer, Store
from modeldocs.tasks.work import work

if TYPE_CHECKING:  # a load alone needs neither
    from modeldocs.diff import Diff, Parity
    from modeldocs.tasks.programs import GeneratedProgram


class StoredDiff(NamedTuple):
    """The diff of two ports, and its digest in the store."""

    diff: Diff
    digest: str


class Ports:
    """Loads and compares single ports; results that the store does not hold are added to it."""

    def __init__(self, store: Store, progress: Progress = silent) -> None:
        self.place = TaskFolders(root="", store=str(store.folder))
        self.remote = store.remote
        self.progress = progress

    def load(self, ports: Mapping[str, Port]) -> dict[str, Load]:
        """Load ports, all of them at once; the results by the names given.

        A failure is a result. Each port is loaded in an isolated process of its own, live objects
        in this one.
        """
        live = {name: p for name, p in ports.items() if isinstance(p.request, LiveRequest)}
        results = {name: self._live(port) for name, port in live.items()}
        return results | self._sources({n: port for n, port in ports.items() if n not in live})

    def _live(self, port: Port) -> Load:
        self.progress(Status(0, 1, (f"loading {port.name}",)))
        place = _place(port, self.place.store)
        loaded = load.live(port, place.root, place)
        self.progress(Status(1, 1, ()))
        return loaded

    def _sources(self, ports: Mapping[str, Port]) -> dict[str, Load]:
        places = {name: _place(port, self.place.store) for name, port in ports.items()}
        tasks = {name: load.task_of(name, port, places[name].root) for name, port in ports.items()}
        results = {name: self._recalled(task, places[name]) for name, task in tasks.items()}
        pending = [tasks[name] for name, result in results.items() if result is None]
        if len(pending) == 1:
            (task,) = pending
            results[task.name] = places[task.name].result(self._run(task, places[task.name]), Load)
        elif pending:
            results |= self._load_at_once(pending, places)
        for task in pending:
            self._upload(task, places[task.name])
        return {name: result for name, result in results.items() if result is not None}

    def _load_at_once(
        self, tasks: list[PooledTask], places: Mapping[str, TaskFolders]
    ) -> dict[str, Load]:
        """Load ports on threads, which do no more than wait for the processes that load them."""
        results = {}
        with (
            ThreadPoolExecutor(len(tasks)) as executor,
            Pool(executor, len(tasks), self.progress) as pool,
        ):
            for done in pool.run(lambda task: work(places[task.name], task), tasks):
                if done.failure is not None:
                    raise done.failure.error()
                assert done.result is not None
                name = done.task.name
                results[name] = places[name].result(done.result.digest, Load)
        return results

    def diff(self, name: str, a: Load, b: Load) -> StoredDiff:
        """Compare two ports that loaded; `name` is that of the pair."""
        from modeldocs.tasks import diff

        assert a.graph is not None and b.graph is not None
        digest = self._digest(diff.task(name, a.graph, b.graph), self.place)
        return StoredDiff(diff=self.place.result(digest, diff.DIFF.result), digest=digest)

    def parity(self, name: str, a: Load, b: Load, compared: StoredDiff, limits: Limits) -> Parity:
        """Run two ports that were compared with the same weights."""
        from modeldocs.tasks import parity

        digest = self._digest(parity.task(name, a, b, compared.digest, limits), self.place)
        return self.place.result(digest, parity.PARITY.result)

    def program(
        self, name: str, port: Port, loaded: Load, target: str, *, proven: bool = True
    ) -> GeneratedProgram:
        """A port that loaded as a program of a target, proven if so; `name` is what it is called.

        Raises:
            ModeldocsError: a layer has no program in the target, or a framework to prove it with
                is not installed.
        """
        from modeldocs import generators
        from modeldocs.tasks import generate, programs

        if not proven or isinstance(port.request, LiveRequest):
            made = programs.ProgramGenerator(self, generators.target(target))
            return made.generate(name, port, loaded, proven=proven)
        place = _place(port, self.place.store)
        task = generate.task(name, target, name, port, loaded, place.root)
        program = None
        if self._stored(task, place) is None:
            program = generate.GENERATE.refuses(task.inputs, place)
        if program is None:
            program = place.result(self._digest(task, place), generate.GENERATE.result)
        if program.failure is not None:
            raise program.failure.error()
        return program

    def _digest(self, task: PooledTask, place: TaskFolders) -> str:
        """The digest of a task's result, which is run where the store does not hold it."""
        answer = self._stored(task, place)
        if answer is not None:
            return answer.dependencies.result
        digest = self._run(task, place)
        self._upload(task, place)
        return digest

    def _stored(self, task: PooledTask, place: TaskFolders) -> Answer | None:
        """The result of a task that is stored, here or in the remote store."""
        answer = KINDS[task.kind].stored(task.inputs, place)
        if answer is None and self.remote is not None:
            self.remote.fetch([task], place)
            answer = KINDS[task.kind].stored(task.inputs, place)
        return answer

    def _recalled(self, task: PooledTask, place: TaskFolders) -> Load | None:
        """The result of a load that is stored or cannot be run here; None where it is to be run."""
        answer = self._stored(task, place)
        if answer is not None:
            return place.result(answer.dependencies.result, Load)
        refused: Load | None = LOAD.refuses(task.inputs, place)
        return refused

    def _upload(self, task: PooledTask, place: TaskFolders) -> None:
        if self.remote is not None:
            self.remote.upload([task], place, ran=[task])

    def _run(self, task: PooledTask, place: TaskFolders) -> str:
        """Run a task here, on the main thread, which Ctrl-C interrupts; the result's digest."""
        self.progress(Status(0, 1, (task.title,)))
        digest = work(place, task).digest
        self.progress(Status(1, 1, ()))
        return digest


def _place(port: Port, store: str) -> TaskFolders:
    """The store, and the folder that a port's paths are relative to: around its own root.

    That of a catalog's port is the catalog's.
    """
    return TaskFolders(root=os.path.dirname(port.request.root), store=store)  # noqa: PTH120
