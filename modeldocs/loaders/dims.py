"""Dimensions of tensors, which may be known in part."""

from __future__ import annotations

from collections.abc import Sequence

from modeldocs.graph import Dim

Dims = tuple[Dim, ...]
"""Dimensions: a number, the name of a symbolic one, or None where it is not known."""

MAX_RANK = 32
"""More dimensions than this no framework has."""


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


def said(shape: Sequence[Dim]) -> str:
    """A shape as a message tells it: `1×3×224×224`."""
    return "×".join("?" if dim is None else str(dim) for dim in shape) or "a scalar"
