"""What a change of shape makes of a tensor of another size, where only one answer is right."""

from __future__ import annotations

import math
from collections.abc import Iterator

Shape = tuple[int, ...]


def regrouped(before: Shape, after: Shape, now: Shape) -> Shape | None:
    """The shape that a tensor of shape `now` gets from what makes `after` of `before`.

    Sizes that are merged into one follow: of 64×6×6 → 2304, 64×8×8 gives 4096. Sizes that one is
    split into are fixed, as a number of heads and of channels each: then None, unless the size that
    is split is the same.
    """
    if len(now) != len(before):
        return None
    result: list[int] = []
    for sources, targets in _groups(before, after):
        sizes, given = after[targets], now[sources]
        if given == before[sources]:
            result += sizes
            continue
        free = [place for place, size in enumerate(sizes) if size != 1]
        if len(free) > 1 or not sizes:
            return None
        place = free[0] if free else len(sizes) - 1
        result += [math.prod(given) if one == place else 1 for one in range(len(sizes))]
    return tuple(result)


def _groups(before: Shape, after: Shape) -> Iterator[tuple[slice, slice]]:
    """The shortest runs of sizes of both shapes with equal products, in order.

    Sizes of 1 that are left over at the end belong to the last run.
    """
    i = j = 0
    while i < len(before) and j < len(after):
        first, second = i, j
        i, j = i + 1, j + 1
        while (left := math.prod(before[first:i])) != (right := math.prod(after[second:j])):
            if left < right and i < len(before):
                i += 1
            elif left > right and j < len(after):
                j += 1
            else:
                break
        if all(size == 1 for size in before[i:]) and j == len(after):
            i = len(before)
        if all(size == 1 for size in after[j:]) and i == len(before):
            j = len(after)
        yield slice(first, i), slice(second, j)
    if i < len(before) or j < len(after):
        yield slice(i, len(before)), slice(j, len(after))
