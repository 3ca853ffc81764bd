"""Which regions the layers of a change are in."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from modeldocs.diff import Change, Pair
from modeldocs.numeric.parity.regions.frontier import Frontiers


class Touched:
    """The groups whose regions have a layer, by the layer's id in A or in B."""

    def __init__(self, frontiers: Frontiers, dropped: Collection[int]) -> None:
        self._of: tuple[dict[str, set[int]], dict[str, set[int]]] = ({}, {})
        for number in (*frontiers.cut, *frontiers.ends):
            group = frontiers.group(number)
            region = frontiers.region(number, dropped)
            inputs = [one for one in region.reads[0] if isinstance(one, str)]
            self._add(number, 0, (*group.a.ids, *region.inner[0], *inputs))
            self._add(number, 1, (*group.b.ids, *region.inner[1]))

    def _add(self, number: int, side: int, ids: Iterable[str]) -> None:
        for name in ids:
            self._of[side].setdefault(name, set()).add(number)

    def by(self, change: Change) -> set[int]:
        """The groups whose regions have a layer of a change."""
        return {number for pair in change.pairs for number in self.by_pair(pair)}

    def by_pair(self, pair: Pair) -> set[int]:
        """The groups whose regions have a layer of a pair."""
        return {
            number
            for side, ids in enumerate(pair)
            for name in ids
            for number in self._of[side].get(name, ())
        }
