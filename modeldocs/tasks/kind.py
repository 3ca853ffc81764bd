"""A kind of task: what it takes, what it runs, what comes of it, and what its key is made of."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, TypeVar

import msgspec

from modeldocs.errors import Failure, ModeldocsError
from modeldocs.ir import LayerGraph, decode
from modeldocs.struct import Struct
from modeldocs.tasks import closure, store
from modeldocs.tasks.store import Store

In = TypeVar("In", bound=msgspec.Struct)
Out = TypeVar("Out", bound=msgspec.Struct)
Software = Mapping[str, str]


class Place(Struct, frozen=True):
    """Where tasks run: the catalog's folder, which paths are relative to, and the store's."""

    root: str
    store: str

    @property
    def objects(self) -> Store:
        """The store, for what a task reads and leaves by digest."""
        return Store(Path(self.store))

    def read(self, digest: str) -> bytes:
        """Content of the store.

        Raises:
            ModeldocsError: it does not hold that whole.
        """
        found = self.objects.read_object(digest)
        if found is None:
            raise ModeldocsError("the store has lost a part of it", fix="build again")
        return found

    def graph(self, digest: str) -> LayerGraph:
        """A graph of the store."""
        return decode(self.read(digest))

    def result(self, digest: str, kind: type[Out]) -> Out:
        """The result of another task."""
        return msgspec.msgpack.decode(self.read(digest), type=kind)


@dataclass(frozen=True)
class Kind(Generic[In, Out]):
    """A kind of task.

    Its inputs are plain data, the same on every machine; graphs and files are in them by digest,
    and are read from the store where the task runs. A result may be answered from the store while
    the inputs, the code that the task reaches and the software that it runs on are the same.
    """

    name: str
    result: type[Out]
    runs: Callable[..., Any]
    """What does the work: its module is where the code that the task reaches begins."""
    run: Callable[[In, Place], Out]
    """Reads what the inputs name, and calls `runs`. It runs in a process of the pool."""
    failed: Callable[[In, Failure], Out] | None
    """The result that tells that the task itself failed; None where its absence does."""
    fails: Callable[[Out], bool] = lambda _: False
    """Whether a result is one that the log calls a failure."""
    keeps: Callable[[Out], bool] = lambda _: True
    """Whether a result may be answered from the store."""
    refuses: Callable[[In, Place], Out | None] = lambda _inputs, _place: None
    """The result of a task that cannot be tried here, None of one that can."""
    decisive: Callable[[In], object] = lambda inputs: inputs
    """What of the inputs decides the result."""
    modules: Callable[[In], tuple[str, ...]] = lambda _: ()
    """Where more code begins that the task reaches: a loader, which is found by its name."""
    software: Callable[[In, Place], Iterable[Software | None]] | None = None
    """Versions under which a stored result is accepted, the likeliest first; None accepts any.

    A kind without this runs in this interpreter alone, and has them in its key.
    """
    parts: Callable[[Out], tuple[str, ...]] | None = None
    """Digests of what a result has in the store besides, without which it is none; None where it
    is whole by itself."""
    observed: Callable[[Out], tuple[Mapping[str, str], Software]] = lambda _: ({}, {})
    """Digests of the files that a result turned out to depend on, by path, and its software."""

    def key(self, inputs: In) -> str:
        """The name that the store knows a result by."""
        reached = closure.closure(self.runs.__module__, *self.modules(inputs))
        versions = None if self.software else closure.versions(reached.packages)
        own = closure.digest_of(closure.file(self.run.__module__))
        code = closure.digest_of(*reached.files)
        return store.key(self.name, self.decisive(inputs), code, own, versions)

    def stored(self, inputs: In, place: Place) -> bytes | None:
        """What the store answers, None where the task is to be run."""
        accepted = self.software(inputs, place) if self.software else ({},)
        root, key = Path(place.root), self.key(inputs)
        found = (place.objects.read(key, root, software) for software in accepted)
        data = next((data for data in found if data is not None), None)
        if data is None or self.parts is None:
            return data
        parts = self.parts(msgspec.msgpack.decode(data, type=self.result))
        return data if all(place.objects.read_object(part) is not None for part in parts) else None

    def keep(self, inputs: In, result: Out, place: Place) -> None:
        """Let the store answer with a result."""
        if self.keeps(result):
            data = msgspec.msgpack.encode(result)
            place.objects.write(self.key(inputs), data, *self.observed(result))
