"""The build: from a catalog to results, each task run only where the store has no answer."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator
from concurrent.futures import Executor
from functools import partial
from itertools import chain
from pathlib import Path

from modeldocs.benchmarks import record
from modeldocs.catalog import Catalog, Model, Port
from modeldocs.errors import Failure, ModeldocsError
from modeldocs.tasks import diff, draw, load, panel, parity, proof
from modeldocs.tasks.kind import Place
from modeldocs.tasks.names import pair_name, pairs, port_name
from modeldocs.tasks.parity import ParityInputs
from modeldocs.tasks.pool import Pool, Progress, Task, silent
from modeldocs.tasks.proof import subject
from modeldocs.tasks.results import Recorded, Results, TaskRun
from modeldocs.tasks.store import Store
from modeldocs.tasks.work import work

__all__ = ["Progress", "build", "load_all", "subject", "verify"]


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
    with Pool(executor, jobs, progress) as pool:
        results = _loaded(catalog, place, pool)
        for model in catalog.models:
            results.records[model.id] = _records(model)
        _recall(_proofs(catalog, results), results)
        _run(chain(_of_graphs(catalog, results), _panels(catalog, results)), results, pool)
        (_run if run_pairs else _recall)(_parities(catalog, results), results, pool)
    return results


def load_all(
    catalog: Catalog, place: Store, *, jobs: int | None = None, progress: Progress = silent
) -> Results:
    """Load every port, and do no more; each only where the store has no answer."""
    with Pool(None, jobs, progress) as pool:
        return _loaded(catalog, place, pool)


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
    with Pool(None, jobs, progress) as pool:
        results = _loaded(catalog, place, pool)
        asked = (task for task in _proofs(catalog, results) if task.name in only)
        _run(asked, results, pool)
    return results


def _run(tasks: Iterable[Task], results: Results, pool: Pool) -> None:
    """Run what the store has no answer to and can be tried here, and keep what comes of it."""
    waiting = [task for task in tasks if not results.recall(task) and not results.refuse(task)]
    for done in pool.run(partial(work, results.place), waiting):
        results.finish(done)


def _recall(tasks: Iterable[Task], results: Results, _pool: Pool | None = None) -> None:
    """Keep what the store answers, and run nothing."""
    for task in tasks:
        results.recall(task)


def _loaded(catalog: Catalog, place: Store, pool: Pool) -> Results:
    results = Results(Place(root=catalog.root, store=str(place.folder)))
    _run(_loads(catalog, results), results, pool)
    return results


def _loads(catalog: Catalog, results: Results) -> Iterator[Task]:
    for model in catalog.models:
        for port in model.ports:
            if port.failure is None:
                yield load.task(catalog, model, port)
            else:
                name = port_name(model, port)
                results.log.append(TaskRun(kind="load", name=name, outcome="refused"))


def _proofs(catalog: Catalog, results: Results) -> Iterator[Task]:
    """The proof of each port that loaded."""
    for model in catalog.models:
        able = {
            port.name: proof.proven(port, loaded, catalog.root)
            for port in model.ports
            if (loaded := results.loaded(model, port)).graph is not None
        }
        for port in model.ports:
            if port.name in able:
                other = None if subject(port).provable else _other(model, able)
                yield proof.task(port_name(model, port), able[port.name], other)


def _other(model: Model, able: dict[str, proof.Proven]) -> proof.Proven | None:
    """The port that one is held against whose framework nothing runs: PyTorch's before others."""
    ports = [port for port in model.ports if port.name in able and subject(port).provable]
    found = min(ports, key=lambda port: (port.framework != "pytorch", port.name), default=None)
    return able[found.name] if found is not None else None


def _of_graphs(catalog: Catalog, results: Results) -> Iterator[Task]:
    """A drawing of each port that loaded, and a diff of each pair of them."""
    for model in catalog.models:
        graphs = {p.name: g for p in model.ports if (g := results.loaded(model, p).graph)}
        loaded = [port for port in model.ports if port.name in graphs]
        for port in loaded:
            yield draw.task(port_name(model, port), graphs[port.name])
        for a, b in pairs(model, loaded):
            yield diff.task(pair_name(model, a, b), graphs[a.name], graphs[b.name])


def _panels(catalog: Catalog, results: Results) -> Iterator[Task]:
    """The charts of a model's records, and of each port's own."""
    for model in catalog.models:
        held = [item.record for item in results.records[model.id] if item.record is not None]
        groups = {model.id: held} | {
            port_name(model, port): [r for r in held if r.model.port == port.name]
            for port in model.ports
        }
        for name, records in groups.items():
            if records:
                yield panel.task(name, tuple(records))


def _parities(catalog: Catalog, results: Results) -> Iterator[Task]:
    """One for each pair of ports that were compared."""
    for model in catalog.models:
        for a, b in pairs(model, model.ports):
            name = pair_name(model, a, b)
            compared = results.digests.get(("diff", name))
            if compared is not None:
                yield parity.task(name, _inputs(model, (a, b), compared, results))


def _inputs(model: Model, both: tuple[Port, Port], compared: str, results: Results) -> ParityInputs:
    a, b = both
    first, second = (results.loaded(model, port).normal for port in both)
    assert first is not None and second is not None
    return ParityInputs(a=first, b=second, diff=compared, limits=a.limits.wider(b.limits))


def _records(model: Model) -> list[Recorded]:
    read = []
    for file in record.files(Path(model.folder)):
        try:
            read.append(Recorded(file=file.name, record=record.read(file)))
        except ModeldocsError as error:
            read.append(Recorded(file=file.name, failure=Failure.of(error)))
    return read
