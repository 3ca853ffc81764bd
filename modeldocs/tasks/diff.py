"""The task of comparing the graphs of two ports."""

from __future__ import annotations

from modeldocs.diff import Diff, compare
from modeldocs.struct import Struct
from modeldocs.tasks.kind import TaskFolders, TaskKind
from modeldocs.tasks.pool import PooledTask


class DiffInputs(Struct, frozen=True):
    """Digests of two graphs in the store."""

    a: str
    b: str


def task(name: str, a: str, b: str) -> PooledTask:
    """The task of comparing the graphs of the pair of that name."""
    return PooledTask(kind=DIFF.name, name=name, inputs=DiffInputs(a=a, b=b))


def _run(inputs: DiffInputs, place: TaskFolders) -> Diff:
    return compare(place.graph(inputs.a), place.graph(inputs.b))


DIFF = TaskKind(name="diff", result=Diff, runs=compare, run=_run, failed=None)
