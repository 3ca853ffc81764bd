"""Constants that follow no law of their own, as expressions of smaller ones.

A table of biases by distance is its rows shifted; slopes times distances are a product; positions
in windows are sums over the axes of rows and columns. What is left is written out.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import numpy as np

from modeldocs.generators import syntax
from modeldocs.generators.grids import Grid
from modeldocs.generators.literals import shortest
from modeldocs.generators.network import Array
from modeldocs.generators.tables import TableTemplates, table

_MAX_WRITTEN: Final = 64
"""Values of a constant that are written where it is read."""

_MAX_NESTED: Final = 12
"""Values that are written as nested lists: more are one list, in a shape."""

_MAX_LISTED: Final = 2048
"""Values of a constant that are written as a list of the program."""

_MAX_STACKED: Final = 4
"""Slices of an axis of which each may have a form of its own."""

_HIDDEN: Final = -1e30
"""Numbers below are those of masks."""

_CALCULATED: Final = {"+": np.add, "*": np.multiply}

_TOLERANCE: Final = 1e-6
"""Largest relative error of an expression: that of single precision."""


@dataclass(frozen=True)
class ShortForms:
    """Expressions of constants, of a target's templates; `written` writes a small constant."""

    templates: TableTemplates
    written: Callable[[Array], ast.expr]

    def of(self, array: Array) -> ast.expr | None:
        """A constant as an expression; None where it is too large to be read."""
        if array.size <= _MAX_NESTED:
            return self.written(array)
        if array.size <= _MAX_WRITTEN and array.squeeze().ndim == 1:
            return self._constant_axes(array) or self._listed(array)
        found = table(array, self.templates) if array.size > _MAX_WRITTEN else None
        return found or self._composed(array)

    def _composed(self, array: Array) -> ast.expr | None:
        forms = (
            self._constant_axes,
            self._masked,
            self._by_distance,
            self._by_windows,
            self._separable,
        )
        for form in forms:
            found = form(array)
            if found is not None:
                return found
        return self._stacked(array) or self._listed(array)

    def _constant_axes(self, array: Array) -> ast.expr | None:
        """Axes along which it does not vary are stretched."""
        kept = array
        for axis, size in enumerate(array.shape):
            if size > 1 and bool((array == array.take([0], axis)).all()):
                kept = kept.take([0], axis)
        inner = self.of(kept) if kept.size < array.size else None
        if inner is None:
            return None
        return syntax.expression(self.templates.stretched, x=inner, shape=tuple(array.shape))

    def _masked(self, array: Array) -> ast.expr | None:
        """Numbers of which some are as good as minus infinity: a mask, and what it leaves."""
        if array.dtype.kind != "f" or array.ndim < 2:
            return None
        lowest = array.min()
        seen = array > _HIDDEN
        if lowest > _HIDDEN or not seen.any() or (array[~seen] != lowest).any():
            return None
        columns = np.where(seen, array, -np.inf).max(axis=-2, keepdims=True)
        is_of_columns = bool((array[seen] == np.broadcast_to(columns, array.shape)[seen]).all())
        left = (
            np.where(np.isfinite(columns), columns, 0)
            if is_of_columns
            else np.where(seen, array, 0)
        )
        places, inner = self.of(seen), self.of(left.astype(array.dtype))
        if places is None or inner is None:
            return None
        hidden = shortest(float(lowest))
        return syntax.expression(self.templates.where, places=places, seen=inner, hidden=hidden)

    def _by_distance(self, array: Array) -> ast.expr | None:
        """Values by the distance of row and column, which are its last axes."""
        if array.ndim < 2 or min(array.shape[-2:]) < 2:
            return None
        rows, columns = array.shape[-2:]
        places = Grid((rows, columns), (-1, 1), rows - 1).array()
        line = np.concatenate([array[..., ::-1, 0], array[..., 0, 1:]], axis=-1)
        if not np.array_equal(line[..., places], array):
            return None
        inner, found = self.of(line), table(places, self.templates)
        if inner is None or found is None:
            return None
        return syntax.expression(self.templates.gathered, x=inner, places=found)

    def _by_windows(self, array: Array) -> ast.expr | None:
        """Places of a window: a value for their rows plus one for their columns."""
        side = math.isqrt(array.shape[-1]) if array.ndim == 2 else 0
        if side < 2 or array.shape != (side**2, side**2) or not _is_finite(array):
            return None
        whole = array.reshape(side, side, side, side)
        rows, columns = whole[:, :1, :, :1], whole[:1, :, :1, :]
        return self._calculated("+", array, rows - rows[:1, :, :1, :], columns, whole.shape)

    def _separable(self, array: Array) -> ast.expr | None:
        """A product or a sum of what varies along one axis and what varies along the others."""
        if not _is_finite(array):
            return None
        for axis in range(array.ndim):
            if not 1 < array.shape[axis] < array.size:
                continue
            found = self._product(array, axis)
            first = array.take([0], axis)
            along = np.moveaxis(array, axis, 0).reshape(array.shape[axis], -1)[:, 0]
            sizes = tuple(-1 if one == axis else 1 for one in range(array.ndim))
            rest = (along - along[0]).reshape(sizes)
            found = found or self._calculated("+", array, rest, first, array.shape)
            if found is not None:
                return found
        return None

    def _product(self, array: Array, axis: int) -> ast.expr | None:
        slices = np.moveaxis(array, axis, 0).reshape(array.shape[axis], -1).astype(np.float64)
        if array.dtype.kind != "f" or not slices.any():
            return None
        largest = slices[np.abs(slices).max(axis=1).argmax()]
        unit = np.abs(largest[largest != 0]).min()
        rest = _rounded(largest / unit)
        factors = slices @ rest / (rest @ rest)
        shape = tuple(-1 if one == axis else 1 for one in range(array.ndim))
        others = (*array.shape[:axis], 1, *array.shape[axis + 1 :])
        pair = factors.astype(array.dtype).reshape(shape), rest.astype(array.dtype).reshape(others)
        return self._calculated("*", array, *pair, array.shape)

    def _calculated(
        self, symbol: str, array: Array, first: Array, second: Array, shape: tuple[int, ...]
    ) -> ast.expr | None:
        """A constant calculated of two that are smaller, in a shape that is then its own."""
        made = _CALCULATED[symbol](first, second)
        if not _equal(made.reshape(array.shape), array) or first.size + second.size >= array.size:
            return None
        left, right = self.of(first), self.of(second)
        if left is None or right is None:
            return None
        both = syntax.expression(f"x {symbol} y", x=left, y=right)
        if shape == array.shape:
            return both
        return syntax.expression(self.templates.reshaped, x=both, shape=tuple(array.shape))

    def _stacked(self, array: Array) -> ast.expr | None:
        """Slices along the last axis, each of a form of its own that is not a list."""
        count = array.shape[-1]
        if array.ndim < 2 or not 1 < count <= _MAX_STACKED:
            return None
        parts = [self._constant_axes(array[..., place]) for place in range(count)]
        known = [part for part in parts if part is not None]
        if len(known) < count:
            return None
        return syntax.expression(self.templates.stacked, parts=ast.List(elts=known, ctx=ast.Load()))

    def _listed(self, array: Array) -> ast.expr | None:
        """All values, in one list."""
        if array.size > _MAX_LISTED or not (array.dtype == np.bool_ or _is_finite(array)):
            return None
        flat = self.written(array.reshape(-1))
        if array.ndim == 1:
            return flat
        return syntax.expression(self.templates.reshaped, x=flat, shape=tuple(array.shape))


def _is_finite(array: Array) -> bool:
    """Whether an array has numbers, all of them finite."""
    return array.dtype.kind in "fiu" and bool(np.isfinite(array).all())


def _equal(made: Array, array: Array) -> bool:
    """Whether two arrays are equal, in single precision where they are not integers."""
    if array.dtype.kind != "f":
        return np.array_equal(made, array)
    scale = float(np.abs(array).max())
    return bool(np.abs(made.astype(np.float64) - array).max() <= _TOLERANCE * scale)


def _rounded(numbers: Array) -> Array:
    """Numbers that are nearly whole, as whole ones."""
    whole = np.round(numbers)
    return whole + 0.0 if _equal(whole, numbers) else numbers  # no -0
