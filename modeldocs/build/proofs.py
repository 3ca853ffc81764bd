"""Proofs as tasks: run when they are asked for, kept in the store, shown by every build after."""

from __future__ import annotations

from collections.abc import Container, Iterator

import msgspec

from modeldocs import digest, loaders
from modeldocs.build import store
from modeldocs.build.pool import Pool, Task
from modeldocs.build.results import Results, port_name
from modeldocs.catalog import Catalog, Model, Port
from modeldocs.loaders import isolated
from modeldocs.loaders.isolated import Loaded
from modeldocs.proof import Proof, proving
from modeldocs.proof.proving import Subject

_CODE = (
    "modeldocs.proof",
    "modeldocs.parity",
    "modeldocs.closeness",
    "modeldocs.runtime",
    "modeldocs.normal",
    "modeldocs.diff",
    "modeldocs.loaders.reference",
    "modeldocs.loaders.worker",
)


def prove(catalog: Catalog, results: Results, pool: Pool, only: Container[str]) -> None:
    """Prove the ports of `only` that loaded and that the store holds no proof of."""
    waiting = [task for task in results.recall(tasks(catalog, results)) if task.name in only]
    for done in pool.run(run_proof, waiting):
        data = done.data or msgspec.msgpack.encode(Proof(failure=done.failure, passing=True))
        found = msgspec.msgpack.decode(data, type=Proof)
        if not found.passing:
            results.store.write(done.task.key, data)
        results.keep(done.task, data, "failed" if found.failure else "ran", done.seconds)


def tasks(catalog: Catalog, results: Results) -> Iterator[Task]:
    """The proof of each port that loaded. What its key holds decides how it comes out."""
    for model in catalog.models:
        for port in model.ports:
            if results.loaded(model, port).graph is not None:
                yield _task(model, port, results)


def _task(model: Model, port: Port, results: Results) -> Task:
    own = subject(port, results.loaded(model, port))
    other = None if own.provable else _other(model, results)
    runs = [one for one in (port, other) if one is not None]
    held = [_decisive(results.loaded(model, one), one) for one in runs]
    return Task(
        kind="proof",
        name=port_name(model, port),
        key=store.key("proof", held, store.code_version(*_CODE)),
        arguments=(own, subject(other) if other is not None else None),
    )


def _decisive(loaded: Loaded, port: Port) -> tuple[object, ...]:
    """What of a port decides its proof, besides the code of all proofs."""
    package = loaders.origin_package(port.framework).split(":")[0]
    software = isolated.software(port.framework, port.request, proving=True)
    code = store.code_version(package)
    return port.framework, loaded.graph, loaded.onnx, loaded.read, software, code


def subject(port: Port, loaded: Loaded | None = None) -> Subject:
    """A port as what is to be proven: the graph that was loaded, where one was."""
    return Subject(
        name=port.name,
        framework=port.framework,
        request=port.request,
        limits=port.limits,
        shown=digest.of(loaded.onnx) if loaded is not None else None,
    )


def _other(model: Model, results: Results) -> Port | None:
    """The port that one is held against whose framework nothing runs: PyTorch's before others."""
    able = [
        port
        for port in model.ports
        if results.loaded(model, port).graph is not None and subject(port).provable
    ]
    return min(able, key=lambda port: (port.framework != "pytorch", port.name), default=None)


def run_proof(task: Task) -> bytes:
    """Prove a port; runs in a process of the pool."""
    own, other = task.arguments
    assert isinstance(own, Subject) and isinstance(other, Subject | None)
    return msgspec.msgpack.encode(proving.prove(own, other))
