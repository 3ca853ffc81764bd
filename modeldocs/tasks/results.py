"""What a build made: which result belongs to which port and pair, read from the store on demand."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, TypeVar

import msgspec

from modeldocs import digest
from modeldocs.benchmarks.panel import Panel
from modeldocs.benchmarks.record import Record
from modeldocs.catalog import Catalog, Model, Port
from modeldocs.diagram import Drawing
from modeldocs.diff import Diff, Parity
from modeldocs.errors import Failure
from modeldocs.ir import LayerGraph
from modeldocs.proof import Proof
from modeldocs.struct import Struct
from modeldocs.tasks.kind import Kind, Place
from modeldocs.tasks.kinds import DIFF, DRAW, KINDS, LOAD, PANEL, PARITY, PROOF
from modeldocs.tasks.load import Load
from modeldocs.tasks.names import pair_name, port_name
from modeldocs.tasks.pool import Done, Task
from modeldocs.tasks.work import Left

R = TypeVar("R", bound=msgspec.Struct)
_TRIED = ("ran", "failed")

DECODED = 64
"""Results held decoded: about those of one model, whose pages ask for them again and again."""


class TaskRun(Struct, frozen=True):
    """One line of the task log: what was to be done, and how it came out.

    `outcome` is `ran`, `stored` (the store held it), `failed`, or `refused` (it was not tried:
    the port has a mistake, or its framework is not installed).
    """

    kind: str
    name: str
    outcome: str
    seconds: float = 0.0


class Recorded(Struct, frozen=True):
    """A benchmark record of a model's folder, or why its file cannot be read."""

    file: str
    record: Record | None = None
    failure: Failure | None = None


class Results:
    """Results by name; the contents stay in the store until a page asks for them."""

    def __init__(self, place: Place) -> None:
        self.place = place
        self.store = place.objects
        self.digests: dict[tuple[str, str], str] = {}
        self.log: list[TaskRun] = []
        self.failures: list[tuple[str, Failure]] = []
        self.records: dict[str, list[Recorded]] = {}
        self._decoded = lru_cache(DECODED)(self._decode)
        self._graphs = lru_cache(DECODED)(self._graph)

    def recall(self, task: Task) -> bool:
        """Keep what the store answers to a task; whether it does."""
        found = KINDS[task.kind].stored(task.inputs, self.place)
        if found is not None:
            self._put(task, digest.of(found), "stored")
        return found is not None

    def refuse(self, task: Task) -> bool:
        """Keep the result of a task that cannot be tried here; whether it is one."""
        made = KINDS[task.kind].refuses(task.inputs, self.place)
        if made is not None:
            self._put(task, self.store.write_object(msgspec.msgpack.encode(made)), "refused")
        return made is not None

    def finish(self, done: Done[Left]) -> None:
        """Keep what a task left, or that it failed: it is tried again at the next build."""
        task, left = done.task, done.made
        if left is not None:
            self._put(task, left.digest, "failed" if left.failed else "ran", left.seconds)
            return
        assert done.failure is not None
        kind = KINDS[task.kind]
        if kind.failed is not None:
            told = msgspec.msgpack.encode(kind.failed(task.inputs, done.failure))
            self.digests[task.kind, task.name] = self.store.write_object(told)
        if kind is not LOAD:  # whose failures are read off its results
            self.failures.append((task.name, done.failure))
        self.log.append(TaskRun(kind=task.kind, name=task.name, outcome="failed"))

    def _put(self, task: Task, digest: str, outcome: str, seconds: float = 0.0) -> None:
        self.digests[task.kind, task.name] = digest
        self.log.append(TaskRun(kind=task.kind, name=task.name, outcome=outcome, seconds=seconds))

    def _get(self, kind: Kind[Any, R], name: str) -> R | None:
        digest = self.digests.get((kind.name, name))
        found = self._decoded(digest, kind.result) if digest else None
        return found if isinstance(found, kind.result) else None

    def _decode(self, digest: str, struct: type[msgspec.Struct]) -> msgspec.Struct | None:
        data = self.store.read_object(digest)
        return msgspec.msgpack.decode(data, type=struct) if data else None

    def _graph(self, digest: str) -> LayerGraph:
        return self.place.graph(digest)

    def loaded(self, model: Model, port: Port) -> Load:
        """How loading a port came out; a port that could not be tried tells its own failure."""
        if port.failure is not None:
            return Load(framework=port.framework, failure=port.failure)
        found = self._get(LOAD, port_name(model, port))
        missing = Failure(reason="was not loaded", fix="build again")
        return found or Load(framework=port.framework, failure=missing)

    def graph(self, model: Model, port: Port) -> LayerGraph | None:
        """The graph of a port, None where it was not loaded."""
        digest = self.loaded(model, port).graph
        return self._graphs(digest) if digest is not None else None

    def onnx(self, model: Model, port: Port) -> bytes:
        """The ONNX file of a port that was loaded."""
        digest = self.loaded(model, port).onnx
        assert digest is not None
        return self.place.read(digest)

    def drawing(self, model: Model, port: Port) -> Drawing | None:
        """The drawing of a port, None where it could not be loaded."""
        return self._get(DRAW, port_name(model, port))

    def proof(self, model: Model, port: Port) -> Proof | None:
        """How the proof of a port came out, None where none was made."""
        return self._get(PROOF, port_name(model, port))

    def panel(self, name: str) -> Panel:
        """Charts of the records of a model or port; empty ones where it has no record."""
        return self._get(PANEL, name) or Panel()

    def diff(self, model: Model, a: Port, b: Port) -> Diff | None:
        """The comparison of two ports, None where one could not be loaded."""
        return self._get(DIFF, pair_name(model, a, b))

    def parity(self, model: Model, a: Port, b: Port) -> Parity | None:
        """How two ports ran with the same weights, None where they did not."""
        return self._get(PARITY, pair_name(model, a, b))


class Summary(Struct, frozen=True):
    """A build in numbers, and the failures in full."""

    models: int
    ports: int
    diffs: int
    records: int
    loaded_now: int
    seconds: float
    failures: tuple[tuple[str, Failure], ...] = ()


def summarise(catalog: Catalog, results: Results, seconds: float) -> Summary:
    """Count what a build made."""
    failures = [(model.id, failure) for model in catalog.models for failure in model.failures]
    kept = [(name, recorded) for name, held in results.records.items() for recorded in held]
    failures += [(name, item.failure) for name, item in kept if item.failure is not None]
    for model in catalog.models:
        for port in model.ports:
            failure = results.loaded(model, port).failure or _disagreement(results, model, port)
            if failure is not None:
                failures.append((port_name(model, port), failure))
    failures += results.failures
    return Summary(
        models=len(catalog.models),
        ports=sum(len(model.ports) for model in catalog.models),
        diffs=sum(1 for kind, _ in results.digests if kind == "diff"),
        records=sum(1 for _, item in kept if item.record is not None),
        loaded_now=sum(run.kind == "load" and run.outcome in _TRIED for run in results.log),
        seconds=round(seconds, 1),
        failures=tuple(failures),
    )


def _disagreement(results: Results, model: Model, port: Port) -> Failure | None:
    proof = results.proof(model, port)
    return proof.disagreement if proof is not None else None
