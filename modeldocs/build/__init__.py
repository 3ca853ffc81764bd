"""The build: from a catalog to results, each task run only where the store has no answer."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator
from concurrent.futures import Executor
from itertools import chain, combinations
from pathlib import Path

import msgspec

from modeldocs import diagram, diff
from modeldocs.benchmarks import panel, record
from modeldocs.build import loading, proofs, store
from modeldocs.build.pool import Done, Pool, Progress, Task, silent
from modeldocs.build.proofs import subject
from modeldocs.build.results import Recorded, Results, TaskRun, pair_name, port_name
from modeldocs.build.store import Store
from modeldocs.catalog import Catalog, Model, Port
from modeldocs.diagram import Drawing
from modeldocs.errors import ModeldocsError
from modeldocs.graph import LayerGraph
from modeldocs.isolation import Failure
from modeldocs.loaders import isolated
from modeldocs.loaders.isolated import Loaded

__all__ = ["Progress", "build", "load", "pairs", "run_task", "subject", "verify"]

_DIFF_CODE = ("modeldocs.diff", "modeldocs.graph", "modeldocs.operators")
_PANEL_CODE = ("modeldocs.benchmarks",)
_DRAW_CODE = (
    "modeldocs.diagram",
    "modeldocs.spelling",
    "modeldocs.graph",
    "modeldocs.operators",
    "modeldocs.isolation",
    "modeldocs.confined",
)


def build(
    catalog: Catalog,
    place: Store,
    *,
    executor: Executor | None = None,
    jobs: int | None = None,
    progress: Progress = silent,
) -> Results:
    """Load every port, then compare and draw what loaded.

    Failures of ports are results like any other. Without an `executor`, a pool of `jobs`
    processes (one a core by default) is started if there is anything to run.

    Raises:
        ModeldocsError: the executor given lost a process.
    """
    results = Results(place)
    for model in catalog.models:
        results.records[model.id] = _records(model)
    with Pool(executor, jobs, progress) as pool:
        _load_all(catalog, results, pool)
        proofs.recall(catalog, results)
        _compare_and_draw(catalog, results, pool)
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
        _keep(results, task, found, "stored")
    elif isolated.absent(port.framework, port.request) is not None:
        _keep(results, task, loading.run_load(task), "refused")
    else:
        return task
    return None


def _keep_load(results: Results, done: Done, port: Port, root: Path) -> None:
    if done.failure is not None:
        data = loading.failed(port, done.failure)
        _keep(results, done.task, data, "failed", done.seconds)
        return
    loaded = msgspec.msgpack.decode(done.data, type=Loaded)
    data = loading.remember_load(results.store, done.task, port, root, loaded)
    _keep(results, done.task, data, "failed" if loaded.failure else "ran", done.seconds)


def _compare_and_draw(catalog: Catalog, results: Results, pool: Pool) -> None:
    waiting = []
    for model in catalog.models:
        for task in chain(_tasks(model, results), _panels(model, results)):
            found = results.store.read(task.key)
            if found is not None:
                _keep(results, task, found, "stored")
            else:
                waiting.append(task)
    for done in pool.run(run_task, waiting):
        if done.failure is None:
            results.store.write(done.task.key, done.data)
            _keep(results, done.task, done.data, "ran", done.seconds)
        else:
            _keep_failure(results, done, done.failure)


def _tasks(model: Model, results: Results) -> Iterator[Task]:
    """A drawing of each port that loaded, and a diff of each pair of them."""
    graphs = {p.name: g for p in model.ports if (g := results.loaded(model, p).graph)}
    digests = {name: store.key(graph) for name, graph in graphs.items()}
    loaded = [port for port in model.ports if port.name in graphs]
    for port in loaded:
        key = store.key("draw", digests[port.name], store.code_version(*_DRAW_CODE))
        name = port_name(model, port)
        yield Task(kind="draw", name=name, key=key, arguments=(graphs[port.name],))
    for a, b in pairs(model, loaded):
        both = digests[a.name], digests[b.name]
        yield Task(
            kind="diff",
            name=pair_name(model, a, b),
            key=store.key("diff", *both, store.code_version(*_DIFF_CODE)),
            arguments=(graphs[a.name], graphs[b.name]),
        )


def _panels(model: Model, results: Results) -> Iterator[Task]:
    """The charts of a model's records, and of each port's own."""
    held = [item.record for item in results.records[model.id] if item.record is not None]
    groups = {model.id: held} | {
        port_name(model, port): [r for r in held if r.model.port == port.name]
        for port in model.ports
    }
    for name, records in groups.items():
        if records:
            key = store.key("panel", records, store.code_version(*_PANEL_CODE))
            yield Task(kind="panel", name=name, key=key, arguments=tuple(records))


def pairs(model: Model, among: Iterable[Port]) -> list[tuple[Port, Port]]:
    """Pairs of a model's ports to compare, its reference port on the left side of its own."""
    ports = sorted(among, key=lambda port: (port.name != model.manifest.reference, port.name))
    return list(combinations(ports, 2))


def _keep(results: Results, task: Task, data: bytes, outcome: str, seconds: float = 0.0) -> None:
    results.put(task.kind, task.name, data)
    results.log.append(TaskRun(kind=task.kind, name=task.name, outcome=outcome, seconds=seconds))


def _keep_failure(results: Results, done: Done, failure: Failure) -> None:
    """Tell that a diff or drawing failed; it is tried again at the next build."""
    kind, name = done.task.kind, done.task.name
    if kind == "draw":
        results.put(kind, name, msgspec.msgpack.encode(Drawing(failure=failure)))
    results.failures.append((name, failure))
    results.log.append(TaskRun(kind=kind, name=name, outcome="failed", seconds=done.seconds))


def run_task(task: Task) -> bytes:
    """Compare or draw; runs in a process of the pool."""
    if task.kind == "panel":
        records = [held for held in task.arguments if isinstance(held, record.Record)]
        return msgspec.msgpack.encode(panel.draw(records))
    graphs = [graph for graph in task.arguments if isinstance(graph, LayerGraph)]
    if task.kind == "diff":
        return msgspec.msgpack.encode(diff.compare(graphs[0], graphs[1]))
    return msgspec.msgpack.encode(diagram.draw(graphs[0]))
