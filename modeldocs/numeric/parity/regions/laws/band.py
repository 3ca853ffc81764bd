"""Bands: masks that leave a row of diagonals open, as causal and sliding windows do."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from modeldocs.diff import Law

_LEAST = 3
"""Rows and columns of the smallest mask whose diagonals mean anything."""


@dataclass(frozen=True)
class AttentionBand:
    """Queries see keys from `first` to `last` places ahead; None where that is the table's edge.

    `shape` is the table's, its last two axes queries and keys; `seen` and `hidden` are its values.
    """

    NUMBERS: ClassVar[tuple[str, ...]] = ("first", "last")

    first: int | None
    last: int | None
    shape: tuple[int, ...]
    seen: float
    hidden: float
    dtype: np.dtype[np.generic]

    def array(self) -> np.ndarray:
        """The mask."""
        rows, columns = self.shape[-2:]
        ahead = np.arange(columns)[None, :] - np.arange(rows)[:, None]
        is_open = np.ones((rows, columns), bool)
        if self.first is not None:
            is_open &= ahead >= self.first
        if self.last is not None:
            is_open &= ahead <= self.last
        made = np.where(is_open, self.seen, self.hidden).astype(self.dtype)
        return np.ascontiguousarray(np.broadcast_to(made, self.shape))

    def difference(self, other: AttentionBand) -> Iterator[Law]:
        """Another window, another diagonal, or the mask turned."""
        if (other.first, other.last) == (_turned(self.last), _turned(self.first)):
            yield Law("transposed")
            return
        if self.first != other.first:
            yield Law("window", _width(self.first), _width(other.first))
        if self.last != other.last:
            yield Law("diagonal", _edge(self.last), _edge(other.last))


def band(array: np.ndarray) -> AttentionBand | None:
    """The band that a mask leaves open, which has most of the main diagonal; None for others."""
    if array.ndim < 2 or min(array.shape[-2:]) < _LEAST or array.dtype.kind not in "fbiu":
        return None
    rows, columns = array.shape[-2:]
    flat = array.reshape(-1, rows, columns)
    table = flat[0]
    if not (flat == table).all():
        return None
    values = np.unique(table)
    if len(values) != 2:
        return None
    offsets = range(1 - rows, columns)
    of_diagonal = {k: np.unique(np.diagonal(table, k)) for k in offsets}
    if any(len(found) != 1 for found in of_diagonal.values()):
        return None
    seen = of_diagonal[0][0]
    hidden = values[0] if values[1] == seen else values[1]
    is_open = [k for k in offsets if of_diagonal[k][0] == seen]
    if is_open != list(range(is_open[0], is_open[-1] + 1)):
        return None
    first = None if is_open[0] == offsets[0] else is_open[0]
    last = None if is_open[-1] == offsets[-1] else is_open[-1]
    return AttentionBand(first, last, array.shape, float(seen), float(hidden), array.dtype)


def _turned(edge: int | None) -> int | None:
    return None if edge is None else -edge


def _width(first: int | None) -> str:
    """The number of keys seen, the query's own and those before it."""
    return "none" if first is None else f"{1 - first}"


def _edge(last: int | None) -> str:
    return "none" if last is None else f"{last}"
