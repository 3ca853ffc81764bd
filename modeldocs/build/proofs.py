"""Proofs as tasks: run when they are asked for, kept in the store, shown by every build after."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from modeldocs import loaders
from modeldocs.build import store
from modeldocs.build.pool import Pool, Task
from modeldocs.build.results import Results, TaskRun, port_name
from modeldocs.catalog import Catalog, Model, Port
from modeldocs.isolation import Limits
from modeldocs.loaders import LoadRequest, isolated
from modeldocs.proof import Proof, proving

_CODE = ("modeldocs.proof", "modeldocs.runtime", "modeldocs.normal", "modeldocs.loaders.seeding")
SEED = 0


def recall(catalog: Catalog, results: Results) -> None:
    """Put the proofs that the store holds among the results."""
    for _, _, task in tasks(catalog, results):
        data = results.store.read(task.key)
        if data is not None:
            results.put("proof", task.name, data)
            results.log.append(TaskRun(kind="proof", name=task.name, outcome="stored"))


def prove(catalog: Catalog, results: Results, pool: Pool) -> None:
    """Prove every port that loaded and that the store holds no proof of."""
    recall(catalog, results)
    waiting = []
    for model, port, task in tasks(catalog, results):
        if results.proof(model, port) is None:
            waiting.append(task)
    for done in pool.run(run_proof, waiting):
        data = done.data or msgspec.msgpack.encode(Proof(failure=done.failure, passing=True))
        found = msgspec.msgpack.decode(data, type=Proof)
        if not found.passing:
            results.store.write(done.task.key, data)
        results.put("proof", done.task.name, data)
        outcome = "failed" if found.failure else "ran"
        run = TaskRun(kind="proof", name=done.task.name, outcome=outcome, seconds=done.seconds)
        results.log.append(run)


def tasks(catalog: Catalog, results: Results) -> Iterator[tuple[Model, Port, Task]]:
    """The proof of each port that loaded. What its key holds decides how it comes out."""
    for model in catalog.models:
        for port in model.ports:
            loaded = results.loaded(model, port)
            if loaded.graph is None:
                continue
            package = loaders.origin_package(port.framework).split(":")[0]
            software = isolated.software(port.framework, port.request, proving=True)
            code = store.code_version(package, *_CODE)
            held = (loaded.graph, loaded.onnx, loaded.read, software, SEED)
            yield (
                model,
                port,
                Task(
                    kind="proof",
                    name=port_name(model, port),
                    key=store.key("proof", port.framework, *held, code),
                    arguments=(port.framework, port.request, port.limits),
                ),
            )


def run_proof(task: Task) -> bytes:
    """Prove a port; runs in a process of the pool."""
    framework, request, limits = task.arguments
    assert isinstance(framework, str) and isinstance(request, LoadRequest)
    assert isinstance(limits, Limits)
    return msgspec.msgpack.encode(proving.prove(framework, request, limits, seed=SEED))
