"""The order of the rows of projections, found by running.

Rotary positions turn neighbouring features in one port and the two halves of a head in another:
the same function, once the rows of the projections before it are in another order. What lies in
between computes other numbers then, in another order. They are compared where the features are
summed over, which is where their order ends.
"""

from __future__ import annotations

import math
import time
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import chain, combinations
from typing import Final

import numpy as np

from modeldocs.ir.operators import family
from modeldocs.normal import values
from modeldocs.numeric.parity import affine
from modeldocs.numeric.parity.affine import Expressions
from modeldocs.numeric.parity.evaluation import evaluate
from modeldocs.numeric.parity.regions import row_units
from modeldocs.numeric.parity.regions.row_units import FeatureRowOrder, ProjectionUnit
from modeldocs.numeric.parity.regions.search import RegionSearch
from modeldocs.numeric.parity.runnable_graph import RunnableGraph
from modeldocs.numeric.parity.transfer import Transfer

_SUMMING: Final = ("linear", "convolution", "attention", "recurrent")
"""Families of operators that sum over features, so that their order does not matter behind."""
_ARRANGING: Final = ("arrangement", "attention", "recurrent", "other")
"""Families of operators that may treat features otherwise than one by one."""
_MOST: Final = 4
"""Projections of which some may be in another order, and others not."""
_SECONDS: Final = 4.0
"""Time for trying orders; what is not found then stays different."""


@dataclass
class Placed:
    """Weights of B in the order that was found, and the layers of A whose values B has in that
    order.
    """

    expressions: Expressions = field(default_factory=dict)
    permuted: set[str] = field(default_factory=set)

    def add(self, others: Placed) -> None:
        """Take in others, which replace those of the same names."""
        self.expressions |= others.expressions
        self.permuted |= others.permuted

    def copy(self) -> Placed:
        """The same weights, to which others can be added."""
        return Placed(dict(self.expressions), set(self.permuted))


@dataclass(frozen=True)
class _ProjectionSpan:
    """Projections by number of group, and what lies between them and the group `end`."""

    projections: frozenset[int]
    end: int
    inner: frozenset[int]

    @property
    def dropped(self) -> frozenset[int]:
        """The groups whose values are in another order."""
        return self.projections | self.inner


@dataclass
class RowOrders:
    """Tries orders of rows for projections behind which groups differ, as long as there is time.

    `sources` are the values of A's stored weights.
    """

    search: RegionSearch
    differing: Collection[int]
    transferred: Transfer
    sources: Mapping[str, np.ndarray]
    seconds: float = _SECONDS
    _worked: list[FeatureRowOrder] = field(default_factory=list)

    def found(self) -> Placed:
        """The weights for which another order gives A's numbers."""
        until, placed = time.monotonic() + self.seconds, Placed()
        for span in self._spans():
            if time.monotonic() > until:
                break
            weights = self._placed(span, until)
            if weights is not None:
                placed.expressions |= weights
                placed.permuted |= self._layers(span)
        return placed

    def _spans(self) -> list[_ProjectionSpan]:
        """Projections behind which a group differs, by the nearest groups that sum over them."""
        starts: dict[int, set[int]] = {}
        apart = {*self.differing, *self.search.undecided}
        for number in sorted(apart):
            for source in self._projections(number):
                for end in self._ends(source):
                    starts.setdefault(end, set()).add(source)
        for end in apart & starts.keys():  # what else it sums over may be in that order too
            for number in self.search.runs.frontiers.region(end).groups:
                starts[end] |= self._nearest(number)
        spans = [self._span(frozenset(some), end) for end, some in sorted(starts.items())]
        return [span for span in spans if self._arranges(span)]

    def _arranges(self, span: _ProjectionSpan) -> bool:
        """Whether features are taken apart or turned between projections and what sums over them.

        What treats each feature alike gives the same numbers in any order.
        """
        nodes = (
            graph.nodes[name]
            for graph, names in zip(self.search.runs.frontiers.graphs, self._ids(span), strict=True)
            for name in names
        )
        return any(family(node.op_type) in _ARRANGING for node in nodes)

    def _projections(self, number: int) -> set[int]:
        """The nearest projections before a group that does not sum over features itself."""
        waiting, seen, found = [number], set[int](), set[int]()
        while waiting:
            one = waiting.pop()
            if one not in seen and not self._sums(one):
                seen.add(one)
                groups = self.search.runs.frontiers.region(one).groups
                found |= {source for source in groups if self._is_projection(source)}
                waiting += groups - found
        return found

    def _nearest(self, number: int) -> set[int]:
        """A group itself where it is a projection, else the nearest ones before it."""
        return {number} if self._is_projection(number) else self._projections(number)

    def _is_projection(self, number: int) -> bool:
        """Whether a group has a weight on both sides by which features are made."""
        group, transferred = self.search.runs.frontiers.group(number), self.transferred
        return all(
            any(graph.weights.get(name) and _is_linear(graph, name) for name in side.ids)
            for graph, side in ((transferred.a, group.a), (transferred.b, group.b))
        )

    def _sums(self, number: int) -> bool:
        """Whether a group sums over features."""
        ids = self.search.runs.frontiers.group(number).a.ids
        layers = self.transferred.a.layers
        return any(name in layers and family(layers[name].operator) in _SUMMING for name in ids)

    def _ends(self, start: int) -> set[int]:
        """The nearest groups behind one that sum over its features."""
        waiting, seen, ends = list(self.search.readers.get(start, ())), {start}, set[int]()
        while waiting:
            number = waiting.pop()
            if number in seen:
                continue
            seen.add(number)
            if self._sums(number):
                ends.add(number)
            else:
                waiting += self.search.readers.get(number, ())
        return ends

    def _span(self, projections: frozenset[int], end: int) -> _ProjectionSpan:
        """The groups on the ways from projections to a group."""
        inner: set[int] = set()
        for start in projections:
            inner |= self._between(start, end)
        return _ProjectionSpan(projections, end, frozenset(inner - projections - {end}))

    def _between(self, start: int, end: int) -> set[int]:
        """The groups that are behind one and lead to the other, without summing over features."""
        ahead, waiting = set[int](), list(self.search.readers.get(start, ()))
        while waiting:
            number = waiting.pop()
            if number not in ahead and not self._sums(number):
                ahead.add(number)
                waiting += self.search.readers.get(number, ())
        leading, waiting = set[int](), [end]
        while waiting:
            groups = self.search.runs.frontiers.region(waiting.pop()).groups
            nearer = (groups & ahead) - leading
            leading |= nearer
            waiting += nearer
        return leading

    def _placed(self, span: _ProjectionSpan, until: float) -> Expressions | None:
        """The weights of a span in the order with which it gives A's numbers."""
        transferred = self.transferred
        group = self.search.runs.frontiers.group
        made = [group(number) for number in sorted(span.projections)]
        units = [x for one in made for x in row_units.units(transferred, one, group(span.end))]
        readers = self._readers(span)
        parts = [x for one in made for x in row_units.parts(transferred, one, readers)]
        behind, sizes = self._behind(span), self._sizes(span)
        for chosen, order in chain(self._tries(units, sizes), self._tries(parts, sizes)):
            if time.monotonic() > until:
                return None
            changed = row_units.ordered(transferred, chosen, behind, order)
            if changed and self._is_equal(span, changed):
                self._worked.insert(0, order)
                return changed
        return None

    def _tries(
        self, units: list[ProjectionUnit], sizes: Collection[int]
    ) -> Iterator[tuple[tuple[ProjectionUnit, ...], FeatureRowOrder]]:
        """Which units to put in which order: all of them first."""
        counts = range(len(units), 0, -1) if len(units) <= _MOST else [len(units)]
        for chosen in (some for count in counts for some in combinations(units, count)):
            rows = math.gcd(*(unit.rows for unit in chosen))
            for order in dict.fromkeys((*self._worked, *_orders(rows, sizes))):
                if rows % order.size == 0:
                    yield chosen, order

    def _sizes(self, span: _ProjectionSpan) -> set[int]:
        """The sizes of all axes of what lies between projections and what sums over them."""
        values_of = (
            value
            for graph, names in zip(self.search.runs.frontiers.graphs, self._ids(span), strict=True)
            for name in names
            for value in graph.nodes[name].outputs
        )
        return {size for value in values_of for size in values.shape(value) or ()}

    def _readers(self, span: _ProjectionSpan) -> tuple[set[str], set[str]]:
        """The layers of A and of B behind projections that treat each feature by itself."""
        ours, theirs = (
            {name for name in names if family(graph.nodes[name].op_type) not in _ARRANGING}
            for graph, names in zip(self.search.runs.frontiers.graphs, self._ids(span), strict=True)
        )
        return ours, theirs

    def _ids(self, span: _ProjectionSpan) -> tuple[set[str], set[str]]:
        """The layers of A and of B from projections to what sums over their features."""
        frontiers = self.search.runs.frontiers
        inner = frontiers.region(span.end, span.dropped).inner
        groups = [frontiers.group(number) for number in (*span.dropped, span.end)]
        return (
            {*inner[0], *(one for group in groups for one in group.a.ids)},
            {*inner[1], *(one for group in groups for one in group.b.ids)},
        )

    def _behind(self, span: _ProjectionSpan) -> frozenset[str]:
        """B's layers between projections and the group that sums over their features, and those
        that read weights alone for them.
        """
        frontiers, b = self.search.runs.frontiers, self.transferred.b
        inner = frontiers.region(span.end, span.dropped).inner[1]
        made = {name for number in span.projections for name in frontiers.group(number).b.ids}
        behind: set[str] = set()
        for name in sorted(inner - made, key=b.positions.__getitem__):
            producers = {edge.producer for edge in b.edges[name]}
            if not producers.isdisjoint(made | behind):
                behind |= {name} | {one for one in producers & inner if not b.edges[one]}
        return frozenset(behind - made)

    def _is_equal(self, span: _ProjectionSpan, weights: Expressions) -> bool:
        """Whether all that reads a span's values gives A's numbers with these weights of B."""
        arrays = {name: evaluate(one, self.sources) for name, one in weights.items()}
        typed = {name: array.astype(np.float32) for name, array in arrays.items()}
        readers = {r for one in span.dropped for r in self.search.readers.get(one, ())}
        found = self.search.passing((readers | {span.end}) - span.dropped, span.dropped, typed)
        return found is not None

    def _layers(self, span: _ProjectionSpan) -> set[str]:
        """A's layers whose values are in another order in B."""
        group = self.search.runs.frontiers.group
        return {name for number in span.dropped for name in group(number).a.ids}


def _orders(count: int, sizes: Collection[int]) -> Iterator[FeatureRowOrder]:
    """Orders of so many features: of whole blocks first, then of a part of each.

    `sizes` are those that one of the two axes, and such a part, may have.
    """
    blocks = [size for size in range(4, count + 1) if count % size == 0]
    parts = [(size, size) for size in blocks]
    parts += [(size, part) for size in blocks for part in sorted(sizes) if 4 <= part < size]
    for size, part in parts:
        for first in (one for one in range(2, part // 2 + 1) if part % one == 0):
            if first in sizes or part // first in sizes:
                yield FeatureRowOrder(size, (first, part // first))
        if part % 2 == 0:  # the two of each pair exchanged: of halves, or of neighbours
            yield FeatureRowOrder(size, (2, part // 2), reversed=0)
            yield FeatureRowOrder(size, (part // 2, 2), reversed=1)


def _is_linear(graph: RunnableGraph, name: str) -> bool:
    return graph.layers[name].operator in affine.LINEAR
