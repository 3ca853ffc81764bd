"""The build: runs the tasks of a catalog whose results are not in the store."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator
from concurrent.futures import Executor
from functools import partial
from itertools import chain
from pathlib import Path

from modeldocs.benchmarks import record
from modeldocs.benchmarks.record import Record
from modeldocs.catalog import Catalog, Model, Port
from modeldocs.errors import Failure, ModeldocsError
from modeldocs.tasks import diff, draw, load, panel, parity, proof
from modeldocs.tasks.kind import Place
from modeldocs.tasks.names import pair_name, pairs, port_name
from modeldocs.tasks.parity import ParityInputs
from modeldocs.tasks.pool import Pool, Progress, Task, silent
from modeldocs.tasks.proof import subject
from modeldocs.tasks.results import RecordFile, Results, TaskRun
from modeldocs.tasks.store import Store
from modeldocs.tasks.work import work


def build(
    catalog: Catalog,
    store: Store,
    *,
    executor: Executor | None = None,
    jobs: int | None = None,
    progress: Progress = silent,
    run_pairs: bool = True,
) -> Results:
    """Load every port, then draw, compare and run the ports that loaded.

    Without `run_pairs`, parity is only read from the store. Failures of ports are results, not
    errors. Without an `executor`, a pool of `jobs` processes (by default one per core) is started
    if there is anything to run.

    Raises:
        ModeldocsError: a process of the given `executor` died.
    """
    with Pool(executor, jobs, progress) as pool:
        results = _loaded(catalog, store, pool)
        for model in catalog.models:
            results.records[model.id] = _records(model)
        _recall(_proofs(catalog, results), results)
        _run(chain(_of_graphs(catalog, results), _panels(catalog, results)), results, pool)
        (_run if run_pairs else _recall)(_parities(catalog, results), results, pool)
    return results


def recall(catalog: Catalog, store: Store) -> Results:
    """What the store holds of a build, as far as it holds it; nothing is run."""
    results = Results(Place(root=catalog.root, store=str(store.folder)))
    for model in catalog.models:
        results.records[model.id] = _records(model)
    for stage in (_loads, _proofs, _of_graphs, _panels, _parities):
        _recall(stage(catalog, results), results)
    return results


def load_all(
    catalog: Catalog, store: Store, *, jobs: int | None = None, progress: Progress = silent
) -> Results:
    """Load every port."""
    with Pool(None, jobs, progress) as pool:
        return _loaded(catalog, store, pool)


def verify(
    catalog: Catalog,
    store: Store,
    only: Container[str],
    *,
    jobs: int | None = None,
    progress: Progress = silent,
) -> Results:
    """Load every port, then prove the ports named in `only`.

    The other ports are loaded because a port whose framework cannot be run is proven by another.
    """
    with Pool(None, jobs, progress) as pool:
        results = _loaded(catalog, store, pool)
        _run((task for task in _proofs(catalog, results) if task.name in only), results, pool)
    return results


def _run(tasks: Iterable[Task], results: Results, pool: Pool) -> None:
    """Run the tasks that have no stored result and can run here, and add their results."""
    pending = [task for task in tasks if not results.recall(task) and not results.refuse(task)]
    for done in pool.run(partial(work, results.place), pending):
        results.finish(done)


def _recall(tasks: Iterable[Task], results: Results, _pool: Pool | None = None) -> None:
    """Add the stored results of tasks, and run nothing."""
    for task in tasks:
        results.recall(task)


def _loaded(catalog: Catalog, store: Store, pool: Pool) -> Results:
    store.folder.mkdir(parents=True, exist_ok=True)  # fails before any task has run
    results = Results(Place(root=catalog.root, store=str(store.folder)))
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
        inputs = {
            port.name: proof.port_input(port, loaded, catalog.root)
            for port in model.ports
            if (loaded := results.loaded(model, port)).graph is not None
        }
        for port in model.ports:
            if port.name in inputs:
                other = None if subject(port).provable else _provable(model, inputs)
                yield proof.task(port_name(model, port), inputs[port.name], other)


def _provable(model: Model, inputs: dict[str, proof.PortInput]) -> proof.PortInput | None:
    """A port whose framework can be run, by which others are proven; PyTorch's before others."""
    ports = [port for port in model.ports if port.name in inputs and subject(port).provable]
    first = min(ports, key=lambda port: (port.framework != "pytorch", port.name), default=None)
    return inputs[first.name] if first is not None else None


def _of_graphs(catalog: Catalog, results: Results) -> Iterator[Task]:
    """The drawing of each port that loaded, and the diff of each pair of them."""
    for model in catalog.models:
        graphs = {p.name: g for p in model.ports if (g := results.loaded(model, p).graph)}
        loaded = [port for port in model.ports if port.name in graphs]
        for port in loaded:
            yield draw.task(port_name(model, port), graphs[port.name])
        for a, b in pairs(model, loaded):
            yield diff.task(pair_name(model, a, b), graphs[a.name], graphs[b.name])


def _panels(catalog: Catalog, results: Results) -> Iterator[Task]:
    """The charts of each model's records, and of each port's records."""
    for model in catalog.models:
        every = [item.record for item in results.records[model.id] if item.record is not None]
        groups = {model.id: every} | {
            port_name(model, port): [record for record in every if record.model.port == port.name]
            for port in model.ports
        }
        for name, records in groups.items():
            if records:
                yield panel.task(name, tuple(records))
    inference = list(_inference(catalog, results))
    if inference:
        yield panel.task(
            panel.CATALOG,
            tuple(record for record, _ in inference),
            tuple(graph for _, graph in inference),
        )


def _inference(catalog: Catalog, results: Results) -> Iterator[tuple[Record, str]]:
    """The records of inference, each with the digest of its graph."""
    for model in catalog.models:
        for item in results.records[model.id]:
            if item.record is not None and item.record.run.task == "inference":
                graph = results.graph_digest_of(model, item.record)
                if graph is not None:
                    yield item.record, graph


def _parities(catalog: Catalog, results: Results) -> Iterator[Task]:
    """The parity of each pair of ports that were compared."""
    for model in catalog.models:
        for a, b in pairs(model, model.ports):
            name = pair_name(model, a, b)
            digest = results.digests.get(("diff", name))
            if digest is not None:
                yield parity.task(name, _parity_inputs(model, (a, b), digest, results))


def _parity_inputs(
    model: Model, ports: tuple[Port, Port], diff_digest: str, results: Results
) -> ParityInputs:
    a, b = ports
    a_normal, b_normal = (results.loaded(model, port).normal for port in ports)
    assert a_normal is not None and b_normal is not None
    return ParityInputs(a=a_normal, b=b_normal, diff=diff_digest, limits=a.limits.wider(b.limits))


def _records(model: Model) -> list[RecordFile]:
    files = []
    for file in record.files(Path(model.folder)):
        try:
            files.append(RecordFile(file=file.name, record=record.read(file)))
        except ModeldocsError as error:
            files.append(RecordFile(file=file.name, failure=Failure.of(error)))
    return files
