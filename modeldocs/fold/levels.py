"""Levels: no drawing has more nodes than a person reads at once, and none has nearly nothing."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence

from modeldocs.fold.regions import FoldPart, Item, nodes_of
from modeldocs.ir import Layer

LIMIT = 20
"""Nodes of one drawing: what fits a screen of 1,080 px at 11 px of text."""
OPEN = 0.3
"""A nameless part with more than this share of the level's layers is drawn opened."""

OPEN_TITLED = 0.8
"""With a title it takes more: beside it there is hardly anything."""


class FoldLevels:
    """Sequences cut into stages, and nameless parts opened, until each level fits."""

    def __init__(self, layer_of: Sequence[Layer | None], limit: int = LIMIT) -> None:
        self._layer_of = layer_of
        self._limit = limit

    def fit(self, items: list[Item]) -> list[Item]:
        """Items of one level, at most `limit` of them, and what is in them likewise."""
        opened = self._opened(items)
        if len(opened) > self._limit:
            opened = self._staged(opened)
        return [self._inside(item) for item in opened]

    def _inside(self, item: Item) -> Item:
        if not isinstance(item, FoldPart) or item.kind in ("fused", "repeat"):
            if isinstance(item, FoldPart) and item.kind == "repeat":
                return FoldPart(item.kind, [self._inside(one) for one in item.members], item.title)
            return item
        return FoldPart(item.kind, self.fit(item.members), item.title)

    def _opened(self, items: list[Item]) -> list[Item]:
        """Items with their largest nameless parts in place of those, while all fit."""
        result = list(items)
        while True:
            total = sum(map(_size, result))
            best: int | None = None
            for index, item in enumerate(result):
                if not self._may_open(item, total, len(result)):
                    continue
                if best is None or _size(item) > _size(result[best]):
                    best = index
            if best is None:
                return result
            part = result[best]
            assert isinstance(part, FoldPart)
            result[best : best + 1] = part.members

    def _may_open(self, item: Item, total: int, count: int) -> bool:
        if not isinstance(item, FoldPart) or item.kind not in ("branch", "block", "stage"):
            return False
        if count == 1:
            return True
        share = _size(item) / total
        is_telling = share > OPEN_TITLED if item.title else item.kind == "branch" or share > OPEN
        return is_telling and count - 1 + len(item.members) <= self._limit

    def _staged(self, items: list[Item]) -> list[Item]:
        """Consecutive items as stages: by module or by image size, whichever gives more that fit;
        else in equal parts.
        """
        divisions = [_runs(items, key) for key in self._keys(items)]
        fitting = [runs for runs in divisions if 1 < len(runs) <= self._limit]
        if fitting:
            return [_stage(run) for run in max(fitting, key=len)]
        size = max(2, -(-len(items) // self._limit))
        size = max(size, min(self._limit, int(len(items) ** 0.5)))
        return [_stage(items[i : i + size]) for i in range(0, len(items), size)]

    def _keys(self, items: Sequence[Item]) -> list[Callable[[Item], Hashable]]:
        depth = max((len(self._modules(item)) for item in items), default=0)
        by_module = [
            lambda item, depth=depth: self._modules(item)[:depth] for depth in range(1, depth + 1)
        ]
        return [*by_module, self._image]

    def _modules(self, item: Item) -> tuple[str, ...]:
        """Paths of the modules that hold all layers of an item, outermost first."""
        paths = [
            tuple(module.path for module in layer.modules)
            for layer in (self._layer_of[node] for node in nodes_of(item))
            if layer is not None
        ]
        if not paths:
            return ()
        common = 0
        while all(len(path) > common and path[common] == paths[0][common] for path in paths):
            common += 1
        return paths[0][:common]

    def _image(self, item: Item) -> Hashable:
        """Height and width of what an item makes; None where that is no image."""
        last = nodes_of(item)[-1]
        layer = self._layer_of[last]
        shape = layer.outputs[0].shape if layer is not None and layer.outputs else None
        return shape[2:] if shape is not None and len(shape) > 2 else None


def _size(item: Item) -> int:
    return len(nodes_of(item))


def _runs(items: Sequence[Item], key: Callable[[Item], Hashable]) -> list[list[Item]]:
    runs: list[list[Item]] = []
    last: Hashable = object()
    for item in items:
        if runs and key(item) == last:
            runs[-1].append(item)
        else:
            runs.append([item])
        last = key(item)
    return runs


def _stage(items: Sequence[Item]) -> Item:
    return items[0] if len(items) == 1 else FoldPart("stage", list(items))
