"""Dimensions of tensors, which may be known in part."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from modeldocs.ir import Dim

Dims = tuple[Dim, ...]
"""Dimensions: a number, the name of a symbolic one, or None where it is not known."""

MAX_RANK = 32
"""More dimensions than this no framework has."""

MAX_ELEMENTS = 2**40
"""More elements than any tensor that a machine holds: sizes beyond it are taken as broken."""


class UnknownShapeError(Exception):
    """A layer needs a dimension that is not known; it is then drawn without looking inside."""


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
    """How many values the dimensions hold; None where that is not known."""
    count = math.prod(dim for dim in dims if isinstance(dim, int))
    others = [dim for dim in dims if not isinstance(dim, int)]
    if not others:
        return count
    return others[0] if len(others) == 1 and count == 1 else None


def is_absurd(dims: Sequence[Dim], most: int = MAX_ELEMENTS) -> bool:
    """Whether the known dimensions are of no tensor, or of one of more elements than `most`."""
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
    """What is known of one shape that was told twice; None where the two contradict each other."""
    if len(first) != len(second):
        return None
    made: list[Dim] = []
    for one, other in zip(first, second, strict=True):
        if isinstance(one, int) and isinstance(other, int) and one != other:
            return None
        made.append(one if isinstance(one, int) or not isinstance(other, int) else other)
    return tuple(made)


def each(measure: Callable[[Sequence[int]], Sequence[int]], dims: Sequence[Dim]) -> Dims:
    """What a measure makes of each dimension; of one that is not known, None."""
    made = measure([dim if isinstance(dim, int) else 1 for dim in dims])
    known = (isinstance(dim, int) for dim in dims)
    return tuple(size if told else None for size, told in zip(made, known, strict=True))


def said(shape: Sequence[Dim]) -> str:
    """A shape as a message tells it: `1×3×224×224`."""
    return "×".join("?" if dim is None else str(dim) for dim in shape) or "a scalar"
