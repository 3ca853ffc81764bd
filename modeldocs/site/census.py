"""Counts over a graph: how often each operator, and which module holds the parameters."""

from __future__ import annotations

from modeldocs.ir import LayerGraph
from modeldocs.ir.operators import family
from modeldocs.struct import Struct

MAX_MODULES = 60
"""Rows that a reader takes in; modules deeper than the last level that fits are summed up."""


class OperatorRow(Struct, frozen=True):
    """An operator, how many layers it has, and their share of what the network costs."""

    operator: str
    family: str
    layers: int
    parameters: int
    macs: int
    share: float
    """Of the most frequent operator's number of layers, for the bar."""


class ModuleRow(Struct, frozen=True):
    """A module, how deep it lies, its parameters (a shared one counts where first used)."""

    path: str
    kind: str
    depth: int
    layers: int
    parameters: int
    macs: int
    share: float
    """Of all parameters."""


def operators(graph: LayerGraph) -> list[OperatorRow]:
    """Operators, most frequent first."""
    held: dict[str, list[int]] = {}
    for layer in graph.layers:
        counts = held.setdefault(layer.operator, [0, 0, 0])
        counts[0] += 1
        counts[1] += sum(parameter.elements for parameter in layer.parameters)
        counts[2] += layer.macs or 0
    most = max((counts[0] for counts in held.values()), default=1)
    rows = [
        OperatorRow(
            operator=operator,
            family=family(operator),
            layers=counts[0],
            parameters=counts[1],
            macs=counts[2],
            share=counts[0] / most,
        )
        for operator, counts in held.items()
    ]
    return sorted(rows, key=lambda row: (-row.layers, row.operator))


def modules(graph: LayerGraph) -> list[ModuleRow]:
    """Modules in definition order, as deep as fits; layers with weights where there are none."""
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
    held: dict[str, tuple[str, int, list[int]]] = {}
    counted: set[str] = set()
    for layer in graph.layers:
        fresh = [p for p in layer.parameters if p.name not in counted]
        counted.update(p.name for p in fresh)
        steps = [(step.path, step.kind) for step in layer.modules[:depth]]
        if not steps and layer.parameters:
            steps = [(layer.name, layer.operator)]
        for level, (path, kind) in enumerate(steps):
            sums = held.setdefault(path, (kind, level, [0, 0, 0]))[2]
            sums[0] += 1
            sums[1] += sum(p.elements for p in fresh)
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
        for path, (kind, level, sums) in held.items()
        if sums[1]
    ]
