"""The order in which one view of a tensor runs through the elements of another.

Reshapes and transpositions split axes into factors and put the factors in another order:
`1x16x128 -> 1x16x4x32 -> 0,2,1,3` runs through factors of 16, 4 and 32 as 4, 16, 32. That is a
few numbers, whatever the size of the tensor.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import prod
from typing import Final

Sizes = tuple[int, ...]
Groups = list[list[int]]
"""The factors of each axis of a shape, outermost first; none for a size of 1."""


@dataclass(frozen=True, slots=True)
class Arrangement:
    """Elements of a source in the order of a view.

    `sizes` are the factors of the source, outermost first and none of 1; `order` has the places
    among them as the view runs through them. The source's own order is `KEPT`.
    """

    sizes: Sizes = ()
    order: Sizes = ()

    @property
    def elements(self) -> int:
        """Number of elements, 1 where the order is the source's own."""
        return prod(self.sizes)

    def inverse(self) -> Arrangement:
        """The source in the order of the view."""
        places = sorted(range(len(self.order)), key=self.order.__getitem__)
        return Arrangement(tuple(self.sizes[one] for one in self.order), tuple(places))

    def simplified(self) -> Arrangement:
        """The same with factors merged that stay neighbours; `KEPT` where nothing moves."""
        runs: list[list[int]] = []
        for one in self.order:
            if self.sizes[one] == 1:
                continue
            if runs and self._next(runs[-1][-1]) == one:
                runs[-1].append(one)
            else:
                runs.append([one])
        if len(runs) < 2:
            return KEPT
        ranked = sorted(range(len(runs)), key=lambda run: runs[run][0])
        sizes = tuple(prod(self.sizes[one] for one in runs[run]) for run in ranked)
        return Arrangement(sizes, tuple(ranked.index(run) for run in range(len(runs))))

    def _next(self, one: int) -> int:
        """The factor behind one in the source, those of size 1 apart."""
        one += 1
        while one < len(self.sizes) and self.sizes[one] == 1:
            one += 1
        return one

    def cut(self, shape: Sequence[int]) -> tuple[Arrangement, Groups] | None:
        """Finer factors, of which each axis of the view's shape is made; None if none are."""
        finer = self if self.sizes else Arrangement(*_whole(shape))
        if finer.elements != prod(shape):
            return None
        groups: Groups = []
        place = 0
        for dim in shape:
            group: list[int] = []
            while dim > 1:
                factor = finer.order[place]
                size = finer.sizes[factor]
                if dim % size and size % dim:
                    return None
                if dim % size:
                    finer = finer._split(factor, dim)
                    size = dim
                group.append(place)
                dim //= size
                place += 1
            groups.append(group)
        return finer, [[finer.order[place] for place in group] for group in groups]

    def _split(self, factor: int, outer: int) -> Arrangement:
        inner = self.sizes[factor] // outer
        sizes = (*self.sizes[:factor], outer, inner, *self.sizes[factor + 1 :])
        order: list[int] = []
        for one in self.order:
            order.append(one if one <= factor else one + 1)
            if one == factor:
                order.append(factor + 1)
        return Arrangement(sizes, tuple(order))

    def transposed(self, shape: Sequence[int], axes: Sequence[int]) -> Arrangement | None:
        """The view with its axes in another order."""
        split = self.simplified().cut(shape)  # factors that were merged may be split elsewhere
        if split is None:
            return None
        finer, groups = split
        return Arrangement(finer.sizes, tuple(one for axis in axes for one in groups[axis]))

    def seen_from(self, other: Arrangement) -> Arrangement | None:
        """The order of this view relative to another view of its source; None if no factors fit."""
        if not self.sizes and not other.sizes:
            return KEPT
        ours, theirs = _refined(self, other), _refined(other, self)
        if ours is None or theirs is None or ours.sizes != theirs.sizes:
            return None
        place = {one: position for position, one in enumerate(theirs.order)}
        sizes = tuple(theirs.sizes[one] for one in theirs.order)
        return Arrangement(sizes, tuple(place[one] for one in ours.order)).simplified()


KEPT: Final = Arrangement()
"""The order of the source itself."""


def _whole(shape: Sequence[int]) -> tuple[Sizes, Sizes]:
    size = prod(shape)
    return ((size,), (0,)) if size > 1 else ((), ())


def _refined(finer: Arrangement, other: Arrangement) -> Arrangement | None:
    """With its source split where the other splits it."""
    if not other.sizes:
        return finer
    split = finer.inverse().cut(other.sizes)
    return split and split[0].inverse()


@dataclass(frozen=True, slots=True)
class Factored:
    """Two shapes of the same elements, split into the same factors.

    `ours` and `theirs` have the factors of each axis; `sizes` are the sizes of the factors.
    """

    sizes: Sizes
    ours: Groups
    theirs: Groups

    def size(self, factors: Sequence[int]) -> int:
        """Number of elements along some factors."""
        return prod(self.sizes[one] for one in factors)


@lru_cache(maxsize=4096)
def factored(arrangement: Arrangement, ours: Sizes, theirs: Sizes) -> Factored | None:
    """The factors of a source's shape and of a view's; None where no factors fit both."""
    split = arrangement.simplified().cut(theirs)
    source = split and split[0].inverse().cut(ours)
    if source is None:
        return None
    finer = source[0].inverse()
    behind, before = finer.cut(theirs), finer.inverse().cut(ours)
    if behind is None or before is None:
        return None
    # the inverse numbers factors by their place in the view; here as the source numbers them
    own = [[finer.order[place] for place in group] for group in before[1]]
    return Factored(finer.sizes, own, behind[1])
