"""Turns: tables of sines or cosines of positions by speeds that fall geometrically, as rotary and
sinusoidal positions have them.

Each column k is `f(step · base^(-k/n) · (row + first))`, n columns of different speeds. Speeds are
found by the recurrence `f(p+1) + f(p-1) = 2·cos(speed)·f(p)`, which holds for either function and
any first position; the rest by least squares over the whole table.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from modeldocs.diff import Law
from modeldocs.numeric.parity.regions.laws.law import same, step

_LEAST = 4
"""Positions of the smallest table."""
_SLOWEST = 0.02
"""Speed below which a column of float32 hardly shows it."""
_TOLERANCE = 1e-5
_PER_POSITION = 1e-6
"""Errors of values in float32: the angle's grows with the position."""
_FUNCTIONS = {"cos": (1.0, 0.0), "sin": (1.0, -0.5), "-sin": (-1.0, -0.5), "-cos": (-1.0, 0.0)}
"""Each function as a factor times a cosine with a phase, in units of pi."""


@dataclass(frozen=True)
class Turns:
    """A table of one function. `columns` is how its speeds are laid out: `once`, `tiled` (all of
    them, then all again) or `repeated` (each twice); `turned` is whether positions are its columns.
    """

    NUMBERS: ClassVar[tuple[str, ...]] = ("base", "step", "first", "function")

    base: float
    step: float
    first: float
    function: str
    rows: int
    speeds: int
    columns: str
    turned: bool
    shape: tuple[int, ...]
    dtype: np.dtype[np.generic]

    def array(self) -> np.ndarray:
        """The table."""
        logs = math.log(self.step), -math.log(self.base) / self.speeds
        made = _values(self.function, *logs, self.first, (self.rows, self.speeds))
        if self.columns == "tiled":
            made = np.tile(made, 2)
        elif self.columns == "repeated":
            made = np.repeat(made, 2, axis=1)
        made = made.T if self.turned else made
        return np.ascontiguousarray(made.reshape(self.shape), self.dtype)

    def difference(self, other: Turns) -> Iterator[Law]:
        """Another base, step or first position, or another function."""
        names = {"base": "rotary base", "step": "step of positions", "first": "first position"}
        for name, said in names.items():
            before, after = getattr(self, name), getattr(other, name)
            if not same(before, after):
                yield step(said, before, after)
        if self.function != other.function:
            yield Law("function", self.function, other.function)


def turns(array: np.ndarray) -> Turns | None:
    """The law of a table of sines or cosines; None for others."""
    thin = np.squeeze(array)
    if thin.ndim != 2 or array.dtype.kind != "f" or not np.isfinite(thin).all():
        return None
    if np.abs(thin).max() > 1 + _TOLERANCE:
        return None
    for turned in (False, True):
        table = (thin.T if turned else thin).astype(np.float64)
        for columns, held in _layouts(table):
            found = _fitted(held)
            if found is not None:
                function, base, pace, first = found
                rows, speeds = held.shape
                return Turns(
                    base, pace, first, function, rows, speeds, columns, turned, array.shape,
                    array.dtype,
                )  # fmt: skip
    return None


def _layouts(table: np.ndarray) -> Iterator[tuple[str, np.ndarray]]:
    """A table without the repetition of its speeds."""
    half = table.shape[1] // 2
    if table.shape[1] % 2 == 0:
        if np.array_equal(table[:, :half], table[:, half:]):
            yield "tiled", table[:, :half]
            return
        if np.array_equal(table[:, ::2], table[:, 1::2]):
            yield "repeated", table[:, ::2]
            return
    yield "once", table


def _fitted(table: np.ndarray) -> tuple[str, float, float, float] | None:
    """The function, base, step and first position of a table."""
    rows, count = table.shape
    if rows < _LEAST or count < 2:
        return None
    middle = table[1:-1]
    energy = np.maximum((middle**2).sum(0), 1e-12)
    cosines = ((table[2:] + table[:-2]) * middle).sum(0) / (2 * energy)
    speeds = np.arccos(np.clip(cosines, -1, 1))
    if min(speeds[:2]) < _SLOWEST or speeds[1] >= speeds[0]:
        return None
    start = math.log(speeds[0]), math.log(speeds[1] / speeds[0])
    from scipy import optimize  # slow to import; it starts threads, which a fork server must not

    bound = _TOLERANCE + rows * _PER_POSITION
    for function, (factor, phase) in _FUNCTIONS.items():
        first = _first_position(table[:, 0] * factor, speeds[0], phase * math.pi)

        def error(numbers: np.ndarray, function: str = function) -> np.ndarray:
            pace, ratio, place = numbers
            return np.ravel(_values(function, pace, ratio, place, (rows, count)) - table)

        guess = np.array([*start, first])
        if np.abs(error(guess)).max() > 0.5:
            continue
        numbers = optimize.least_squares(error, guess, xtol=1e-14, ftol=1e-14).x
        if np.abs(error(numbers)).max() < bound:
            place = round(numbers[2]) if abs(numbers[2] - round(numbers[2])) < 1e-3 else numbers[2]
            pace, ratio = math.exp(numbers[0]), math.exp(numbers[1])
            return function, ratio ** (-count), pace, float(place)
    return None


def _first_position(column: np.ndarray, speed: float, phase: float) -> float:
    """The position of the first row, within one turn: by the column's sine and cosine parts."""
    angles = speed * np.arange(len(column))
    parts = np.stack([np.cos(angles), np.sin(angles)], 1)
    cosine, sine = np.linalg.lstsq(parts, column, rcond=None)[0]
    turn = math.remainder(math.atan2(-sine, cosine) - phase, 2 * math.pi)
    return turn / speed


def _values(
    function: str, log_step: float, log_ratio: float, first: float, shape: tuple[int, int]
) -> np.ndarray:
    rows, count = shape
    factor, phase = _FUNCTIONS[function]
    speeds = np.exp(log_step + log_ratio * np.arange(count))
    angles = (np.arange(rows)[:, None] + first) * speeds + phase * math.pi
    made: np.ndarray = factor * np.cos(angles)
    return made
