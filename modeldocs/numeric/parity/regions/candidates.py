"""Tables of B that may be what makes regions differ, and what A has in their place."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

from modeldocs.diff import Law
from modeldocs.numeric.parity.regions import constants
from modeldocs.numeric.parity.regions.constants import ConstantOperand
from modeldocs.numeric.parity.regions.laws import law, relations
from modeldocs.numeric.parity.regions.laws.law import ConstantLaw
from modeldocs.numeric.parity.regions.laws.reading import law_of
from modeldocs.numeric.parity.regions.search import SearchState
from modeldocs.numeric.parity.runnable_graph import RunnableGraph

_MOST = 12
"""Pairs of tables without a law in common that are tried."""

Undo = dict[tuple[str, int], np.ndarray]
"""Arrays by the layer of B and the slot in which it reads them."""


@dataclass(frozen=True)
class Candidate:
    """Arrays to be put into B, and how those that it has follow from A's; `ours` are the tables of
    A that say so, `settings` the names under which a diff may tell of them.
    """

    undo: Undo
    laws: tuple[Law, ...]
    ours: tuple[ConstantOperand, ...]
    settings: tuple[str, ...]


@dataclass
class Candidates:
    """Finds what may be undone. Tables are read for their law once."""

    _laws: dict[object, ConstantLaw | None] = field(default_factory=dict)

    def of(self, state: SearchState, undone: Undo) -> Iterator[Candidate]:
        """Tables to be undone: those whose laws differ, those that B has in each other's place,
        then those that differ in any way.
        """
        ours, theirs = _zone(state)
        theirs = [one for one in theirs if (one.layer, one.slot) not in undone]
        both = ours, theirs
        known = {one.key for one in ours} & {one.key for one in theirs}
        ours, left = (_distinct(side, known) for side in (ours, theirs))
        yield from self._by_law(ours, left, theirs, state.runs.theirs.graph)
        yield from self._exchanged(*both)
        yield from _by_values(ours, left, theirs)

    def _by_law(
        self,
        ours: Sequence[ConstantOperand],
        left: Sequence[ConstantOperand],
        theirs: Sequence[ConstantOperand],
        graph: RunnableGraph,
    ) -> Iterator[Candidate]:
        """Tables of one law with the numbers of A: all of them, then those of one branch each.

        Those that differ in the fewest numbers are first.
        """
        seen: set[tuple[Law, ...]] = set()
        sides = ([one for one in map(self._law, _once(side)) if one] for side in (ours, left))
        pairs = [pair for pair in itertools.product(*sides) if law.differing(*pair)]
        for x, y in sorted(pairs, key=lambda pair: len(law.differing(*pair))):
            laws = tuple(x.difference(y))
            if laws in seen:
                continue
            seen.add(laws)
            alike = tuple(one for one in ours if self._is_like(one, x, y))
            of_law = [one for one in theirs if self._is_like(one, y, x)]
            branches = constants.branches(graph, of_law)
            for chosen in (of_law, *(branches if len(branches) > 1 else ())):
                undo: Undo = {}
                for one in chosen:
                    table = self._law(one)
                    array = None if table is None else law.undone(table, x, y)
                    if array is not None:
                        undo[one.layer, one.slot] = array
                yield Candidate(undo, laws, alike, constants.settings(*alike, *chosen))

    def _exchanged(
        self, ours: Sequence[ConstantOperand], theirs: Sequence[ConstantOperand]
    ) -> Iterator[Candidate]:
        """Two tables of B with known laws, each in the other's place."""
        for one, other in itertools.combinations(_once(theirs), 2):
            x, y = self._law(one), self._law(other)
            if x is None or y is None or one.array.shape != other.array.shape:
                continue
            if not law.differing(x, y):
                continue
            mine = tuple(p for p in ours if self._is_like(p, x, y) or self._is_like(p, y, x))
            swapped = {one.key: other, other.key: one}
            undo = {(p.layer, p.slot): swapped[p.key].array for p in theirs if p.key in swapped}
            if mine:
                said = min(_said(x, y), _said(y, x))
                laws = (Law(f"tables exchanged, {said}"),)
                yield Candidate(undo, laws, mine, constants.settings(*mine, one, other))

    def _is_like(self, place: ConstantOperand, x: ConstantLaw, y: ConstantLaw) -> bool:
        """Whether a table has the numbers in which one of the two differs from the other."""
        table = self._law(place)
        names = law.differing(x, y)
        return type(table) is type(x) and all(
            law.same(getattr(table, name), getattr(x, name)) for name in names
        )

    def _law(self, place: ConstantOperand) -> ConstantLaw | None:
        if place.key not in self._laws:
            self._laws[place.key] = law_of(place.array)
        return self._laws[place.key]


def _said(ours: ConstantLaw, theirs: ConstantLaw) -> str:
    return " and ".join(one.text for one in ours.difference(theirs))


def _zone(state: SearchState) -> tuple[list[ConstantOperand], list[ConstantOperand]]:
    """The tables that layers of A and of B read in regions that differ, and in those before them
    whose elements have another order: that may be what a table does.
    """
    search, frontiers = state.search, state.runs.frontiers
    sides: tuple[set[str], set[str]] = (set(), set())
    numbers = {*state.differing, *search.unlike(), *search.undecided} - search.joined.keys()
    read = {one for n in numbers for one in frontiers.region(n, search.joined).groups}
    for number in numbers | (read & state.runs.reordered()):
        region, group = frontiers.region(number, search.joined), frontiers.group(number)
        sides[0].update(group.a.ids, region.inner[0])
        sides[1].update(group.b.ids, region.inner[1])
    ours, theirs = (
        list(constants.places(graph, side))
        for graph, side in zip(frontiers.graphs, sides, strict=True)
    )
    return ours, theirs


def _once(side: Sequence[ConstantOperand]) -> list[ConstantOperand]:
    """Tables of other values, each once."""
    return list({one.key: one for one in reversed(side)}.values())[::-1]


def _distinct(side: Sequence[ConstantOperand], known: set[object]) -> list[ConstantOperand]:
    """The tables of a side that the other does not have too."""
    return [one for one in side if one.key not in known]


def _by_values(
    ours: Sequence[ConstantOperand],
    left: Sequence[ConstantOperand],
    theirs: Sequence[ConstantOperand],
) -> Iterator[Candidate]:
    """Tables of B with the values of one of A in their place."""
    tried: set[object] = set()
    for mine in _once(ours):
        for other in _once(left):
            key = mine.key, other.key
            if key in tried or len(tried) >= _MOST:
                continue
            fits = list(_fitted(mine.array, other.array))
            if fits:
                tried.add(key)
            for fit in fits:
                same = [one for one in theirs if one.key == other.key]
                found = _related(fit, other.array, mine.array.shape)
                alike = tuple(one for one in ours if one.key == mine.key)
                undo = {(one.layer, one.slot): fit for one in same}
                yield Candidate(undo, (found,), alike, constants.settings(mine, other))


def _related(fit: np.ndarray, theirs: np.ndarray, shape: tuple[int, ...]) -> Law:
    """How B's table follows from A's, both in the shape that has more axes."""
    richer = shape if math.prod(shape) == fit.size and len(shape) > fit.ndim else fit.shape
    return relations.relation(fit.reshape(richer), theirs.reshape(richer))


def _fitted(ours: np.ndarray, theirs: np.ndarray) -> Iterator[np.ndarray]:
    """A's values in the shape and type of B's; of masks, with B's values for seen and hidden."""
    levels = [np.unique(one) for one in (ours, theirs)]
    shape = ours.shape if ours.size > theirs.size else theirs.shape
    if all(len(one) == 2 for one in levels):
        if ours.shape[-2:] != theirs.shape[-2:] and ours.size != theirs.size:
            return
        first = ours == levels[0][0]
        for low, high in (levels[1], levels[1][::-1]):
            made = np.where(first, low, high).astype(theirs.dtype)
            if made.size == theirs.size:
                made = made.reshape(theirs.shape)
            elif np.broadcast_shapes(made.shape, theirs.shape) != shape:
                return
            if not np.array_equal(made, theirs):
                yield made
    elif ours.size == theirs.size and (ours.dtype.kind == theirs.dtype.kind):
        yield ours.reshape(theirs.shape).astype(theirs.dtype)
