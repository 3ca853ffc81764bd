"""Boxes of a diagram: the layers in each, and the modules that it lies in."""

from __future__ import annotations

from collections import Counter

from modeldocs.fold.trailing_ops import FOLLOWERS
from modeldocs.ir import Layer, LayerGraph, Module
from modeldocs.ir.operators import family
from modeldocs.struct import Struct


class ColumnBox(Struct, frozen=True):
    """One node of a diagram: its layers, and the modules that it lies in, outermost first."""

    id: str
    layers: tuple[Layer, ...]
    modules: tuple[Module, ...]
    title: str = ""


def boxes(graph: LayerGraph) -> list[ColumnBox]:
    """The layers of a graph in boxes, in order.

    A normalisation or an activation that alone reads another layer shares the box of that.
    """
    readers = Counter(operand.value for layer in graph.layers for operand in layer.inputs)
    readers.update(output.source.value for output in graph.outputs)
    clusters = _cluster_paths(graph)
    members: dict[str, list[Layer]] = {}
    head: dict[str, str] = {}
    for layer in graph.layers:
        before = layer.inputs[0].value if len(layer.inputs) == 1 else ""
        start = head.get(before, "")
        follows = (
            start
            and readers[before] == 1
            and family(layer.operator) in FOLLOWERS
            and not layer.inputs[0].steps
            and _clusters(members[start][0], clusters) == _clusters(layer, clusters)
        )
        head[layer.id] = start if follows else layer.id
        members.setdefault(head[layer.id], []).append(layer)
    return [
        ColumnBox(id=start, layers=tuple(layers), modules=_clusters(layers[0], clusters))
        for start, layers in members.items()
    ]


def _cluster_paths(graph: LayerGraph) -> set[str]:
    """Paths of the modules that are drawn: those with layers of more than one operator."""
    operators: dict[str, set[str]] = {}
    for layer in graph.layers:
        for step in layer.modules:
            operators.setdefault(step.path, set()).add(layer.operator)
    return {path for path, names in operators.items() if len(names) > 1}


def _clusters(layer: Layer, paths: set[str]) -> tuple[Module, ...]:
    return tuple(step for step in layer.modules if step.path in paths)


def by_module(graph: LayerGraph, maximum: int) -> list[ColumnBox]:
    """One box per module, at the deepest level with at most `maximum` boxes; empty if none has."""
    deepest = max((len(layer.modules) for layer in graph.layers), default=0)
    for depth in range(deepest, 0, -1):
        groups: dict[str, list[Layer]] = {}
        for layer in graph.layers:
            step = layer.modules[depth - 1].path if len(layer.modules) >= depth else layer.id
            groups.setdefault(step, []).append(layer)
        if len(groups) <= maximum:
            return [_module_box(layers, depth) for layers in groups.values()]
    return []


def _module_box(layers: list[Layer], depth: int) -> ColumnBox:
    first = layers[0]
    if len(layers) == 1 or len(first.modules) < depth:
        return ColumnBox(id=first.id, layers=tuple(layers), modules=first.modules[: depth - 1])
    step = first.modules[depth - 1]
    title = f"{step.kind} · {len(layers)} layers" if step.kind else f"{len(layers)} layers"
    return ColumnBox(
        id=first.id, layers=tuple(layers), modules=first.modules[: depth - 1], title=title
    )
