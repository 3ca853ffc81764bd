"""The layers of a graph in topological order, and the errors of a graph that has none."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from modeldocs.errors import ModeldocsError
from modeldocs.ir import GraphInput, Layer, LayerGraph, Operand


def topological(graph: LayerGraph) -> Sequence[Layer]:
    """The layers, each after those it reads; the given order where it is one already.

    Raises:
        ModeldocsError: two layers share an id, an operand reads an id that is not there, or the
            layers read each other in a circle.
    """
    return graph.layers if _is_ordered(graph) else _sorted(graph)


def _is_ordered(graph: LayerGraph) -> bool:
    """Whether every operand names what came before, and every id is there once."""
    seen = {entry.id for entry in graph.inputs}
    for layer in graph.layers:
        for operand in layer.inputs:
            if operand.value not in seen:
                return False
        seen.add(layer.id)
    known = all(output.source.value in seen for output in graph.outputs)
    return known and len(seen) == len(graph.inputs) + len(graph.layers)


def _sorted(graph: LayerGraph) -> list[Layer]:
    """The layers by Kahn's algorithm."""
    by_id = _by_id(graph)
    waiting = {layer.id: 0 for layer in graph.layers}
    users: dict[str, list[Layer]] = defaultdict(list)
    for layer in graph.layers:
        for operand in layer.inputs:
            if isinstance(_source(operand, by_id, layer.id), Layer):
                waiting[layer.id] += 1
                users[operand.value].append(layer)
    ordered = [layer for layer in graph.layers if not waiting[layer.id]]
    for layer in ordered:
        for user in users[layer.id]:
            waiting[user.id] -= 1
            if not waiting[user.id]:
                ordered.append(user)
    if len(ordered) < len(graph.layers):
        stuck = next(layer.id for layer in graph.layers if waiting[layer.id])
        raise ModeldocsError(
            f"the layers of {graph.name!r} read each other in a circle, {stuck!r} among them",
            fix="load the port again: a layer graph must be acyclic",
        )
    for output in graph.outputs:
        _source(output.source, by_id, f"output {output.name}")
    return ordered


def _by_id(graph: LayerGraph) -> dict[str, Layer | GraphInput]:
    by_id: dict[str, Layer | GraphInput] = {}
    entries: tuple[Layer | GraphInput, ...] = (*graph.inputs, *graph.layers)
    for entry in entries:
        if entry.id in by_id:
            raise ModeldocsError(
                f"two layers of {graph.name!r} have the id {entry.id!r}",
                fix="load the port again: ids must be unique",
            )
        by_id[entry.id] = entry
    return by_id


def _source(
    operand: Operand, by_id: dict[str, Layer | GraphInput], reader: str
) -> Layer | GraphInput:
    source = by_id.get(operand.value)
    if source is None:
        raise ModeldocsError(
            f"{reader!r} reads {operand.value!r}, which the graph does not have",
            fix="load the port again: every operand must name a layer or an input",
        )
    return source
