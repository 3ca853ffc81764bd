"""What a process that builds again and again remembers of the store: answers that are valid still.

A stored result is looked up by the digests of all that it depends on. While a task has the same
inputs, and neither the files that it depends on nor those of its result have changed, the answer is
the same, and nothing needs to be read.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import NamedTuple

from modeldocs import environments
from modeldocs.catalog import Model
from modeldocs.tasks.kind import TaskFolders
from modeldocs.tasks.load import Load
from modeldocs.tasks.pool import PooledTask
from modeldocs.tasks.store import Dependencies

_State = tuple[int, int, int] | None
"""Size, time of change and inode of a file, None where there is none."""


_DECODED = 20_000
"""Loads in memory after which all are decoded again: some are of ports as they were before."""


class _Known(NamedTuple):
    task: PooledTask
    file: Path
    dependencies: Dependencies
    states: Mapping[str, _State]


class AnswerCache:
    """Valid answers by the kind and the name of the task; the files that decide them by state.

    Versions of software are read once in a process, but environments of frameworks may be created
    meanwhile: then all is forgotten.
    """

    def __init__(self) -> None:
        self._known: dict[tuple[str, str], _Known] = {}
        self._unknown: dict[tuple[str, str], tuple[PooledTask, str]] = {}
        self._environments: list[bool] = []
        self._loads: dict[str, tuple[Model, list[PooledTask]]] = {}
        self._decoded: dict[str, Load] = {}

    def begin(self) -> None:
        """Begin a build."""
        ready = [environments.locked(name).ready for name in environments.names()]
        if ready != self._environments:
            self._known.clear()
            self._unknown.clear()
        self._environments = ready
        if len(self._decoded) > _DECODED:
            self._decoded.clear()

    def loads(self, model: Model, made: Callable[[Model], list[PooledTask]]) -> list[PooledTask]:
        """The tasks of loading a model's ports; those of before where the model is the same object.

        A catalog that is read again with a memory has the same object for an unchanged folder.
        """
        known = self._loads.get(model.id)
        if known is None or known[0] is not model:
            known = self._loads[model.id] = model, made(model)
        return known[1]

    def loaded(self, digest: str, decode: Callable[[str], Load | None]) -> Load | None:
        """The result of a load by digest, decoded once."""
        found = self._decoded.get(digest) or decode(digest)
        if found is not None:
            self._decoded[digest] = found
        return found

    def recall(self, task: PooledTask) -> tuple[Path, Dependencies] | None:
        """The file and the dependencies of a task's answer, None where that is not known."""
        known = self._known.get((task.kind, task.name))
        if known is None or known.task != task:
            return None
        if any(_state(path) != state for path, state in known.states.items()):
            return None
        return known.file, known.dependencies

    def is_missing(self, task: PooledTask, place: TaskFolders) -> bool:
        """Whether the store had no result of the task, and has none still."""
        before, key = self._unknown.get((task.kind, task.name), (None, ""))
        return before == task and not place.objects.has_answers(key)

    def note_missing(self, task: PooledTask, key: str) -> None:
        """Remember that the store has no result of a task, which has that key."""
        self._unknown[task.kind, task.name] = task, key

    def note(self, task: PooledTask, file: Path, found: Dependencies, place: TaskFolders) -> None:
        """Remember an answer that was found in the store."""
        store = place.objects
        paths = [f"{place.root}/{path}" for path in found.files]
        paths += [str(store.path(name)) for name in (found.result, *found.parts)]
        states = {path: _state(path) for path in paths}
        self._known[task.kind, task.name] = _Known(task, file, found, states)


def _state(path: str) -> _State:
    try:
        found = os.stat(path)  # noqa: PTH116 (thousands of times in a rebuild)
    except OSError:
        return None
    return found.st_size, found.st_mtime_ns, found.st_ino
