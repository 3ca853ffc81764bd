"""The build: runs the tasks of a catalog whose results are not in the store."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator
from concurrent.futures import Executor
from contextlib import AbstractContextManager, nullcontext
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Literal

from modeldocs.benchmarks import record
from modeldocs.catalog import Catalog, Model
from modeldocs.errors import Failure, ModeldocsError
from modeldocs.isolation import Limits
from modeldocs.struct import Struct
from modeldocs.tasks import diff, histories, outline, pairs, parity, plan, program_targets
from modeldocs.tasks.answer_cache import AnswerCache
from modeldocs.tasks.bundle import bundles, work_bundle
from modeldocs.tasks.diff import DIFF
from modeldocs.tasks.kind import TaskFolders
from modeldocs.tasks.load import Load
from modeldocs.tasks.pool import Done, Pool, PooledTask, Progress, silent
from modeldocs.tasks.results import RecordFile, Results
from modeldocs.tasks.session import TaskSession
from modeldocs.tasks.store import Store
from modeldocs.tasks.work import work

_Run = Callable[[Iterable[PooledTask]], None]
"""Adds the results of tasks to those of a build."""

PairsRun = Literal["now", "later", "never"]
"""When pairs of ports are run: in the build, after it (see `Results.postponed`), or not at all."""

_LATER = Failure(
    reason="the run has not ended yet",
    fix="keep the page open; it is loaded again when the run has ended",
)


def build(
    catalog: Catalog,
    store: Store,
    *,
    workers: Executor | int | None = None,
    progress: Progress = silent,
    pool: Pool | None = None,
    pairs_run: PairsRun = "now",
    session: TaskSession | None = None,
) -> Results:
    """Load every port, then draw, compare and run the ports that loaded.

    `pairs_run` says what is done where the store has no parity of a pair. Failures of ports are
    results, not errors. Without a `pool`, the tasks run in `workers`, or in so many processes
    (by default one per core), which are started if there is anything to run; a `session` has its
    own.

    Raises:
        ModeldocsError: a process of the given `workers` died.
    """
    if session is not None:
        pool, session.pool.progress = session.pool, progress
    with _pool(pool, workers, progress) as used:
        results = _loaded(catalog, store, used, session.memory if session is not None else None)
        run = partial(_run, results, used)
        others: dict[PairsRun, _Run] = {
            "now": run,
            "later": partial(_postpone, results),
            "never": partial(_recall, results),
        }
        _add_others(catalog, results, run, others[pairs_run])
    return results


def recall(catalog: Catalog, store: Store) -> Results:
    """What the store holds of a build, as far as it holds it; nothing is run."""
    results = Results(TaskFolders(root=catalog.root, store=str(store.folder)))
    recalled = partial(_recall, results)
    recalled(plan.loads(catalog, results))
    _add_others(catalog, results, recalled, recalled)
    return results


def _add_others(catalog: Catalog, results: Results, run: _Run, run_pairs: _Run) -> None:
    """Add to the loads of a catalog what depends on them; proofs and programs are only read from
    the store.
    """
    for model in catalog.models:
        results.records[model.id] = _records(model)
    histories.add(catalog, results)
    program_targets.choose(catalog, results)
    _recall(results, chain(plan.proofs(catalog, results), plan.programs(catalog, results)))
    _choose_pairs(catalog, results, run)
    run(
        chain(
            plan.of_graphs(catalog, results),
            plan.program_diffs(catalog, results),
            plan.panels(catalog, results),
        )
    )
    _compare_doubts(catalog, results, run)
    run_pairs(chain(plan.parities(catalog, results), plan.program_parities(catalog, results)))


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
    pool: Pool | None = None,
) -> Results:
    """Load every port, then prove the ports named in `only`.

    The other ports are loaded because a port whose framework cannot be run is proven by another.
    """
    with _pool(pool, jobs, progress) as used:
        results = _loaded(catalog, store, used)
        _run(results, used, (one for one in plan.proofs(catalog, results) if one.name in only))
    return results


def generate(
    catalog: Catalog,
    store: Store,
    *,
    only: str | None = None,
    jobs: int | None = None,
    progress: Progress = silent,
    pool: Pool | None = None,
) -> Results:
    """Load every port, then generate and prove the programs of each model.

    With `only`, those in other targets are left out.
    """
    with _pool(pool, jobs, progress) as used:
        results = _loaded(catalog, store, used)
        program_targets.choose(catalog, results, only)
        _run(results, used, plan.programs(catalog, results))
    return results


class Pairing(Struct, frozen=True):
    """Two loads to compare under a name, and the limits of running them."""

    name: str
    a: Load
    b: Load
    limits: Limits


def compare(pairings: Iterable[Pairing], store: Store, pool: Pool) -> Results:
    """The diff and the parity of each pairing whose two sides loaded, by its name."""
    loaded = [one for one in pairings if one.a.graph is not None and one.b.graph is not None]
    results = Results(TaskFolders(root="", store=str(store.folder)), remote=store.remote)
    run = partial(_run, results, pool)
    run(diff.task(p.name, str(p.a.graph), str(p.b.graph)) for p in loaded)
    compared = ((p, results.digests.get((DIFF.name, p.name))) for p in loaded)
    run(parity.task(p.name, p.a, p.b, d, p.limits) for p, d in compared if d)
    return results


def _pool(
    given: Pool | None, workers: Executor | int | None, progress: Progress
) -> AbstractContextManager[Pool]:
    """The given pool, which others use after this; else one that ends with the block."""
    if given is not None:
        return nullcontext(given)
    jobs = workers if isinstance(workers, int) else None
    return Pool(None if isinstance(workers, int) else workers, jobs, progress)


def _run(results: Results, pool: Pool, tasks: Iterable[PooledTask]) -> None:
    """Run the tasks that have no stored result and can run here, and add their results."""
    every = list(tasks)
    pending = [task for task in results.recall(every) if not results.refuse(task)]
    alone = list(_run_bundles(results, pool, pending))
    for done in pool.run(partial(work, results.place), alone):
        results.finish(done)
    results.upload(every, ran=pending)


def _run_bundles(results: Results, pool: Pool, tasks: list[PooledTask]) -> Iterator[PooledTask]:
    """Run those tasks that others are run together with; the tasks that are to run alone."""
    alone = {(task.kind, task.name): task for task in tasks}
    for done in pool.run(partial(work_bundle, results.place), list(bundles(tasks, pool.jobs))):
        bundled = done.task.inputs.tasks
        for task, result in zip(bundled, done.result or (None,) * len(bundled), strict=True):
            if result is not None:
                del alone[task.kind, task.name]
                results.finish(Done(task=task, result=result))
    yield from alone.values()


def _recall(results: Results, tasks: Iterable[PooledTask]) -> None:
    """Add the stored results of tasks, and run nothing."""
    every = list(tasks)
    results.recall(every)
    results.upload(every)


def _postpone(results: Results, tasks: Iterable[PooledTask]) -> None:
    """Add the stored results of tasks, and postpone the others."""
    every = list(tasks)
    for task in results.recall(every):
        results.postpone(task, _LATER)
    results.upload(every)


def _loaded(
    catalog: Catalog, store: Store, pool: Pool, memory: AnswerCache | None = None
) -> Results:
    store.claim()
    store.folder.mkdir(parents=True, exist_ok=True)  # fails before any task has run
    if memory is not None:
        memory.begin()
    place = TaskFolders(root=catalog.root, store=str(store.folder))
    results = Results(place, memory, store.remote)
    _run(results, pool, plan.loads(catalog, results))
    return results


def _choose_pairs(catalog: Catalog, results: Results, run: _Run) -> None:
    """Decide which pairs are compared of the models of which not all are."""
    models = [model for model in catalog.models if pairs.policy(model) != "all"]
    outlines = (
        outline.task(f"{model.id}/{name}", graph)
        for model in models
        if pairs.policy(model) == "nearest"
        for name, graph in plan.graphs(model, results).items()
    )
    run(outlines)
    for model in models:
        loaded = plan.graphs(model, results)
        ports = [port for port in model.ports if port.name in loaded]
        known = {p.name: one for p in ports if (one := results.outline(model, p)) is not None}
        results.chosen[model.id] = pairs.chosen(model, ports, known)


def _compare_doubts(catalog: Catalog, results: Results, run: _Run) -> None:
    """Compare also the ports whose families may be one, of models whose nearest are compared."""
    models = [m for m in catalog.models if pairs.policy(m) == "nearest" and results.pairs(m)]
    run(plan.doubt_of(model, results) for model in models)
    found = {model.id: pairs.named(model, model.ports, results.doubts(model)) for model in models}
    run(chain.from_iterable(plan.diffs(model, found[model.id], results) for model in models))
    for model in models:
        names = ((a.name, b.name) for a, b in results.pairs(model) + found[model.id])
        results.chosen[model.id] = pairs.named(model, model.ports, names)


def _records(model: Model) -> list[RecordFile]:
    files = []
    for file in record.files(Path(model.folder)):
        try:
            files.append(RecordFile(file=file.name, record=record.read(file)))
        except ModeldocsError as error:
            files.append(RecordFile(file=file.name, failure=Failure.of(error)))
    return files
