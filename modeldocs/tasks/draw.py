"""The task of drawing a port's graph."""

from __future__ import annotations

from modeldocs import diagram
from modeldocs.diagram import Drawing
from modeldocs.struct import Struct
from modeldocs.tasks.kind import TaskFolders, TaskKind
from modeldocs.tasks.pool import PooledTask


class DrawInputs(Struct, frozen=True):
    """The digest of a graph in the store."""

    graph: str


def task(name: str, graph: str) -> PooledTask:
    """The task of drawing the graph of the port of that name."""
    return PooledTask(kind=DRAW.name, name=name, inputs=DrawInputs(graph=graph))


def _run(inputs: DrawInputs, place: TaskFolders) -> Drawing:
    return diagram.draw(place.graph(inputs.graph))


DRAW = TaskKind(
    name="draw",
    result=Drawing,
    runs=diagram.draw,
    run=_run,
    failed=lambda _, failure: Drawing(failure=failure),
)
