"""Weights of B that structure has no place for, found by running the regions that have them."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np

from modeldocs.numeric.execution.closeness import LAYER_TOLERANCE, distance
from modeldocs.numeric.parity.affine import Expressions
from modeldocs.numeric.parity.evaluation import evaluate
from modeldocs.numeric.parity.expression import Expression, in_order
from modeldocs.numeric.parity.regions import elementwise
from modeldocs.numeric.parity.regions.rearrangements import arrangements
from modeldocs.numeric.parity.regions.recognition import Recognition
from modeldocs.numeric.parity.regions.search import RegionSearch
from modeldocs.numeric.parity.transfer import Transfer
from modeldocs.numeric.parity.weight_slices import Shape

Arrays = dict[str, np.ndarray]
Shapes = Mapping[str, Shape]

_SECONDS: Final = 6.0
"""Time for finding weights; what is not found is not carried over."""
_MOST: Final = 2**20
"""Elements of the largest weight that is looked for."""


@dataclass(frozen=True)
class _FreeSpan:
    """The region that ends in a group, where the groups `dropped` are not cut behind.

    With `reads` it ends in what the group reads: corresponding layers read the same.
    """

    end: int
    dropped: frozenset[int] = frozenset()
    reads: bool = False


_Way = Callable[[_FreeSpan, np.ndarray, Shapes, Recognition], Expressions]
"""Finds the weights of a region, with which it gives the wanted numbers."""


@dataclass
class FreeWeights:
    """Finds B's weights in regions that differ: those that nothing of A gives, or only a constant.

    `sources` are the values of A's stored weights.
    """

    search: RegionSearch
    differing: Collection[int]
    transferred: Transfer
    sources: Mapping[str, np.ndarray]
    seconds: float = _SECONDS
    _until: float = 0.0

    def found(self) -> Expressions:
        """The weights with which more regions give A's numbers.

        Other arrangements, of which there are many, are tried where no weight was found without.
        """
        self._until = time.monotonic() + self.seconds
        return self._with(self._in_place) or self._with(self._rearranged)

    def _with(self, way: _Way) -> Expressions:
        """The weights of all regions that are found in a way."""
        found = Expressions()
        for span in self._spans():
            names = [name for name in self._free(span) if name not in found]
            if names and time.monotonic() < self._until:
                found |= self._of_region(span, names, way)
        known = self.transferred.expressions
        return {
            name: one
            for name, one in found.items()
            if name not in known or one.constant is None or one.constant != known[name].constant
        }

    def _spans(self) -> Iterator[_FreeSpan]:
        """Regions that differ, from what their last layers read on; with what reads them where what
        they compute has another shape.
        """
        for number in sorted({*self.differing, *self.search.undecided}):
            yield _FreeSpan(number)
            yield _FreeSpan(number, reads=True)
            for reader in sorted(self.search.readers.get(number, ())):
                yield _FreeSpan(reader, frozenset({number}), reads=True)
                yield _FreeSpan(reader, frozenset({number}))

    def _free(self, span: _FreeSpan) -> Iterator[str]:
        """Names of the weights of a region of B that are not of A's; what its last layers read does
        not depend on theirs.
        """
        b, expressions = self.transferred.b, self.transferred.expressions
        region = self.search.runs.frontiers.region(span.end, span.dropped)
        own = () if span.reads else self.search.runs.frontiers.group(span.end).b.ids
        layers = {*own, *region.inner[1]}
        for name in sorted(layers & b.positions.keys(), key=b.positions.__getitem__):
            for weight in b.weights.get(name, ()):
                known = expressions.get(weight.name)
                if known is None or known.constant is not None:
                    yield weight.name

    def _of_region(self, span: _FreeSpan, names: list[str], way: _Way) -> Expressions:
        """Weights of a region, as computed from A's, with which it gives A's numbers."""
        every = {name: self._shape(name) for name in names}
        shapes = {name: shape for name, shape in every.items() if 0 < math.prod(shape) <= _MOST}
        recognition = Recognition(self.sources, self._stored(span) | self._like(shapes))
        runs = self.search.runs
        wanted = runs.wanted_reads(span.end) if span.reads else runs.wanted(span.end, span.dropped)
        if wanted is None or not recognition.sources or not shapes:
            return {}
        return way(span, wanted, shapes, recognition)

    def _in_place(
        self, span: _FreeSpan, wanted: np.ndarray, shapes: Shapes, recognition: Recognition
    ) -> Expressions:
        """Weights of a region of which each number that it gives depends on one element."""
        known = self._solved(span, wanted, shapes, {}, recognition)
        return known if known and self._is_equal(span, known) else {}

    def _solved(
        self,
        span: _FreeSpan,
        wanted: np.ndarray,
        shapes: Shapes,
        given: Expressions,
        recognition: Recognition,
    ) -> Expressions:
        """Weights of which each number wanted depends on one element, where some are given."""
        arrays = self._arrays(given)
        values = elementwise.solved(lambda one: self._run(span, arrays | one), wanted, shapes)
        recognised = {name: recognition.expression(one) for name, one in values.items()}
        return {name: one for name, one in recognised.items() if one is not None}

    def _shape(self, name: str) -> Shape:
        return next(
            weight.stored_shape
            for weights in self.transferred.b.weights.values()
            for weight in weights
            if weight.name == name
        )

    def _stored(self, span: _FreeSpan) -> dict[str, Expression]:
        """A's weights that its region reads, as it reads them and as they are stored."""
        a, frontiers = self.transferred.a, self.search.runs.frontiers
        region = frontiers.region(span.end, span.dropped)
        layers = {*frontiers.group(span.end).a.ids, *region.inner[0]}
        read = [one.name for layer in layers for one in a.weights.get(layer, ())]
        every = {name: self.transferred.sources[name] for name in read}
        parts = (part for one in every.values() for part in in_order(one))
        return every | {str(one.step.name): one for one in parts if one.step.op == "read"}

    def _like(self, shapes: Shapes) -> dict[str, Expression]:
        """A's stored weights of these shapes, wherever they are read: what A holds once for several
        layers, B may hold for each.
        """
        parts = {part for one in self.transferred.sources.values() for part in in_order(one)}
        wanted = set(shapes.values())
        reads = (one for one in parts if one.step.op == "read" and one.shape in wanted)
        return {str(one.step.name): one for one in reads}

    def _run(self, span: _FreeSpan, weights: Arrays) -> np.ndarray:
        """B's values at the end of a region, with some weights; nan where it cannot be run."""
        typed = {name: array.astype(np.float32) for name, array in weights.items()}
        runs = self.search.runs
        run = runs.computed_reads if span.reads else runs.computed
        found = run(span.end, span.dropped, typed)
        return np.array([np.nan]) if found is None else found

    def _is_equal(self, span: _FreeSpan, weights: Expressions) -> bool:
        arrays = self._arrays(weights)
        if span.reads:
            wanted, found = self.search.runs.wanted_reads(span.end), self._run(span, arrays)
            return wanted is not None and distance(wanted, found).size() <= LAYER_TOLERANCE
        typed = {name: array.astype(np.float32) for name, array in arrays.items()}
        return self.search.passing([span.end], span.dropped, typed) is not None

    def _arrays(self, weights: Expressions) -> Arrays:
        return {name: evaluate(one, self.sources) for name, one in weights.items()}

    def _rearranged(
        self, span: _FreeSpan, wanted: np.ndarray, shapes: Shapes, recognition: Recognition
    ) -> Expressions:
        """Weights of a region of which some are A's in another arrangement: the largest first, as
        long as each makes more of the region's end equal.
        """
        sources, found = list(recognition.sources.values()), Expressions()
        apart = self._apart(span, wanted, {})
        for name in sorted(shapes, key=lambda one: math.prod(shapes[one]), reverse=True):
            for one in arrangements(shapes[name], sources):
                if time.monotonic() > self._until:
                    return {}
                tried = found | {name: one}
                left = {other: shape for other, shape in shapes.items() if other not in tried}
                known = tried | self._solved(span, wanted, left, tried, recognition)
                if self._is_equal(span, known):
                    return known
                now = self._apart(span, wanted, known)
                if now < apart:
                    found, apart = tried, now
                    break
        return {}

    def _apart(self, span: _FreeSpan, wanted: np.ndarray, weights: Expressions) -> int:
        """How many of the wanted numbers a region with these weights does not give."""
        bound = LAYER_TOLERANCE * float(np.abs(wanted).max(initial=0.0))
        found = self._run(span, self._arrays(weights))
        return (
            wanted.size
            if found.shape != wanted.shape
            else int((np.abs(found - wanted) > bound).sum())
        )
