"""Arrays recognised as computed from stored weights, by their numbers.

The weights of a network are drawn at random, so that equal numbers are no accident.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from modeldocs.numeric.parity.evaluation import evaluate
from modeldocs.numeric.parity.expression import Expression, concatenate, full, number

Arrays = Mapping[str, np.ndarray]

_ROUNDING = 1e-5
"""Relative error of a factor that was fitted to numbers of 32 bits."""
_TOLERANCE = 1e-4
"""Largest error of a number, relative to the largest of its array."""
_MOST_ROWS = 4096
"""Rows of the longest table in which sums are looked for."""
_LEAST = 3
"""Numbers of the shortest row that is recognised."""

_Row = tuple[tuple[str, int], ...]
"""The rows of weights, by name and number, whose sum a row is; none for zeros."""


class Recognition:
    """Recognises arrays in some weights; `shapes` are the stored weights as expressions."""

    def __init__(self, weights: Arrays, sources: Mapping[str, Expression]) -> None:
        self.sources = sources
        self.weights = {
            name: np.asarray(evaluate(one, weights), np.float64) for name, one in sources.items()
        }
        self._tables: dict[int, dict[tuple[int, ...], list[tuple[str, int]]]] = {}
        self._rows = {
            name: one for name, array in self.weights.items() if (one := _rows(array)).size
        }

    def expression(self, array: np.ndarray) -> Expression | None:
        """An array as an expression of the weights; None where its numbers are not of them."""
        scale = float(np.abs(array).max(initial=0.0))
        if not np.isfinite(scale):
            return None
        if scale == 0:
            return full(array.shape, 0.0)
        return self._of_rows(array, scale) or self._scaled(array, scale)

    def _scaled(self, array: np.ndarray, scale: float) -> Expression | None:
        """The elements of one weight in their order, times a number, plus another."""
        flat = array.reshape(-1)
        for name, weight in self.weights.items():
            if weight.size != flat.size or flat.size < _LEAST or not np.ptp(weight):
                continue
            factor, offset = np.polyfit(weight.reshape(-1), flat, 1)
            if np.abs(factor * weight.reshape(-1) + offset - flat).max() <= _TOLERANCE * scale:
                source = self.sources[name].reshape(array.shape)
                return source * _plain(factor) + _plain(offset)
        return None

    def _of_rows(self, array: np.ndarray, scale: float) -> Expression | None:
        """Rows of weights, or sums of two, one after the other."""
        rows = _rows(array)
        if rows.shape[0] > _MOST_ROWS or rows.shape[1] < _LEAST:
            return None
        found: list[_Row] = []
        for row in rows:
            one = self._row(row, scale, found[-1] if found else ())
            if one is None:
                return None
            found.append(one)
        pieces = [self._piece(run, rows.shape[1]) for run in _runs(found)]
        return concatenate(pieces).reshape(array.shape)

    def _row(self, row: np.ndarray, scale: float, before: _Row) -> _Row | None:
        """The rows of weights that give a row, those behind the rows `before` first."""
        tolerance = _TOLERANCE * scale
        if np.abs(row).max() <= tolerance:
            return ()
        following = tuple((name, number + 1) for name, number in before)
        if following and self._is_sum(row, following, tolerance):
            return following
        for name, rows in self._fitting(row):
            near = np.abs(rows - row).max(axis=1) <= tolerance
            if near.any():
                return ((name, int(near.argmax())),)
        return self._sum(row, tolerance)

    def _sum(self, row: np.ndarray, tolerance: float) -> _Row | None:
        """Two rows of different weights whose sum a row is."""
        tables = [(name, rows) for name, rows in self._fitting(row) if len(rows) <= _MOST_ROWS]
        for place, (name, rows) in enumerate(tables):
            for other, others in tables[place + 1 :]:
                if len(rows) * len(others) > _MOST_ROWS * _LEAST:
                    continue
                sums = rows[:, None] + others[None]
                near = np.abs(sums - row).max(axis=2) <= tolerance
                if near.any():
                    first, second = np.unravel_index(int(near.argmax()), near.shape)
                    return ((name, int(first)), (other, int(second)))
        return None

    def _fitting(self, row: np.ndarray) -> Iterator[tuple[str, np.ndarray]]:
        return ((name, rows) for name, rows in self._rows.items() if rows.shape[1] == len(row))

    def _is_sum(self, row: np.ndarray, parts: _Row, tolerance: float) -> bool:
        if any(number >= len(self._rows[name]) for name, number in parts):
            return False
        total = sum((self._rows[name][number] for name, number in parts), np.zeros(len(row)))
        return bool(np.abs(total - row).max() <= tolerance)

    def _piece(self, run: list[_Row], width: int) -> Expression:
        """Rows that follow each other."""
        if not run[0]:
            return full((len(run), width), 0.0)
        parts = [
            self.sources[name].reshape(self._rows[name].shape).slice(0, start, start + len(run))
            for name, start in run[0]
        ]
        return parts[0] + parts[1] if len(parts) > 1 else parts[0]


def _rows(array: np.ndarray) -> np.ndarray:
    """An array as rows along its last axis of more than one element."""
    sizes = [size for size in array.shape if size > 1]
    return array.reshape(-1, sizes[-1] if sizes else 1)


def _runs(rows: list[_Row]) -> list[list[_Row]]:
    """Rows in runs in which each follows the one before."""
    runs: list[list[_Row]] = []
    for row in rows:
        last = runs[-1][-1] if runs else None
        follows = last is not None and row == tuple((name, place + 1) for name, place in last)
        if follows and bool(row) == bool(last):
            runs[-1].append(row)
        else:
            runs.append([row])
    return runs


def _plain(value: float) -> Expression:
    """A number, without what rounding has left of it: of few digits where it is nearly that."""
    plain = float(f"{value:.4g}")
    return number(plain if abs(plain - value) <= _ROUNDING * abs(value) else value)
