"""Dimensions of tensors, some of which may be unknown."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from modeldocs.ir import Dim

Dims = tuple[Dim, ...]
"""Dimensions: each a number, the name of a symbolic one, or None where it is not known."""

MAX_RANK = 32
"""Most dimensions of a tensor in any framework."""

MAX_ELEMENTS = 2**40
"""Most elements of a tensor; a larger size is taken as an error in the file."""


class UnknownShapeError(Exception):
    """A layer needs a dimension that is not known; it is then shown as one opaque node."""


def sizes(dims: Sequence[Dim]) -> tuple[int, ...]:
    """The dimensions as numbers.

    Raises:
        UnknownShapeError: one of them is not known.
    """
    known = tuple(dim for dim in dims if isinstance(dim, int))
    if len(known) != len(dims):
        raise UnknownShapeError
    return known


def are_known(dims: Sequence[Dim]) -> bool:
    """Whether every dimension is a number."""
    return all(isinstance(dim, int) for dim in dims)


def product(dims: Sequence[Dim]) -> Dim:
    """Number of elements; the name of a symbolic dimension, or None, where it is not known."""
    count = math.prod(dim for dim in dims if isinstance(dim, int))
    others = [dim for dim in dims if not isinstance(dim, int)]
    if not others:
        return count
    return others[0] if len(others) == 1 and count == 1 else None


def is_absurd(dims: Sequence[Dim], most: int = MAX_ELEMENTS) -> bool:
    """Whether a known dimension is negative, or they have more than `most` elements together."""
    known = [dim for dim in dims if isinstance(dim, int)]
    return any(dim < 0 for dim in known) or math.prod(dim or 1 for dim in known) > most


def impossibility(dims: Sequence[Dim]) -> str:
    """Why no tensor of a framework has these dimensions; empty where one may have them."""
    known = [dim for dim in dims if isinstance(dim, int)]
    if len(dims) > MAX_RANK:
        return f"more than {MAX_RANK} dimensions"
    if any(dim < 1 for dim in known):
        return "a size below 1"
    return "2³¹ values or more" if math.prod(known) >= 2**31 else ""


def joined(first: Dims, second: Dims) -> Dims | None:
    """Two statements of one shape, merged; None where they contradict each other."""
    if len(first) != len(second):
        return None
    merged: list[Dim] = []
    for one, other in zip(first, second, strict=True):
        if isinstance(one, int) and isinstance(other, int) and one != other:
            return None
        merged.append(one if isinstance(one, int) or not isinstance(other, int) else other)
    return tuple(merged)


def each(function: Callable[[Sequence[int]], Sequence[int]], dims: Sequence[Dim]) -> Dims:
    """A function of sizes applied to the dimensions; None for those that are not known."""
    results = function([dim if isinstance(dim, int) else 1 for dim in dims])
    known = (isinstance(dim, int) for dim in dims)
    return tuple(size if is_known else None for size, is_known in zip(results, known, strict=True))


def as_text(shape: Sequence[Dim]) -> str:
    """A shape as text: `1×3×224×224`."""
    return "×".join("?" if dim is None else str(dim) for dim in shape) or "a scalar"
