"""Masks of shifted windows: an image was rolled, and tokens of parts that are apart do not see
each other.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from modeldocs.diff import Law

Pair = tuple[int, int]
"""A number for rows, and one for columns."""


@dataclass(frozen=True)
class ShiftedWindows:
    """By window: which of its tokens see each other.

    `grid` are windows in the image, `window` tokens in a window, `shift` tokens by which the image
    was rolled. `shape` is the table's; `seen` and `hidden` are its values.
    """

    NUMBERS: ClassVar[tuple[str, ...]] = ("window", "shift")

    grid: Pair
    window: Pair
    shift: Pair
    shape: tuple[int, ...]
    seen: float
    hidden: float
    dtype: np.dtype[np.generic]

    def array(self) -> np.ndarray:
        """The mask."""
        made = np.where(self.apart(), self.hidden, self.seen)
        return made.astype(self.dtype).reshape(self.shape)

    def apart(self) -> np.ndarray:
        """By window: which of its tokens do not see each other, tokens x tokens."""
        rows, columns = (
            _parts(*sizes) for sizes in zip(self.grid, self.window, self.shift, strict=True)
        )
        labels = rows[:, None, :, None] * 3 + columns[None, :, None, :]
        labels = labels.reshape(-1, self.window[0] * self.window[1])
        differs: np.ndarray = labels[:, :, None] != labels[:, None, :]
        return differs

    def difference(self, other: ShiftedWindows) -> Iterator[Law]:
        """Another size of windows, or another shift."""
        for name in self.NUMBERS:
            ours, theirs = getattr(self, name), getattr(other, name)
            if ours != theirs:
                yield Law(f"{name} of windows", _text(ours), _text(theirs))


def shifted_windows(array: np.ndarray) -> ShiftedWindows | None:
    """The windows of a mask whose last two axes are tokens; None for others."""
    if array.ndim < 3 or array.shape[-1] != array.shape[-2] or array.dtype.kind not in "fbiu":
        return None
    tokens = array.shape[-1]
    flat = array.reshape(-1, tokens, tokens)
    values = np.unique(flat)
    if len(values) != 2:
        return None
    seen = flat[0, 0, 0]
    hidden = values[0] if values[1] == seen else values[1]
    apart = flat != seen
    for grid, window in itertools.product(_factors(len(flat)), _factors(tokens)):
        shift = _shift(window, apart[-1])
        made = ShiftedWindows(
            grid, window, shift, array.shape, float(seen), float(hidden), array.dtype
        )
        if np.array_equal(made.apart(), apart):
            return made
    return None


def _shift(window: Pair, apart: np.ndarray) -> Pair:
    """The shift by what the first token of the last window sees along both axes."""
    sees = ~apart[0].reshape(window)
    return window[0] - int(sees[:, 0].sum()), window[1] - int(sees[0].sum())


def _parts(count: int, size: int, shift: int) -> np.ndarray:
    """The part of the image that each place along an axis comes from, windows x places."""
    places = np.arange(count * size)
    before = places >= (count - 1) * size
    return (before.astype(int) + (places >= count * size - shift)).reshape(count, size)


def _factors(number: int) -> list[Pair]:
    """Two numbers whose product it is, those that are alike first."""
    pairs = [(one, number // one) for one in range(1, number + 1) if number % one == 0]
    return sorted(pairs, key=lambda pair: abs(pair[0] - pair[1]))


def _text(pair: Pair) -> str:
    return "×".join(map(str, pair)) if pair[0] != pair[1] else str(pair[0])
