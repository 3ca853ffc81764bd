"""What a build made: which result belongs to which port and pair, read from the store on demand."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from itertools import combinations
from typing import TypeVar

import msgspec

from modeldocs.benchmarks.panel import Panel
from modeldocs.benchmarks.record import Record
from modeldocs.build.pool import Task
from modeldocs.build.store import Store
from modeldocs.catalog import Catalog, Model, Port
from modeldocs.diagram import Drawing
from modeldocs.diff import Diff, Parity
from modeldocs.graph import Struct
from modeldocs.isolation import Failure
from modeldocs.loaders.isolated import Loaded
from modeldocs.proof import Proof

S = TypeVar("S", bound=msgspec.Struct)
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

    def __init__(self, store: Store) -> None:
        self.store = store
        self.digests: dict[tuple[str, str], str] = {}
        self.log: list[TaskRun] = []
        self.failures: list[tuple[str, Failure]] = []
        self.records: dict[str, list[Recorded]] = {}
        self._decoded = lru_cache(DECODED)(self._decode)

    def put(self, kind: str, name: str, data: bytes) -> None:
        """Keep a result under its kind and name."""
        self.digests[kind, name] = self.store.write_object(data)

    def keep(self, task: Task, data: bytes, outcome: str, seconds: float = 0.0) -> None:
        """Keep the result of a task, and a line in the log of how it came out."""
        self.put(task.kind, task.name, data)
        self.log.append(TaskRun(kind=task.kind, name=task.name, outcome=outcome, seconds=seconds))

    def recall(self, tasks: Iterable[Task]) -> list[Task]:
        """Keep what the store holds of `tasks`; those that it holds nothing of."""
        waiting = []
        for task in tasks:
            found = self.store.read(task.key)
            if found is not None:
                self.keep(task, found, "stored")
            else:
                waiting.append(task)
        return waiting

    def _get(self, kind: str, name: str, struct: type[S]) -> S | None:
        digest = self.digests.get((kind, name))
        found = self._decoded(digest, struct) if digest else None
        return found if isinstance(found, struct) else None

    def _decode(self, digest: str, struct: type[msgspec.Struct]) -> msgspec.Struct | None:
        data = self.store.read_object(digest)
        return msgspec.msgpack.decode(data, type=struct) if data else None

    def loaded(self, model: Model, port: Port) -> Loaded:
        """How loading a port came out; a port that could not be tried tells its own failure."""
        if port.failure is not None:
            return Loaded(framework=port.framework, failure=port.failure)
        found = self._get("load", port_name(model, port), Loaded)
        missing = Failure(reason="was not loaded", mend="build again")
        return found or Loaded(framework=port.framework, failure=missing)

    def drawing(self, model: Model, port: Port) -> Drawing | None:
        """The drawing of a port, None where it could not be loaded."""
        return self._get("draw", port_name(model, port), Drawing)

    def proof(self, model: Model, port: Port) -> Proof | None:
        """How the proof of a port came out, None where none was made."""
        return self._get("proof", port_name(model, port), Proof)

    def panel(self, name: str) -> Panel:
        """Charts of the records of a model or port; empty ones where it has no record."""
        return self._get("panel", name, Panel) or Panel()

    def diff(self, model: Model, a: Port, b: Port) -> Diff | None:
        """The comparison of two ports, None where one could not be loaded."""
        return self._get("diff", pair_name(model, a, b), Diff)

    def parity(self, model: Model, a: Port, b: Port) -> Parity | None:
        """How two ports ran with the same weights, None where they did not."""
        return self._get("parity", pair_name(model, a, b), Parity)


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


def port_name(model: Model, port: Port) -> str:
    """`lenet/caffe`, as the command line names it."""
    return f"{model.id}/{port.name}"


def pair_name(model: Model, a: Port, b: Port) -> str:
    """`lenet/caffe-vs-pytorch`."""
    return f"{model.id}/{a.name}-vs-{b.name}"


def pairs(model: Model, among: Iterable[Port]) -> list[tuple[Port, Port]]:
    """Pairs of a model's ports to compare, its reference port on the left side of its own."""
    ports = sorted(among, key=lambda port: (port.name != model.manifest.reference, port.name))
    return list(combinations(ports, 2))
