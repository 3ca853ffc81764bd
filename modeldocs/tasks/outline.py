"""The task of outlining a port's graph, by which the nearest other port is found."""

from __future__ import annotations

from modeldocs.families import likeness
from modeldocs.families.likeness import Outline
from modeldocs.struct import Struct
from modeldocs.tasks.kind import (
    TaskFolders,
    TaskKind,
)
from modeldocs.tasks.pool import PooledTask


class OutlineInputs(Struct, frozen=True):
    """The digest of a graph in the store."""

    graph: str


def task(name: str, graph: str) -> PooledTask:
    """The task of outlining the graph of the port of that name."""
    return PooledTask(kind=OUTLINE.name, name=name, inputs=OutlineInputs(graph=graph))


def _run(inputs: OutlineInputs, place: TaskFolders) -> Outline:
    return likeness.outline(place.graph(inputs.graph))


OUTLINE = TaskKind(name="outline", result=Outline, runs=likeness.outline, run=_run, failed=None)
