"""Tables of integers that grow by a step along each axis, where axes may be several in one.

The places of relative positions in windows of images are such tables: of 49 x 49 for windows of
7 x 7, each axis is two of 7.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from modeldocs.generators.network import Array


@dataclass(frozen=True)
class Grid:
    """Integers that start at `first` and grow by `steps` along axes of `sizes`, outer first."""

    sizes: tuple[int, ...]
    steps: tuple[int, ...]
    first: int

    def array(self) -> Array:
        """The integers, an axis for each size."""
        axes = [step * np.arange(size) for size, step in zip(self.sizes, self.steps, strict=True)]
        total: Array = np.add.reduce(np.meshgrid(*axes, indexing="ij"))
        return self.first + total


def grid_of(array: Array) -> Grid | None:
    """The law of a table of integers; None where it follows none."""
    if array.dtype.kind not in "iu" or array.ndim == 0 or 0 in array.shape:
        return None
    sizes: list[int] = []
    steps: list[int] = []
    for axis in range(array.ndim):
        for size, step in _digits(np.moveaxis(array, axis, -1).reshape(-1, array.shape[axis])[0]):
            sizes.append(size)
            steps.append(step)
    found = Grid(tuple(sizes), tuple(steps), int(array.reshape(-1)[0]))
    if math.prod(found.sizes) != array.size:
        return None
    return found if np.array_equal(found.array().reshape(array.shape), array) else None


def _digits(line: Array) -> list[tuple[int, int]]:
    """An axis as several: the size and step of each, the outermost first.

    The innermost is as long as the numbers grow by the same.
    """
    values = line.astype(np.int64)
    found: list[tuple[int, int]] = []
    while len(values) > 1:
        growth = np.diff(values)
        other = np.flatnonzero(growth != growth[0])
        size = int(other[0]) + 1 if other.size else len(values)
        if len(values) % size:
            break
        found.append((size, int(growth[0])))
        values = values[::size]
    return found[::-1] or [(len(values), 0)]
