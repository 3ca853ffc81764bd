"""The tree of a record's blocks: their own times, and the layers of a port that they are of."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass

from modeldocs.benchmarks.blocks import are_rows, copied, depth, holder
from modeldocs.benchmarks.measurements import Block
from modeldocs.ir import Layer, LayerGraph
from modeldocs.struct import Struct


def total(figures: Iterable[float | None]) -> float | None:
    """The sum of the figures that are known; None where none is."""
    known = [figure for figure in figures if figure is not None]
    return sum(known) if known else None


class OwnTimes(Struct, frozen=True):
    """Times in one direction: of each block without those inside it, and of the network.

    `rest` is what the network takes beside its blocks; `excess` by how much they exceed it.
    """

    own: tuple[float | None, ...]
    rest: float | None
    whole: float | None
    excess: float | None


@dataclass
class BlockTree:
    """Blocks, which of them hold which, and the layers of each.

    A source may list rows of the same path; the first of them holds what lies beneath it.
    """

    blocks: Sequence[Block]
    graph: LayerGraph

    def __post_init__(self) -> None:
        self.names = self.graph.names()
        first: dict[str, int] = {}
        for index, block in enumerate(self.blocks):
            first.setdefault(block.path, index)
        self._rows = are_rows(self.blocks)
        self._inside: dict[int | None, list[int]] = {}
        for index, block in enumerate(self.blocks):
            above = first.get(holder(block.path, first, rows=self._rows))
            self._inside.setdefault(above, []).append(index)
        self._direct = self._layers_by_block(first)
        paths = {step.path for layer in self.graph.layers for step in layer.modules}
        self._has_modules = any(path in paths for path in first)

    def _layers_by_block(self, first: dict[str, int]) -> dict[int | None, list[str]]:
        """Ids of the layers of each block that are in no block inside it; None is the network."""
        ids = {layer.id for layer in self.graph.layers}
        named = {i: one.layer for i, one in enumerate(self.blocks) if one.layer in ids}
        for index, block in enumerate(self.blocks):
            source = copied(block, first)
            if source is not None and (at := named.get(first[source])):
                named.setdefault(index, at)
        result: dict[int | None, list[str]] = {i: [one] for i, one in named.items() if one}
        claimed = set(named.values())
        for layer in self.graph.layers:
            if layer.id not in claimed:
                homes = [first[path] for path in self._homes(layer, first)]
                held = [one for one in homes if one not in named]
                for home in held or (None,):
                    result.setdefault(home, []).append(layer.id)
        return result

    def _homes(self, layer: Layer, paths: Collection[str]) -> list[str]:
        """The paths of the blocks that a layer is part of, those alone that hold no other."""
        names = {layer.name, *(one.name for one in layer.origins), *(m.path for m in layer.modules)}
        found = names & set(paths)
        return sorted(one for one in found if not self._holds_any(one, found - {one}))

    def _holds_any(self, path: str, others: Collection[str]) -> bool:
        return any(holder(other, {path}, rows=self._rows) for other in others)

    def is_holder(self, index: int) -> bool:
        """Whether a block holds others."""
        return index in self._inside

    def has_layers(self, index: int) -> bool:
        """Whether a block has layers that are in no block inside it."""
        return index in self._direct

    def layers_of(self, index: int) -> list[str]:
        """Layers that a block's own time is of."""
        direct = self._direct.get(index, [])
        if direct or not self.is_holder(index):
            return direct
        path = self.blocks[index].path
        return [
            layer.id
            for layer in self.graph.layers
            if any(step.path == path for step in layer.modules)
        ]

    def layers_of_network(self) -> list[str]:
        """Layers that the network's own time is of: of modules those outside, of rows none."""
        return self._direct.get(None, []) if self._has_modules else []

    def own_times(self, of: Callable[[Block], float | None], measured: float | None) -> OwnTimes:
        """The times of one direction, for a network that takes `measured` microseconds."""
        whole: list[float | None] = [of(block) for block in self.blocks]
        own = list(whole)
        for index in sorted(self._inside.keys() - {None}, key=self._depth, reverse=True):
            assert index is not None
            parts = total(whole[one] for one in self._inside[index])
            whole[index] = _at_least(whole[index], parts)
            own[index] = _beside(whole[index], parts)
        parts = total(whole[one] for one in self._inside.get(None, ()))
        longest = _at_least(measured, parts)
        return OwnTimes(
            own=tuple(own),
            rest=_beside(longest, parts),
            whole=longest,
            excess=None if measured is None else _beside(longest, measured),
        )

    def _depth(self, index: int | None) -> int:
        return depth(self.blocks[index]) if index is not None else -1


def _at_least(figure: float | None, least: float | None) -> float | None:
    known = [one for one in (figure, least) if one is not None]
    return max(known) if known else None


def _beside(whole: float | None, parts: float | None) -> float | None:
    return None if whole is None else max(0.0, whole - (parts or 0.0))
