"""The search for where two networks part: which layers diverge, and not for what they read."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from modeldocs.diff import Divergence
from modeldocs.parity import numbers
from modeldocs.parity.blame import Blame
from modeldocs.parity.numbers import Numbers
from modeldocs.parity.side import Side
from modeldocs.parity.unit import Half, Unit


@dataclass
class Search:
    """Goes through the units in A's order."""

    a: Side
    b: Side
    units: list[Unit]
    found: Numbers
    blame: Blame
    _owners: tuple[dict[str, int], dict[str, int]] = field(init=False)
    """The unit of each layer, by side."""

    def __post_init__(self) -> None:
        self._owners = (
            {name: i for i, unit in enumerate(self.units) for name in unit.a.ids},
            {name: i for i, unit in enumerate(self.units) for name in unit.b.ids},
        )

    def divergences(self) -> Iterator[Divergence]:
        """What diverges alone; and what does in its network though nothing that it reads does."""
        reached: set[int] = set()
        for i, unit in enumerate(self.units):
            alone, free = self.found.alone.get(i), self.found.free.get(i)
            after = bool(reached & self._before(unit))
            if alone is not None and alone.size() > numbers.tolerance(unit):
                line = self.blame.of(unit.pair, alone=True)
                yield Divergence(pair=unit.pair, error=alone, change=line)
                reached.add(i)
            elif i in self.found.given:
                continue  # what reads it was given the same on both sides
            elif free is None or after:
                reached.add(i)
            elif not free.small:
                line = self.blame.of(unit.pair, alone=False)
                yield Divergence(pair=unit.pair, error=free, change=line, alone=False)
                reached.add(i)

    def _before(self, unit: Unit) -> set[int]:
        """The nearest units that a unit reads, on both sides."""
        return self._leading(self.a, unit.a, 0) | self._leading(self.b, unit.b, 1)

    def _leading(self, side: Side, half: Half, place: int) -> set[int]:
        found: set[int] = set()
        waiting = [edge.maker for edges in half.reads for edge in edges]
        seen = set(waiting)
        while waiting:
            current = waiting.pop()
            if current in self._owners[place]:
                found.add(self._owners[place][current])
                continue
            makers = {edge.maker for edge in side.edges.get(current, [])} - seen
            seen |= makers
            waiting += makers
        return found
