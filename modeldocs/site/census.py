"""Counts over a graph: layers by operator, parameters by module."""

from __future__ import annotations

from modeldocs.ir import LayerGraph
from modeldocs.ir.operators import family
from modeldocs.struct import Struct

MAX_MODULES = 60
"""Rows of the table of modules; deeper modules are summed up in those that hold them."""


class OperatorRow(Struct, frozen=True):
    """An operator, the number of its layers, and their parameters and MACs."""

    operator: str
    family: str
    layers: int
    parameters: int
    macs: int
    share: float
    """Layers as a share of those of the most frequent operator, 0 to 1: the length of a bar."""


class ModuleRow(Struct, frozen=True):
    """A module, its depth and its parameters; a shared one counts where it is first used."""

    path: str
    kind: str
    depth: int
    layers: int
    parameters: int
    macs: int
    share: float
    """Share of all parameters, 0 to 1."""


def operators(graph: LayerGraph) -> list[OperatorRow]:
    """Operators of a graph, most frequent first."""
    sums: dict[str, list[int]] = {}
    for layer in graph.layers:
        counts = sums.setdefault(layer.operator, [0, 0, 0])
        counts[0] += 1
        counts[1] += sum(parameter.elements for parameter in layer.parameters)
        counts[2] += layer.macs or 0
    maximum = max((counts[0] for counts in sums.values()), default=1)
    rows = [
        OperatorRow(
            operator=operator,
            family=family(operator),
            layers=counts[0],
            parameters=counts[1],
            macs=counts[2],
            share=counts[0] / maximum,
        )
        for operator, counts in sums.items()
    ]
    return sorted(rows, key=lambda row: (-row.layers, row.operator))


def modules(graph: LayerGraph) -> list[ModuleRow]:
    """Modules in definition order, at the deepest level that fits in `MAX_MODULES` rows.

    Layers with weights stand for modules in a graph that has none.
    """
    deepest = max((len(layer.modules) for layer in graph.layers), default=0)
    best: list[ModuleRow] = []
    for depth in range(1, max(deepest, 1) + 1):
        rows = _to_depth(graph, depth)
        if best and len(rows) > MAX_MODULES:
            break
        best = rows
    return best[: 4 * MAX_MODULES]


def _to_depth(graph: LayerGraph, depth: int) -> list[ModuleRow]:
    total = sum(parameter.elements for parameter in graph.parameters().values()) or 1
    table: dict[str, tuple[str, int, list[int]]] = {}
    counted: set[str] = set()
    for layer in graph.layers:
        new = [p for p in layer.parameters if p.name not in counted]
        counted.update(p.name for p in new)
        steps = [(step.path, step.kind) for step in layer.modules[:depth]]
        if not steps and layer.parameters:
            steps = [(layer.name, layer.operator)]
        for level, (path, kind) in enumerate(steps):
            sums = table.setdefault(path, (kind, level, [0, 0, 0]))[2]
            sums[0] += 1
            sums[1] += sum(p.elements for p in new)
            sums[2] += layer.macs or 0
    return [
        ModuleRow(
            path=path,
            kind=kind,
            depth=level,
            layers=sums[0],
            parameters=sums[1],
            macs=sums[2],
            share=sums[1] / total,
        )
        for path, (kind, level, sums) in table.items()
        if sums[1]
    ]
