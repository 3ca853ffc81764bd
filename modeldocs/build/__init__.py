"""The build: from a catalog to results, each task run only where the store has no answer."""

from __future__ import annotations

from collections.abc import Callable, Container
from concurrent.futures import Executor
from pathlib import Path

import msgspec

from modeldocs.benchmarks import record
from modeldocs.build import derived, loading, parities, proofs
from modeldocs.build.pool import Done, Pool, Progress, Task, silent
from modeldocs.build.proofs import subject
from modeldocs.build.results import Recorded, Results, TaskRun, port_name
from modeldocs.build.store import Store
from modeldocs.catalog import Catalog, Model, Port
from modeldocs.diagram import Drawing
from modeldocs.diff import Parity
from modeldocs.errors import ModeldocsError
from modeldocs.isolation import Failure
from modeldocs.loaders import isolated
from modeldocs.loaders.isolated import Loaded

__all__ = ["Progress", "build", "load", "subject", "verify"]


def build(
    catalog: Catalog,
    place: Store,
    *,
    executor: Executor | None = None,
    jobs: int | None = None,
    progress: Progress = silent,
    run_pairs: bool = True,
) -> Results:
    """Load every port, then compare and draw what loaded, and run every pair of ports.

    Without `run_pairs`, parity is told where the store holds it. Failures of ports are results
    like any other. Without an `executor`, a pool of `jobs` processes (one a core by default) is
    started if there is anything to run.

    Raises:
        ModeldocsError: the executor given lost a process.
    """
    results = Results(place)
    for model in catalog.models:
        results.records[model.id] = _records(model)
    with Pool(executor, jobs, progress) as pool:
        _load_all(catalog, results, pool)
        results.recall(proofs.tasks(catalog, results))
        _run(results, pool, results.recall(derived.tasks(catalog, results)), derived.run)
        pairs = results.recall(parities.tasks(catalog, results))
        _run(results, pool, pairs if run_pairs else [], parities.run)
    return results


def load(
    catalog: Catalog, place: Store, *, jobs: int | None = None, progress: Progress = silent
) -> Results:
    """Load every port, and do no more; each only where the store has no answer."""
    results = Results(place)
    with Pool(None, jobs, progress) as pool:
        _load_all(catalog, results, pool)
    return results


def verify(
    catalog: Catalog,
    place: Store,
    only: Container[str],
    *,
    jobs: int | None = None,
    progress: Progress = silent,
) -> Results:
    """Load every port, then prove those of `only`; each only where the store has no answer.

    The others may be held against: a port whose framework nothing runs is proven by another.
    """
    results = Results(place)
    with Pool(None, jobs, progress) as pool:
        _load_all(catalog, results, pool)
        proofs.prove(catalog, results, pool, only)
    return results


def _records(model: Model) -> list[Recorded]:
    read = []
    for file in record.files(Path(model.folder)):
        try:
            read.append(Recorded(file=file.name, record=record.read(file)))
        except ModeldocsError as error:
            read.append(Recorded(file=file.name, failure=Failure.of(error)))
    return read


def _load_all(catalog: Catalog, results: Results, pool: Pool) -> None:
    root = Path(catalog.root)
    waiting: list[Task] = []
    ports: dict[str, Port] = {}
    for model in catalog.models:
        for port in model.ports:
            task = _to_load(catalog, model, port, results)
            if task is not None:
                waiting.append(task)
                ports[task.name] = port
    for done in pool.run(loading.run_load, waiting):
        _keep_load(results, done, ports[done.task.name], root)


def _to_load(catalog: Catalog, model: Model, port: Port, results: Results) -> Task | None:
    """The task of loading a port, None where the store holds its result or it cannot be tried."""
    name = port_name(model, port)
    if port.failure is not None:
        results.log.append(TaskRun(kind="load", name=name, outcome="refused"))
        return None
    task = loading.load_task(catalog, model, port)
    found = loading.stored_load(results.store, task, port, Path(catalog.root))
    if found is not None:
        results.keep(task, found, "stored")
    elif isolated.absent(port.framework, port.request) is not None:
        results.keep(task, loading.run_load(task), "refused")
    else:
        return task
    return None


def _keep_load(results: Results, done: Done, port: Port, root: Path) -> None:
    if done.failure is not None:
        data = loading.failed(port, done.failure)
        results.keep(done.task, data, "failed", done.seconds)
        return
    loaded = msgspec.msgpack.decode(done.data, type=Loaded)
    data = loading.remember_load(results.store, done.task, port, root, loaded)
    results.keep(done.task, data, "failed" if loaded.failure else "ran", done.seconds)


def _run(
    results: Results, pool: Pool, tasks: list[Task], function: Callable[[Task], bytes]
) -> None:
    """Run what the store has no answer to, and keep what comes of it."""
    for done in pool.run(function, tasks):
        if done.failure is None:
            results.store.write(done.task.key, done.data)
            results.keep(done.task, done.data, "ran", done.seconds)
        else:
            _keep_failure(results, done, done.failure)


def _keep_failure(results: Results, done: Done, failure: Failure) -> None:
    """Tell that a task failed; it is tried again at the next build."""
    kind, name = done.task.kind, done.task.name
    if kind in ("draw", "parity"):
        told = Drawing(failure=failure) if kind == "draw" else Parity(failure=failure)
        results.put(kind, name, msgspec.msgpack.encode(told))
    results.failures.append((name, failure))
    results.log.append(TaskRun(kind=kind, name=name, outcome="failed", seconds=done.seconds))
