"""Weights of B that structure has no place for, found by running the regions that have them."""

from __future__ import annotations

import itertools
import math
import time
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np

from modeldocs.numerics.closeness import LAYER_TOLERANCE, distance
from modeldocs.parity.affine import Expressions
from modeldocs.parity.evaluation import evaluate
from modeldocs.parity.expression import Expression, in_order
from modeldocs.parity.regions import elementwise
from modeldocs.parity.regions.recognition import Recognition
from modeldocs.parity.regions.search import RegionSearch
from modeldocs.parity.stored_weights import Shape
from modeldocs.parity.transfer import Transfer

Arrays = dict[str, np.ndarray]

_SECONDS: Final = 6.0
"""Time for finding weights; what is not found is not carried over."""
_MOST: Final = 2**20
"""Elements of the largest weight that is looked for."""
_MOST_ORDERS: Final = 64
"""Orders of axes in which a weight is tried."""


@dataclass(frozen=True)
class _Span:
    """The region that ends in a group, where the groups `dropped` are not cut behind.

    With `reads` it ends in what the group reads: corresponding layers read the same.
    """

    end: int
    dropped: frozenset[int] = frozenset()
    reads: bool = False


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

    def found(self) -> Expressions:
        """The weights with which more regions give A's numbers."""
        until, found = time.monotonic() + self.seconds, Expressions()
        for span in self._spans():
            names = [name for name in self._free(span) if name not in found]
            if names and time.monotonic() < until:
                found |= self._of_region(span, names)
        return found

    def _spans(self) -> Iterator[_Span]:
        """Regions that differ; with what reads them where what they compute has another shape."""
        for number in sorted({*self.differing, *self.search.undecided}):
            yield _Span(number)
            for reader in sorted(self.search.readers.get(number, ())):
                yield _Span(reader, frozenset({number}), reads=True)
                yield _Span(reader, frozenset({number}))

    def _free(self, span: _Span) -> Iterator[str]:
        """Names of the weights of a region of B that are not of A's."""
        b, expressions = self.transferred.b, self.transferred.expressions
        region = self.search.runs.frontiers.region(span.end, span.dropped)
        layers = {*self.search.runs.frontiers.group(span.end).b.ids, *region.inner[1]}
        for name in sorted(layers & b.positions.keys(), key=b.positions.__getitem__):
            for weight in b.weights.get(name, ()):
                known = expressions.get(weight.name)
                if known is None or known.constant is not None:
                    yield weight.name

    def _of_region(self, span: _Span, names: list[str]) -> Expressions:
        """Weights of a region, as computed from A's, with which it gives A's numbers."""
        every = {name: self._shape(name) for name in names}
        shapes = {name: shape for name, shape in every.items() if 0 < math.prod(shape) <= _MOST}
        recognition = Recognition(self.sources, self._stored(span))
        runs = self.search.runs
        wanted = runs.wanted_reads(span.end) if span.reads else runs.wanted(span.end, span.dropped)
        if wanted is None or not recognition.sources or not shapes:
            return {}
        values = elementwise.solved(lambda one: self._run(span, one), wanted, shapes)
        recognised = {name: recognition.expression(one) for name, one in values.items()}
        known = {name: one for name, one in recognised.items() if one is not None}
        if known and self._is_equal(span, known):
            return known
        return self._reordered(span, shapes, recognition)

    def _shape(self, name: str) -> Shape:
        return next(
            weight.stored_shape
            for weights in self.transferred.b.weights.values()
            for weight in weights
            if weight.name == name
        )

    def _stored(self, span: _Span) -> dict[str, Expression]:
        """A's stored weights that its region reads."""
        a, frontiers = self.transferred.a, self.search.runs.frontiers
        region = frontiers.region(span.end, span.dropped)
        layers = {*frontiers.group(span.end).a.ids, *region.inner[0]}
        read = [one.name for layer in layers for one in a.weights.get(layer, ())]
        parts = (part for name in read for part in in_order(self.transferred.sources[name]))
        return {str(one.step.name): one for one in parts if one.step.op == "read"}

    def _run(self, span: _Span, weights: Arrays) -> np.ndarray:
        """B's values at the end of a region, with some weights; nan where it cannot be run."""
        typed = {name: array.astype(np.float32) for name, array in weights.items()}
        runs = self.search.runs
        run = runs.computed_reads if span.reads else runs.computed
        found = run(span.end, span.dropped, typed)
        return np.array([np.nan]) if found is None else found

    def _is_equal(self, span: _Span, weights: Expressions) -> bool:
        arrays = {name: evaluate(one, self.sources) for name, one in weights.items()}
        if span.reads:
            wanted, found = self.search.runs.wanted_reads(span.end), self._run(span, arrays)
            return wanted is not None and distance(wanted, found).size() <= LAYER_TOLERANCE
        typed = {name: array.astype(np.float32) for name, array in arrays.items()}
        return self.search.passing([span.end], span.dropped, typed) is not None

    def _reordered(
        self, span: _Span, shapes: Mapping[str, Shape], recognition: Recognition
    ) -> Expressions:
        """A weight that is one of A's of as many elements, with its axes in another order."""
        for (name, shape), source in itertools.product(
            shapes.items(), recognition.sources.values()
        ):
            if source.size == math.prod(shape):
                for one in itertools.islice(_orders(source, shape), _MOST_ORDERS):
                    if self._is_equal(span, {name: one}):
                        return {name: one}
        return {}


def _orders(source: Expression, shape: Shape) -> Iterator[Expression]:
    """An array in a shape, its elements in any order of the axes that both shapes have in common.

    Axes that are merged in the array are those of the shape, in any order.
    """
    wide = [size for size in shape if size > 1]
    for order in itertools.permutations(range(len(wide))):
        sizes = tuple(wide[axis] for axis in order)
        back = tuple(order.index(axis) for axis in range(len(wide)))
        if _merges(sizes, source.shape):
            yield source.reshape(sizes).transpose(back).reshape(shape)


def _merges(sizes: Shape, merged: Shape) -> bool:
    """Whether a shape is another one with neighbouring axes merged."""
    bounds = {math.prod(sizes[:count]) for count in range(len(sizes) + 1)}
    return bounds.issuperset(math.prod(merged[:count]) for count in range(len(merged) + 1))
