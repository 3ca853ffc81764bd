"""Counts over a graph: layers by operator; parameters by module and by building block."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from modeldocs.diagram.level import instance
from modeldocs.fold import Group, fold
from modeldocs.ir import Layer, LayerGraph
from modeldocs.ir.operators import family
from modeldocs.site.port.parameter_counts import Counted, counted
from modeldocs.struct import Struct

MAX_MODULES = 60
"""Rows of the table of modules; deeper modules are summed up in those that hold them."""

MAX_LAYERS = 20
"""Layers that stand for the modules of a graph without any: those with most parameters."""


class CensusSums(Struct, frozen=True):
    """Figures of some layers."""

    layers: int = 0
    parameters: int = 0
    statistics: int = 0
    macs: int = 0

    def share(self, name: str, of: CensusSums) -> float:
        """One figure as a share of the same figure of the graph, 0 to 1."""
        total: int = getattr(of, name)
        return getattr(self, name) / total if total else 0.0


class CensusRow(Struct, frozen=True):
    """An operator and the figures of its layers."""

    operator: str
    family: str
    sums: CensusSums


class ModuleRow(Struct, frozen=True):
    """A module or a building block, its depth in the tree, and the figures of its layers.

    `kind` is the class of a module, the number of a block (`× 12`).
    """

    path: str
    kind: str
    depth: int
    sums: CensusSums


@dataclass
class _Tally:
    """Sums while layers are added."""

    layers: int = 0
    parameters: int = 0
    statistics: int = 0
    macs: int = 0

    def add(self, layer: Layer, adds: Counted) -> None:
        self.layers += 1
        self.parameters += adds.parameters or 0
        self.statistics += adds.statistics or 0
        self.macs += layer.macs or 0

    def sums(self) -> CensusSums:
        return CensusSums(self.layers, self.parameters, self.statistics, self.macs)


def total(graph: LayerGraph) -> CensusSums:
    """The figures of a whole graph, a shared parameter counted once."""
    tally = _Tally()
    for layer, adds in zip(graph.layers, counted(graph), strict=True):
        tally.add(layer, adds)
    return tally.sums()


def operators(graph: LayerGraph) -> list[CensusRow]:
    """Operators of a graph, most frequent first; their figures add up to the graph's."""
    tallies: dict[str, _Tally] = {}
    for layer, adds in zip(graph.layers, counted(graph), strict=True):
        tallies.setdefault(layer.operator, _Tally()).add(layer, adds)
    rows = [CensusRow(name, family(name), tally.sums()) for name, tally in tallies.items()]
    return sorted(rows, key=lambda row: (-row.sums.layers, row.operator))


def tables(graph: LayerGraph) -> list[tuple[str, list[ModuleRow]]]:
    """The tables of modules and of building blocks, each with the head of its first column."""
    has_modules = any(layer.modules for layer in graph.layers)
    return [("Module" if has_modules else "Layer", modules(graph)), ("Block", blocks(graph))]


def modules(graph: LayerGraph) -> list[ModuleRow]:
    """Modules in definition order, at the deepest level that fits in `MAX_MODULES` rows.

    A module without weights is left out. Layers with weights stand for modules where they lie in
    none; of a graph that has no modules only the `MAX_LAYERS` largest, the largest first.
    """
    deepest = max((len(layer.modules) for layer in graph.layers), default=0)
    if not deepest:
        largest = sorted(_to_depth(graph, 1), key=lambda row: -row.sums.parameters)
        return largest[:MAX_LAYERS]
    best: list[ModuleRow] = []
    for depth in range(1, deepest + 1):
        rows = _to_depth(graph, depth)
        if best and len(rows) > MAX_MODULES:
            break
        best = rows
    return best[: 4 * MAX_MODULES]


def _to_depth(graph: LayerGraph, depth: int) -> list[ModuleRow]:
    table: dict[str, tuple[str, int, _Tally]] = {}
    for layer, adds in zip(graph.layers, counted(graph), strict=True):
        steps = [(step.path, step.kind) for step in layer.modules[:depth]]
        if not steps and layer.parameters:
            steps = [(layer.name, layer.operator)]
        for level, (path, kind) in enumerate(steps):
            table.setdefault(path, (kind, level, _Tally()))[2].add(layer, adds)
    rows = [ModuleRow(path, kind, depth, t.sums()) for path, (kind, depth, t) in table.items()]
    return [row for row in rows if row.sums.parameters or row.sums.statistics]


def blocks(graph: LayerGraph) -> list[ModuleRow]:
    """Building blocks of known forms (attention, MLP, bottleneck) with what they hold.

    Blocks of one form in the same place count together. Below and beside them are their operators.
    Empty where the graph has no such block.
    """
    collector = _Blocks(graph)
    collector.add(fold(graph), ())
    rows = [
        ModuleRow(
            path=path[-1],
            kind=f"× {collector.counts[path]}" if path in collector.counts else "",
            depth=len(path) - 1,
            sums=tally.sums(),
        )
        for path, tally in collector.ordered()
        if tally.parameters
    ]
    return rows if collector.counts else []


class _Blocks:
    """Sums of building blocks by their path: the titles of the blocks around them."""

    def __init__(self, graph: LayerGraph) -> None:
        added = zip(graph.layers, counted(graph), strict=True)
        self._layers = {layer.id: (layer, adds) for layer, adds in added}
        self.counts: dict[tuple[str, ...], int] = {}
        self._tallies: dict[tuple[str, ...], _Tally] = {}

    def add(self, group: Group, path: tuple[str, ...]) -> None:
        """Add a group's layers beneath the blocks of `path`."""
        if group.title and instance(group) is group:
            path = (*path, group.title)
            self.counts[path] = self.counts.get(path, 0) + 1
            self._tallies.setdefault(path, _Tally())
        for member in group.members:
            if isinstance(member, Group):
                self.add(member, path)
                continue
            layer, adds = self._layers[member]
            for end in range(1, len(path) + 1):
                self._tallies[path[:end]].add(layer, adds)
            self._tallies.setdefault((*path, layer.operator), _Tally()).add(layer, adds)

    def ordered(self, inside: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], _Tally]]:
        """The tree in order, a block before what it holds."""
        for path, tally in self._tallies.items():
            if path[:-1] == inside:
                yield path, tally
                yield from self.ordered(path)
