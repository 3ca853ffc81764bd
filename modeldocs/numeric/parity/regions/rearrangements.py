"""Weights that may be those of another network in another arrangement: its arrays with their axes
in another order, pieces of them, and several of them in a row.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from typing import Final

from modeldocs.numeric.parity.expression import Expression, concatenate
from modeldocs.numeric.parity.weight_slices import Shape

_MOST_ORDERS: Final = 64
"""Orders of axes in which an array is tried."""
_MOST_JOINED: Final = 3
"""Arrays that are joined: queries, keys and values."""


def arrangements(shape: Shape, sources: Sequence[Expression]) -> Iterator[Expression]:
    """Arrays of a shape with the elements of a source, of a piece of one, or of several."""
    size = math.prod(shape)
    for source in sources:
        if source.size == size:
            yield from itertools.islice(_orders(source, shape), _MOST_ORDERS)
    for source in sources:
        for piece in _pieces(source, size):
            yield from itertools.islice(_orders(piece, shape), _MOST_ORDERS)
    yield from _joined(sources, shape)


def _orders(source: Expression, shape: Shape) -> Iterator[Expression]:
    """An array in a shape, with the axes of the one of the two that has more in any order.

    The axes of the other are those axes, merged.
    """
    ours, theirs = (tuple(size for size in one if size > 1) for one in (source.shape, shape))
    wide = max(theirs, ours, key=len)
    for order in itertools.permutations(range(len(wide))):
        sizes = tuple(wide[axis] for axis in order)
        if wide is theirs and _merges(sizes, ours):
            back = tuple(order.index(axis) for axis in range(len(wide)))
            yield source.reshape(sizes).transpose(back).reshape(shape)
        elif wide is ours and _merges(sizes, theirs):
            yield source.reshape(ours).transpose(order).reshape(shape)


def _merges(sizes: Shape, merged: Shape) -> bool:
    """Whether a shape is another one with neighbouring axes merged."""
    bounds = {math.prod(sizes[:count]) for count in range(len(sizes) + 1)}
    return bounds.issuperset(math.prod(merged[:count]) for count in range(len(merged) + 1))


def _pieces(source: Expression, size: int) -> Iterator[Expression]:
    """Equal pieces of an array, of so many elements, along one of its axes."""
    if size >= source.size or source.size % size:
        return
    count = source.size // size
    for axis, length in enumerate(source.shape):
        if length % count == 0:
            part = length // count
            for start in range(0, length, part):
                yield source.slice(axis, start, start + part)


def _joined(sources: Sequence[Expression], shape: Shape) -> Iterator[Expression]:
    """Arrays in a row along their first axis, in any order, that have a shape together."""
    fitting = [one for one in sources if one.ndim == len(shape) and one.shape[1:] == shape[1:]]
    for count in range(2, _MOST_JOINED + 1):
        for some in itertools.permutations(fitting, count):
            if sum(one.shape[0] for one in some) == shape[0]:
                yield concatenate(some)
