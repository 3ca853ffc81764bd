"""Results of a build by port and pair, read from the store on demand."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from functools import lru_cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec

from modeldocs.benchmarks.chart_set import ChartSet
from modeldocs.benchmarks.record import Record
from modeldocs.catalog import Catalog, Model, Port
from modeldocs.diagram import Drawing
from modeldocs.diff import Diff, Parity
from modeldocs.errors import Failure
from modeldocs.history import History
from modeldocs.ir import LayerGraph
from modeldocs.numeric.proof import Proof
from modeldocs.struct import Struct
from modeldocs.tasks import pairs
from modeldocs.tasks.answer_cache import AnswerCache
from modeldocs.tasks.diff import DIFF
from modeldocs.tasks.draw import DRAW
from modeldocs.tasks.generate import GENERATE
from modeldocs.tasks.kind import TaskFolders, TaskKind
from modeldocs.tasks.kinds import KINDS
from modeldocs.tasks.load import LOAD, Load
from modeldocs.tasks.names import pair_name, port_name, program_name
from modeldocs.tasks.outline import OUTLINE
from modeldocs.tasks.pairs import Pairs
from modeldocs.tasks.panel import PANEL
from modeldocs.tasks.parity import PARITY
from modeldocs.tasks.pool import Done, PooledTask
from modeldocs.tasks.programs import GeneratedProgram
from modeldocs.tasks.proof import PROOF
from modeldocs.tasks.store import Dependencies, Store
from modeldocs.tasks.unresolved_pairs import UNRESOLVED_PAIRS
from modeldocs.tasks.work import TaskOutcome
from modeldocs.verdict.layer_histogram import LayerHistogram

if TYPE_CHECKING:
    from modeldocs.tasks.remote import RemoteStore

R = TypeVar("R", bound=msgspec.Struct)
S = TypeVar("S", bound=msgspec.Struct)
_RUN = ("ran", "failed")
"""Outcomes of tasks that ran in this build."""

DECODED = 64
"""Number of decoded results in memory: about those of one model, which its pages share."""


class TaskRun(Struct, frozen=True):
    """One line of the task log: a task and its outcome.

    `outcome` is `ran`, `stored` (its result was in the store), `failed`, or `refused` (it was not
    run: the port has a mistake, or its framework is not installed).
    """

    kind: str
    name: str
    outcome: str
    seconds: float = 0.0


class RecordFile(Struct, frozen=True):
    """A file in a model's folder of records: its record, or the failure of reading it."""

    file: str
    record: Record | None = None
    failure: Failure | None = None


class Results:
    """Results by kind and name; their content stays in the store until it is used.

    `answers` are those of the store that were valid, by their files.
    """

    def __init__(
        self,
        place: TaskFolders,
        memory: AnswerCache | None = None,
        remote: RemoteStore | None = None,
    ) -> None:
        self.place, self.memory, self.remote = place, memory, remote
        self.store = place.objects
        self.digests: dict[tuple[str, str], str] = {}
        self.read: dict[tuple[str, str], str | None] | None = None
        """Where the digests that are read are noted, see `noting`."""
        self.answers: dict[Path, Dependencies] = {}
        self.postponed: list[PooledTask] = []
        self.log: list[TaskRun] = []
        self.failures: list[tuple[str, Failure]] = []
        self.records: dict[str, list[RecordFile]] = {}
        self.histories: dict[str, dict[str, History]] = {}
        """Histories of ports by the model's id and the port's name."""
        self.chosen: dict[str, Pairs] = {}
        """The pairs that are compared, by the id of a model of which not all are."""
        self.targets: dict[str, tuple[str, ...]] = {}
        """The targets that programs of a model are shown in, by its id."""
        # Neither refers to this object: in a circle a server would keep graphs of earlier builds.
        self._decoded = lru_cache(DECODED)(partial(_decode, self.store))
        self._graphs = lru_cache(DECODED)(place.graph)

    def by_model(self) -> dict[str, Results]:
        """The results of each model alone, by its id."""
        parts: dict[str, Results] = defaultdict(lambda: Results(self.place))
        for (kind, name), digest in self.digests.items():
            parts[name.partition("/")[0]].digests[kind, name] = digest
        for name, failure in self.failures:
            parts[name.partition("/")[0]].failures.append((name, failure))
        for model, records in self.records.items():
            parts[model].records[model] = records
        for model, histories in self.histories.items():
            parts[model].histories[model] = histories
        for model, found in self.chosen.items():
            parts[model].chosen[model] = found
        for model, targets in self.targets.items():
            parts[model].targets[model] = targets
        return dict(parts)

    def history(self, model: Model, port: Port) -> History | None:
        """The history of a port; None where nothing is known of it."""
        return self.histories.get(model.id, {}).get(port.name)

    def __getstate__(self) -> dict[str, Any]:
        """All but what was decoded, which another process decodes itself."""
        decoded = ("_decoded", "_graphs")
        return {name: one for name, one in vars(self).items() if name not in decoded}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__init__(state["place"])  # type: ignore[misc]
        vars(self).update(state)

    def noting(self, read: dict[tuple[str, str], str | None]) -> Results:
        """The same results; `read` gets the digest of each that is read, None of one that is not
        there.
        """
        noted = Results.__new__(Results)
        vars(noted).update(vars(self), read=read)  # what was decoded is shared, unlike in a copy
        return noted

    def digest(self, kind: str, name: str) -> str | None:
        """The digest of a result; None where there is none."""
        found = self.digests.get((kind, name))
        if self.read is not None:
            self.read[kind, name] = found
        return found

    def recall(self, tasks: Sequence[PooledTask]) -> list[PooledTask]:
        """Add the stored results of tasks, also of the remote store; the tasks that have none."""
        missing = [task for task in tasks if not self._recall(task)]
        if missing and self.remote is not None:
            self.remote.fetch(missing, self.place)
            missing = [task for task in missing if not self._recall(task)]
        return missing

    def upload(self, tasks: Sequence[PooledTask], ran: Sequence[PooledTask] = ()) -> None:
        """Add the results of tasks, of which some ran, to the remote store, if there is one."""
        if self.remote is not None:
            self.remote.upload(tasks, self.place, ran)

    def _recall(self, task: PooledTask) -> bool:
        """Add a task's stored result; False where there is none."""
        found = self._stored(task) if self.memory is None else self._remembered(task, self.memory)
        if found is not None:
            file, dependencies = found
            self.answers[file] = dependencies
            self._add(task, dependencies.result, "stored")
        return found is not None

    def _remembered(
        self, task: PooledTask, memory: AnswerCache
    ) -> tuple[Path, Dependencies] | None:
        known = memory.recall(task)
        if known is not None or memory.is_missing(task, self.place):
            return known
        found = self._stored(task)
        if found is not None:
            memory.note(task, *found, self.place)
        else:
            memory.note_missing(task, KINDS[task.kind].key(task.inputs))
        return found

    def _stored(self, task: PooledTask) -> tuple[Path, Dependencies] | None:
        answer = KINDS[task.kind].stored(task.inputs, self.place)
        return (answer.file, answer.dependencies) if answer is not None else None

    def refuse(self, task: PooledTask) -> bool:
        """Add the result of a task that cannot run here; False where it can."""
        result = KINDS[task.kind].refuses(task.inputs, self.place)
        if result is not None:
            self._add(task, self.store.write_object(msgspec.msgpack.encode(result)), "refused")
        return result is not None

    def postpone(self, task: PooledTask, why: Failure) -> None:
        """Add a result that says why a task has none yet, and note that it is to run."""
        self.postponed.append(task)
        self.prevent(task, why)

    def finish(self, done: Done[TaskOutcome]) -> None:
        """Add the result or the failure of a task that ran; a failure is not stored."""
        task, result = done.task, done.result
        failure = result.machine if result is not None else done.failure
        if failure is not None and KINDS[task.kind] is not LOAD:  # its results hold the failures
            self.failures.append((task.name, failure))
        if result is not None:
            self._add(task, result.digest, "failed" if result.failed else "ran", result.seconds)
            return
        assert done.failure is not None
        self.prevent(task, done.failure)
        self.log.append(TaskRun(kind=task.kind, name=task.name, outcome="failed"))

    def prevent(self, task: PooledTask, failure: Failure) -> None:
        """Add the result of a task that has none for that reason, where its kind has one; it is no
        answer of the store.
        """
        failed = KINDS[task.kind].failed
        if failed is not None:
            data = msgspec.msgpack.encode(failed(task.inputs, failure))
            self.digests[task.kind, task.name] = self.store.write_object(data)

    def add_prevented(self, others: Results) -> None:
        """Add the results that others have, and the store does not, since the machine failed."""
        prevented = [(name, failure) for name, failure in others.failures if failure.machine]
        self.failures += [one for one in prevented if one not in self.failures]
        for name, _ in prevented:
            for kind in KINDS:
                if (kind, name) in others.digests:
                    self.digests.setdefault((kind, name), others.digests[kind, name])

    def _add(self, task: PooledTask, digest: str, outcome: str, seconds: float = 0.0) -> None:
        self.digests[task.kind, task.name] = digest
        self.log.append(TaskRun(kind=task.kind, name=task.name, outcome=outcome, seconds=seconds))

    def _get(self, kind: TaskKind[Any, R], name: str) -> R | None:
        digest = self.digest(kind.name, name)
        result = self._decoded(digest, kind.result) if digest else None
        return result if isinstance(result, kind.result) else None

    def loaded(self, model: Model, port: Port) -> Load:
        """The result of loading a port; of a port with a mistake, that failure."""
        if port.failure is not None:
            return Load(framework=port.framework, failure=port.failure)
        failure = Failure(reason="was not loaded", fix="build again")
        digest = self.digest(LOAD.name, port_name(model, port))
        result = self._load(digest) if digest is not None else None
        return result or Load(framework=port.framework, failure=failure)

    def _load(self, digest: str) -> Load | None:
        """The result of a load; a server keeps it for its next build, which reads all of them."""
        if self.memory is not None:
            return self.memory.loaded(digest, partial(_decode, self.store, struct=Load))
        result = self._decoded(digest, Load)
        return result if isinstance(result, Load) else None

    def graph(self, model: Model, port: Port) -> LayerGraph | None:
        """The graph of a port, None where it was not loaded."""
        digest = self.loaded(model, port).graph
        return self._graphs(digest) if digest is not None else None

    def ports_in(self, model: Model, framework: str) -> list[Port]:
        """The ports of a model in a framework that loaded."""
        ports = (port for port in model.ports if port.framework == framework)
        return [port for port in ports if self.loaded(model, port).graph is not None]

    def graph_of(self, model: Model, record: Record) -> LayerGraph | None:
        """The graph of the port that a record belongs to; see `graph_digest_of`."""
        digest = self.graph_digest_of(model, record)
        return self._graphs(digest) if digest is not None else None

    def graph_digest_of(self, model: Model, record: Record) -> str | None:
        """Digest of the graph of a record's port, else of the reference, else of any that loaded.

        None where no port loaded.
        """
        names = (record.model.port, model.manifest.reference)
        named = [port for name in names for port in model.ports if port.name == name]
        digests = (self.loaded(model, port).graph for port in (*named, *model.ports))
        return next((digest for digest in digests if digest is not None), None)

    def pairs(self, model: Model) -> Pairs:
        """The pairs of a model's ports that are compared; A is the reference in all of its."""
        chosen = self.chosen.get(model.id)
        return pairs.every(model, model.ports) if chosen is None else chosen

    def outline(self, model: Model, port: Port) -> LayerHistogram | None:
        """The outline of a port, None where it was not needed."""
        return self._get(OUTLINE, port_name(model, port))

    def doubts(self, model: Model) -> tuple[tuple[str, str], ...]:
        """Pairs of ports to compare besides, by name, since their families may be one."""
        found = self._get(UNRESOLVED_PAIRS, model.id)
        return found.pairs if found is not None else ()

    def onnx(self, model: Model, port: Port) -> bytes:
        """The ONNX file of a port that was loaded."""
        digest = self.loaded(model, port).onnx
        assert digest is not None
        return self.place.read(digest)

    def drawing(self, model: Model, port: Port) -> Drawing | None:
        """The drawing of a port, None where it could not be loaded."""
        return self._get(DRAW, port_name(model, port))

    def proof(self, model: Model, port: Port) -> Proof | None:
        """The proof of a port, None where it was not proven."""
        return self._get(PROOF, port_name(model, port))

    def program(self, model: Model, target: str) -> GeneratedProgram | None:
        """The program of a model in a target, None where it was not generated."""
        return self._get(GENERATE, program_name(model, target))

    def graph_of_program(self, program: GeneratedProgram) -> LayerGraph | None:
        """The graph of a program, None where it was not loaded."""
        own = program.proof.loaded if program.proof is not None else None
        return self._graphs(own.graph) if own is not None and own.graph is not None else None

    def panel(self, name: str) -> ChartSet:
        """The charts of a model's or port's records; empty ones where it has no record."""
        return self._get(PANEL, name) or ChartSet()

    def digests_of_all(self) -> list[tuple[str, str, str]]:
        """Kind, name and digest of every result, sorted."""
        return [(kind, name, found) for (kind, name), found in sorted(self.digests.items())]

    def diff(self, model: Model, a: Port, b: Port) -> Diff | None:
        """The comparison of two ports, None where one could not be loaded."""
        return self.diff_of(pair_name(model, a, b))

    def diff_of(self, name: str) -> Diff | None:
        """The comparison of that name, None where there is none."""
        return self._get(DIFF, name)

    def parity(self, model: Model, a: Port, b: Port) -> Parity | None:
        """The parity of two ports, None where they were not run."""
        return self.parity_of(pair_name(model, a, b))

    def parity_of(self, name: str) -> Parity | None:
        """The parity of the comparison of that name, None where it was not run."""
        return self._get(PARITY, name)


def _decode(store: Store, digest: str, struct: type[S]) -> S | None:
    data = store.read_object(digest)
    return msgspec.msgpack.decode(data, type=struct) if data else None


class Summary(Struct, frozen=True):
    """The counts of a build, and its failures by the name of the model, port or pair.

    Those of the machine are among them: the next build tries again what they prevented.
    """

    models: int
    ports: int
    diffs: int
    records: int
    loaded_now: int
    seconds: float
    failures: tuple[tuple[str, Failure], ...] = ()

    @property
    def prevented(self) -> int:
        """The number of failures of the machine."""
        return sum(failure.machine for _, failure in self.failures)


def summarise(catalog: Catalog, results: Results, seconds: float) -> Summary:
    """The summary of a build that took so many seconds."""
    failures = [(model.id, failure) for model in catalog.models for failure in model.failures]
    records = [(name, item) for name, items in results.records.items() for item in items]
    failures += [(name, item.failure) for name, item in records if item.failure is not None]
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
        records=sum(1 for _, item in records if item.record is not None),
        loaded_now=sum(run.kind == "load" and run.outcome in _RUN for run in results.log),
        seconds=round(seconds, 1),
        failures=tuple(failures),
    )


def _disagreement(results: Results, model: Model, port: Port) -> Failure | None:
    proof = results.proof(model, port)
    return proof.disagreement if proof is not None else None
