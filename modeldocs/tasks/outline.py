"""The task of outlining a port's graph, by which the nearest other port is found."""

from __future__ import annotations

from modeldocs.struct import Struct
from modeldocs.tasks.kind import TaskFolders, TaskKind
from modeldocs.tasks.pool import PooledTask
from modeldocs.verdict import layer_histogram
from modeldocs.verdict.layer_histogram import LayerHistogram


class OutlineInputs(Struct, frozen=True):
    """The digest of a graph in the store."""

    graph: str


def task(name: str, graph: str) -> PooledTask:
    """The task of outlining the graph of the port of that name."""
    return PooledTask(kind=OUTLINE.name, name=name, inputs=OutlineInputs(graph=graph))


def _run(inputs: OutlineInputs, place: TaskFolders) -> LayerHistogram:
    return layer_histogram.outline(place.graph(inputs.graph))


OUTLINE = TaskKind(
    name="outline", result=LayerHistogram, runs=layer_histogram.outline, run=_run, failed=None
)
