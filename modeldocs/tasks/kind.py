"""Kinds of tasks: inputs, work, results, and the keys under which results are stored."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, TypeVar

import msgspec

from modeldocs.errors import Failure
from modeldocs.ir import LayerGraph, decode
from modeldocs.struct import Struct
from modeldocs.tasks import closure, store
from modeldocs.tasks.store import Accepted, Answer, Store

In = TypeVar("In", bound=msgspec.Struct)
Out = TypeVar("Out", bound=msgspec.Struct)
Software = Mapping[str, str]


class TaskFolders(Struct, frozen=True):
    """The folders that tasks use: the catalog's, which paths are relative to, and the store's."""

    root: str
    store: str

    @property
    def objects(self) -> Store:
        """The store."""
        return Store(Path(self.store))

    def read(self, digest: str) -> bytes:
        """Content of the store by digest; see `Store.read`."""
        return self.objects.read(digest)

    def graph(self, digest: str) -> LayerGraph:
        """The graph of that digest."""
        return decode(self.read(digest))

    def result(self, digest: str, kind: type[Out]) -> Out:
        """The result of that digest."""
        return msgspec.msgpack.decode(self.read(digest), type=kind)


@dataclass(frozen=True)
class TaskKind(Generic[In, Out]):
    """A kind of task.

    Its inputs are plain data, equal on every machine; they refer to graphs and files by digest,
    which are read from the store when the task runs. A stored result is valid while the inputs,
    the code in the task's closure and the software that it runs on are the same.
    """

    name: str
    result: type[Out]
    runs: Callable[..., Any]
    """The function that does the work; the task's closure begins at its module."""
    run: Callable[[In, TaskFolders], Out]
    """Reads the inputs from the store and calls `runs`, in a process of the pool."""
    failed: Callable[[In, Failure], Out] | None
    """The result of a task that raised an error; None where it has no result then."""
    fails: Callable[[Out], bool] = lambda _: False
    """Whether the log calls a result a failure; it does where the machine failed."""
    refuses: Callable[[In, TaskFolders], Out | None] = lambda _inputs, _place: None
    """The result of a task that cannot run here; None where it can."""
    decisive: Callable[[In], object] = lambda inputs: inputs
    """The part of the inputs that decides the result."""
    modules: Callable[[In], tuple[str, ...]] = lambda _: ()
    """Further modules at which the task's closure begins, such as a loader's."""
    software: Callable[[In, TaskFolders], Iterable[Accepted]] | None = None
    """The software for which a stored result is valid, the likeliest first.

    A kind without this runs in this interpreter, and its key holds the versions.
    """
    parts: Callable[[Out], tuple[str, ...]] = lambda _: ()
    """Digests of further content in the store that a result needs to be valid."""
    observed: Callable[[In, Out, TaskFolders], tuple[Mapping[str, str], Software]] = (
        lambda _inputs, _result, _place: ({}, {})
    )
    """Dependencies that the key does not hold: digests of files by path, and the software."""

    def key(self, inputs: In) -> str:
        """The key of a result in the store."""
        code = closure.closure(self.runs.__module__, *self.modules(inputs))
        versions = None if self.software else closure.versions(code.packages)
        task_digest = closure.digest_of(closure.file(self.run.__module__))
        code_digest = closure.digest_of(*code.files)
        return store.key(self.name, self.decisive(inputs), code_digest, task_digest, versions)

    def stored(self, inputs: In, place: TaskFolders) -> Answer | None:
        """The stored result; None where there is no valid one."""
        root, key = Path(place.root), self.key(inputs)
        answers = (place.objects.answer(key, root, one) for one in self.accepted(inputs, place))
        return next((answer for answer in answers if answer is not None), None)

    def accepted(self, inputs: In, place: TaskFolders) -> Iterable[Accepted]:
        """The software for which a stored result is valid, the likeliest first."""
        return self.software(inputs, place) if self.software else (Accepted({}),)

    def keep(self, inputs: In, result: Out, place: TaskFolders) -> str:
        """Store a result, as an answer to all later builds; returns its digest.

        What the machine prevented is no answer: the next build runs the task again.
        """
        data = msgspec.msgpack.encode(result)
        if machine_failure(result) is not None:
            return place.objects.write_object(data)
        files, software = self.observed(inputs, result, place)
        return place.objects.write(self.key(inputs), data, files, software, self.parts(result))


def machine_failure(result: msgspec.Struct) -> Failure | None:
    """The failure of the machine that prevented a task; None where its result is one."""
    failure: Failure | None = getattr(result, "failure", None)
    return failure if failure is not None and failure.machine else None
