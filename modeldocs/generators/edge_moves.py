"""The steps of an edge as the fewest that move the same elements: reshape, transpose, reshape."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass, field

from modeldocs.ir import Cast, Reshape, Step, Transpose
from modeldocs.normal.data_movement import permutations

Sizes = tuple[int, ...]


def fewest(before: Sizes, steps: Sequence[Step]) -> tuple[Step, ...]:
    """Steps that do to a tensor of shape `before` what the given ones do, as few as possible.

    Steps of unknown sizes are kept as they are.
    """
    casts = [one for one in steps if isinstance(one, Cast)]
    moves = [one for one in steps if not isinstance(one, Cast)]
    if all(isinstance(one, Transpose) and one.permutation is not None for one in moves):
        return (*_transposed(len(before), moves), *casts)
    axes = _Axes.of(before)
    for step in moves:
        if not axes.apply(step):
            return tuple(steps)
    found = (*axes.steps(before), *casts)
    return found if len(found) <= len(steps) else tuple(steps)


def _transposed(rank: int, moves: Sequence[Step]) -> list[Step]:
    order = permutations.identity(rank)
    for step in moves:
        assert isinstance(step, Transpose) and step.permutation is not None
        order = permutations.then(order, step.permutation)
    return [] if order == permutations.identity(rank) else [Transpose(order)]


@dataclass
class _Axes:
    """The axes of a tensor as lists of factors, each a part of an axis of the source.

    A factor is a number; `sizes` has its size. The first axis of the source, which counts the items
    of a batch, is one factor of its own even where the batch is 1.
    """

    source: list[list[int]]
    own: list[list[int]]
    sizes: dict[int, int]
    numbers: itertools.count[int] = field(default_factory=itertools.count)

    @classmethod
    def of(cls, shape: Sizes) -> _Axes:
        numbers = itertools.count()
        sizes: dict[int, int] = {}
        axes: list[list[int]] = []
        for place, size in enumerate(shape):
            if size != 1 or place == 0:
                number = next(numbers)
                sizes[number] = size
                axes.append([number])
            else:
                axes.append([])
        return cls([list(one) for one in axes], axes, sizes, numbers)

    def apply(self, step: Step) -> bool:
        """Move the axes as a step does; False where it cannot be followed."""
        if isinstance(step, Transpose):
            if step.permutation is None or len(step.permutation) != len(self.own):
                return False
            self.own = [self.own[axis] for axis in step.permutation]
            return True
        return isinstance(step, Reshape) and self._reshape(step)

    def _reshape(self, step: Reshape) -> bool:
        after = step.after or ()
        if step.after is None or not all(isinstance(dim, int) for dim in after):
            return False
        left = [number for axis in self.own for number in axis]
        axes: list[list[int]] = []
        for place, size in enumerate(after):
            assert isinstance(size, int)
            axis: list[int] = []
            if place == 0 and left and self.own[0][:1] == left[:1] and size == self._size(left[:1]):
                axis, left = left[:1], left[1:]
            while (have := self._size(axis)) != size:
                if not left:
                    return False
                self._split(left, size // have)
                if size % (have * self.sizes[left[0]]):
                    return False
                axis.append(left.pop(0))
            axes.append(axis)
        if any(self.sizes[number] != 1 for number in left):
            return False
        if left:
            if not axes:
                return False
            axes[-1] += left
        self.own = axes
        return True

    def _size(self, axis: Sequence[int]) -> int:
        return math.prod(self.sizes[number] for number in axis)

    def _split(self, left: list[int], wanted: int) -> None:
        """Split the first factor into one of the wanted size and the rest, where it is larger."""
        first = left[0]
        size = self.sizes[first]
        if wanted < 1 or size <= wanted or size % wanted:
            return
        rest = next(self.numbers)
        self.sizes |= {first: wanted, rest: size // wanted}
        left.insert(1, rest)
        for axis in (*self.source, *self.own):
            if first in axis:
                axis.insert(axis.index(first) + 1, rest)

    def steps(self, before: Sizes) -> list[Step]:
        """The steps from the source to the axes as they are now."""
        after = tuple(self._size(axis) for axis in self.own)
        order = [number for axis in self.own for number in axis]
        old = [number for axis in self.source for number in axis]
        blocks = _blocks(old, order)
        if len(blocks) < 2:
            return [] if before == after else [Reshape(before, after)]
        split = tuple(self._size(block) for block in blocks)
        moved = sorted(range(len(blocks)), key=lambda block: order.index(blocks[block][0]))
        middle = tuple(split[block] for block in moved)
        steps: list[Step] = [] if before == split else [Reshape(before, split)]
        steps.append(Transpose(tuple(moved)))
        return steps if middle == after else [*steps, Reshape(middle, after)]


def _blocks(old: Sequence[int], new: Sequence[int]) -> list[list[int]]:
    """Runs of factors that follow one another before and after, in the order before."""
    blocks: list[list[int]] = []
    for number in old:
        if blocks:
            last = new.index(blocks[-1][-1])
            # the first factor counts the batch, and stays an axis of its own
            if len(blocks) + len(blocks[-1]) > 2 and new[last + 1 : last + 2] == [number]:
                blocks[-1].append(number)
                continue
        blocks.append([number])
    stays = len(blocks) == 2 and [one for block in blocks for one in block] == list(new)
    return blocks[:1] if stays else blocks
