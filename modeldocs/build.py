"""The build: from a catalog to results, each task run only where the store has no answer."""

from __future__ import annotations

import multiprocessing
import os
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Executor, Future, ProcessPoolExecutor, as_completed
from itertools import combinations
from pathlib import Path

import msgspec

from modeldocs import diagram, diff, loaders, store
from modeldocs.benchmarks import record
from modeldocs.catalog import Catalog, Model, Port
from modeldocs.errors import ModeldocsError
from modeldocs.graph import LayerGraph, Struct
from modeldocs.isolation import Failure, Limits
from modeldocs.loaders import LoadRequest, isolated
from modeldocs.results import Recorded, Results, TaskRun, pair_name, port_name
from modeldocs.store import Store

Progress = Callable[[int, int, str], None]
"""Called with tasks done, tasks in all, and the name of the last one done."""

_LOAD_CODE = ("modeldocs.normal", "modeldocs.graph", "modeldocs.origin", "modeldocs.operators")
_DIFF_CODE = ("modeldocs.diff", "modeldocs.graph", "modeldocs.operators")
_DRAW_CODE = ("modeldocs.diagram", "modeldocs.layout", "modeldocs.spelling", "modeldocs.graph")


MAX_SOURCE_BYTES = 512 * 1024
"""Sources longer than this are offered on no page."""


class Task(Struct, frozen=True):
    """One thing to do: `kind` of work, the name it is known by, and the key of its result."""

    kind: str
    name: str
    key: str
    arguments: tuple[object, ...] = ()


def build(
    catalog: Catalog,
    place: Store,
    *,
    executor: Executor | None = None,
    jobs: int | None = None,
    progress: Progress = lambda done, total, name: None,
) -> Results:
    """Load every port, then compare and draw what loaded.

    Failures of ports are results like any other. Without an `executor`, a pool of `jobs`
    processes (one a core by default) is started if there is anything to run.
    """
    results = Results(place)
    for model in catalog.models:
        results.records[model.id] = _records(model)
    with _Runner(executor, jobs, progress) as runner:
        _load_all(catalog, results, runner)
        _compare_and_draw(catalog, results, runner)
    return results


def _records(model: Model) -> list[Recorded]:
    read = []
    for file in record.files(Path(model.folder)):
        try:
            read.append(Recorded(file=file.name, record=record.read(file)))
        except ModeldocsError as error:
            read.append(Recorded(file=file.name, failure=Failure.of(error)))
    return read


def _load_all(catalog: Catalog, results: Results, runner: _Runner) -> None:
    root = Path(catalog.root)
    waiting: list[tuple[Task, Port]] = []
    for model in catalog.models:
        for port in model.ports:
            if port.failure is not None:
                results.log.append(
                    TaskRun(kind="load", name=port_name(model, port), outcome="failed")
                )
                continue
            task = load_task(catalog, model, port)
            found = stored_load(results.store, task, port, root)
            if found is not None:
                _keep(results, task, found, "stored")
            else:
                waiting.append((task, port))
    ports = {task.name: port for task, port in waiting}
    for task, data, seconds in runner.run(run_load, [task for task, _ in waiting]):
        loaded = msgspec.msgpack.decode(data, type=isolated.Loaded)
        kept = remember_load(results.store, task, ports[task.name], root, loaded)
        _keep(results, task, kept, "failed" if loaded.failure else "ran", seconds)


def load_task(catalog: Catalog, model: Model, port: Port) -> Task:
    """The task of loading a port; its key does not name the machine's folders."""
    root = Path(catalog.root)
    request = port.request
    told = msgspec.structs.replace(
        request,
        root=os.path.relpath(request.root, root),
        path=os.path.relpath(request.path, root) if request.path else None,
    )
    package = loaders.origin_package(port.framework).split(":")[0]
    code = store.code_version(package, *_LOAD_CODE)
    return Task(
        kind="load",
        name=port_name(model, port),
        key=store.key("load", port.framework, told, code),
        arguments=(port.framework, request, port.limits),
    )


def stored_load(place: Store, task: Task, port: Port, root: Path) -> bytes | None:
    """What the store holds of a load, a failure included while nothing around it changed."""
    version = isolated.framework_version(port.framework)
    distribution = loaders.loader(port.framework).distribution
    if version is None:
        return place.read_load(task.key, root, None)
    software = {distribution: version} if distribution else {}
    return place.read_load(task.key, root, software) or place.read_load(
        task.key, root, software | _surroundings(port.limits)
    )


def remember_load(
    place: Store, task: Task, port: Port, root: Path, loaded: isolated.Loaded
) -> bytes:
    """Keep a load's result with the files it depended on; the result as stored."""
    read = dict(loaded.read)
    if port.source is not None and (digest := store.digest_file(port.source)):
        read.setdefault(str(port.source.resolve()), digest)
    for path in read:
        _keep_text(place, Path(path))
    told = {os.path.relpath(path, root): digest for path, digest in sorted(read.items())}
    data = msgspec.msgpack.encode(msgspec.structs.replace(loaded, read=told))
    failed = loaded.failure is not None
    if not (failed and isolated.framework_version(port.framework) is None):
        software = loaded.software | (_surroundings(port.limits) if failed else {})
        place.write_load(task.key, told, software, data)
    return data


def _keep_text(place: Store, path: Path) -> None:
    """Keep a source file, for its page to show; not a binary, nor one too long to read."""
    try:
        data = path.read_bytes() if path.stat().st_size <= MAX_SOURCE_BYTES else b"\0"
    except OSError:
        return
    if b"\0" not in data:
        place.write_object(data)


def _surroundings(limits: Limits) -> dict[str, str]:
    """What else a failure depends on: the packages installed and the limits it ran under."""
    return {"environment": store.environment(), "limits": store.key(limits)}


def _compare_and_draw(catalog: Catalog, results: Results, runner: _Runner) -> None:
    tasks: list[Task] = []
    for model in catalog.models:
        graphs = {p.name: g for p in model.ports if (g := results.loaded(model, p).graph)}
        digests = {name: store.key(graph) for name, graph in graphs.items()}
        loaded = [port for port in model.ports if port.name in graphs]
        tasks += [
            Task(
                kind="draw",
                name=port_name(model, port),
                key=store.key("draw", digests[port.name], store.code_version(*_DRAW_CODE)),
                arguments=(graphs[port.name],),
            )
            for port in loaded
        ]
        tasks += [
            Task(
                kind="diff",
                name=pair_name(model, a, b),
                key=store.key(
                    "diff", digests[a.name], digests[b.name], store.code_version(*_DIFF_CODE)
                ),
                arguments=(graphs[a.name], graphs[b.name]),
            )
            for a, b in pairs(model, loaded)
        ]
    _run_stored(tasks, results, runner)


def pairs(model: Model, among: Iterable[Port]) -> list[tuple[Port, Port]]:
    """Pairs of a model's ports to compare, its reference port on the left side of its own."""
    ports = sorted(among, key=lambda port: (port.name != model.manifest.reference, port.name))
    return list(combinations(ports, 2))


def _run_stored(tasks: list[Task], results: Results, runner: _Runner) -> None:
    waiting = []
    for task in tasks:
        found = results.store.read(task.key)
        if found is not None:
            _keep(results, task, found, "stored")
        else:
            waiting.append(task)
    for task, data, seconds in runner.run(run_task, waiting):
        results.store.write(task.key, data)
        _keep(results, task, data, "ran", seconds)


def _keep(results: Results, task: Task, data: bytes, outcome: str, seconds: float = 0.0) -> None:
    results.put(task.kind, task.name, data)
    results.log.append(TaskRun(kind=task.kind, name=task.name, outcome=outcome, seconds=seconds))


def run_load(task: Task) -> bytes:
    """Load a port in a worker process; runs in a process of the pool."""
    framework, request, limits = task.arguments
    assert isinstance(framework, str) and isinstance(request, LoadRequest)
    assert isinstance(limits, Limits)
    return msgspec.msgpack.encode(isolated.load(framework, request, limits))


def run_task(task: Task) -> bytes:
    """Compare or draw; runs in a process of the pool."""
    graphs = [graph for graph in task.arguments if isinstance(graph, LayerGraph)]
    if task.kind == "diff":
        return msgspec.msgpack.encode(diff.compare(graphs[0], graphs[1]))
    return msgspec.msgpack.encode(diagram.draw(graphs[0]))


class _Runner:
    """Runs tasks on an executor, started with the first task that needs it."""

    def __init__(self, executor: Executor | None, jobs: int | None, progress: Progress) -> None:
        self.given, self.jobs, self.progress = executor, jobs, progress
        self.own: ProcessPoolExecutor | None = None

    def __enter__(self) -> _Runner:
        return self

    def __exit__(self, *_: object) -> None:
        if self.own is not None:
            self.own.shutdown(cancel_futures=True)

    def _executor(self) -> Executor:
        if self.given is not None:
            return self.given
        if self.own is None:
            context = multiprocessing.get_context("spawn")
            self.own = ProcessPoolExecutor(self.jobs or os.cpu_count() or 1, mp_context=context)
        return self.own

    def run(
        self, function: Callable[[Task], bytes], tasks: list[Task]
    ) -> Iterator[tuple[Task, bytes, float]]:
        """Results as they come, with the seconds each took."""
        if not tasks:
            return
        executor = self._executor()
        futures: dict[Future[tuple[bytes, float]], Task] = {
            executor.submit(_timed, function, task): task for task in tasks
        }
        for done, future in enumerate(as_completed(futures), start=1):
            task = futures[future]
            data, seconds = future.result()
            self.progress(done, len(futures), f"{task.kind} {task.name}")
            yield task, data, seconds


def _timed(function: Callable[[Task], bytes], task: Task) -> tuple[bytes, float]:
    started = time.monotonic()
    return function(task), round(time.monotonic() - started, 3)
