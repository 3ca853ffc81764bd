"""The task of outlining a port's graph, by which the nearest other port is found."""

from __future__ import annotations

from modeldocs.families import likeness
from modeldocs.families.likeness import Outline
from modeldocs.struct import Struct
from modeldocs.tasks.kind import Kind, Place
from modeldocs.tasks.pool import Task


class OutlineInputs(Struct, frozen=True):
    """The digest of a graph in the store."""

    graph: str


def task(name: str, graph: str) -> Task:
    """The task of outlining the graph of the port of that name."""
    return Task(kind=OUTLINE.name, name=name, inputs=OutlineInputs(graph=graph))


def _run(inputs: OutlineInputs, place: Place) -> Outline:
    return likeness.outline(place.graph(inputs.graph))


OUTLINE = Kind(name="outline", result=Outline, runs=likeness.outline, run=_run, failed=None)
