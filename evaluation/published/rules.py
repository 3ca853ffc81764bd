"""Rules by which the weights of one network are carried into another: names, and few operations.

A rule takes all arrays by name and gives all arrays by name. No rule sees a graph: names and
numbers are those of the two frameworks.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Final

import numpy as np

Arrays = dict[str, np.ndarray]
Rule = Callable[[Arrays], Arrays]


def renamed(*patterns: tuple[str, str]) -> Rule:
    """Each name with all substitutions made in their order.

    Raises:
        ValueError: two weights get one name.
    """

    def rule(arrays: Arrays) -> Arrays:
        found: Arrays = {}
        for name, array in arrays.items():
            new = name
            for pattern, replacement in patterns:
                new = re.sub(pattern, replacement, new)
            if new in found:
                raise ValueError(f"two weights are called {new}")
            found[new] = array
        return found

    return rule


def changed(pattern: str, change: Callable[[np.ndarray], np.ndarray]) -> Rule:
    """Weights whose name has a pattern, changed."""

    def rule(arrays: Arrays) -> Arrays:
        return {
            name: change(array) if re.search(pattern, name) else array
            for name, array in arrays.items()
        }

    return rule


def split(pattern: str, *names: str, axis: int = 0, sizes: Sequence[int] = ()) -> Rule:
    """Weights cut into pieces, equal if no sizes are given; names are templates of the match."""

    def rule(arrays: Arrays) -> Arrays:
        found: Arrays = {}
        for name, array in arrays.items():
            match = re.search(pattern, name)
            if match is None:
                found[name] = array
                continue
            places = np.cumsum(sizes)[:-1] if sizes else len(names)
            pieces = np.split(array, places, axis)
            found |= {match.expand(one): piece for one, piece in zip(names, pieces, strict=True)}
        return found

    return rule


def joined(pattern: str, name: str, order: Sequence[str], axis: int = 0) -> Rule:
    """Weights put together: the group `part` of the match says which piece of `order` one is.

    Raises:
        KeyError: a piece is missing.
    """

    def rule(arrays: Arrays) -> Arrays:
        found: Arrays = {}
        pieces: dict[str, Arrays] = {}
        for own, array in arrays.items():
            match = re.search(pattern, own)
            if match is None:
                found[own] = array
            else:
                pieces.setdefault(match.expand(name), {})[match["part"]] = array
        for whole, parts in pieces.items():
            found[whole] = np.concatenate([parts[one] for one in order], axis)
        return found

    return rule


def dropped(pattern: str) -> Rule:
    """Without the weights that have a pattern: those that the other network has no place for."""

    def rule(arrays: Arrays) -> Arrays:
        return {name: array for name, array in arrays.items() if not re.search(pattern, name)}

    return rule


def copied(pattern: str, *names: str) -> Rule:
    """Weights that the other network has several times; names are templates of the match."""

    def rule(arrays: Arrays) -> Arrays:
        found: Arrays = {}
        for name, array in arrays.items():
            match = re.search(pattern, name)
            found |= {match.expand(one): array for one in names} if match else {name: array}
        return found

    return rule


def transposed(pattern: str, *axes: int) -> Rule:
    """Weights with their axes in another order, the reverse where none is given."""
    return changed(pattern, lambda array: np.transpose(array, axes or None))


def reshaped(pattern: str, *shape: int) -> Rule:
    """Weights in another shape."""
    return changed(pattern, lambda array: array.reshape(shape))


def interleaved(pattern: str, heads: int) -> Rule:
    """Rows of each head, first halves then second halves, as pairs: the two ways to hold rotary
    positions.
    """

    def change(array: np.ndarray) -> np.ndarray:
        halves = array.reshape(heads, 2, -1, *array.shape[1:])
        return np.swapaxes(halves, 1, 2).reshape(array.shape)

    return changed(pattern, change)


def halved(pattern: str, heads: int) -> Rule:
    """Rows of each head in pairs, as first halves then second halves: `interleaved`, undone."""

    def change(array: np.ndarray) -> np.ndarray:
        pairs = array.reshape(heads, -1, 2, *array.shape[1:])
        return np.swapaxes(pairs, 1, 2).reshape(array.shape)

    return changed(pattern, change)


def weight_normed(length: str, direction: str, name: str, axis: int = 0) -> Rule:
    """Weights held as a length and a direction, as one: both patterns have the name's groups."""

    def rule(arrays: Arrays) -> Arrays:
        found: Arrays = {}
        for own, array in arrays.items():
            match = re.search(direction, own)
            if match is None:
                if re.search(length, own) is None:
                    found[own] = array
                continue
            whole = match.expand(name)
            (other,) = (
                arrays[one]
                for one in arrays
                if (is_length := re.search(length, one)) and is_length.expand(name) == whole
            )
            others = tuple(place for place in range(array.ndim) if place != axis)
            size = np.sqrt(np.square(array).sum(others, keepdims=True))
            found[whole] = (array * other / size).astype(array.dtype)
        return found

    return rule


SAME_NAMES: Final[tuple[Rule, ...]] = ()
"""No rule at all."""


def zeros(*names: str) -> Rule:
    """Biases of 0 beside weights whose names end so, as long as their first axis."""

    def rule(arrays: Arrays) -> Arrays:
        found = dict(arrays)
        for name, array in arrays.items():
            if name.endswith(tuple(f"{one}.weight" for one in names)):
                found[f"{name[:-6]}bias"] = np.zeros(len(array), np.float32)
        return found

    return rule


def swapped(array: np.ndarray) -> np.ndarray:
    """The second half of the rows before the first."""
    return np.concatenate([*reversed(np.split(array, 2))])


def as_gemm(pattern: str) -> Rule:
    """Weights of a Conv of 1 as those of a Gemm."""
    return changed(pattern, lambda array: array[..., 0, 0])


def applied(rules: Sequence[Rule], arrays: Arrays) -> Arrays:
    """All rules in their order."""
    for rule in rules:
        arrays = rule(arrays)
    return arrays
