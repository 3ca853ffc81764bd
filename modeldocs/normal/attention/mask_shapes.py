"""Shapes of masks whose scores are reshaped before the softmax, as those of image windows are."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from modeldocs.normal import prepare

Dims = tuple[int, ...]
Array = np.ndarray[Any, Any]


def _groups(scores: tuple[int, ...], dims: tuple[int, ...]) -> list[range] | None:
    """The axes of `scores` that each axis of `dims` consists of; None where it splits any."""
    groups, start = [], 0
    for position, dim in enumerate(dims):
        end, size = start, 1
        while end < len(scores) and (size < dim or position == len(dims) - 1):
            size *= scores[end]
            end += 1
        if size != dim:
            return None
        groups.append(range(start, end))
        start = end
    return groups


def broadcast_and_reshaped(
    mask: Sequence[int], scores: tuple[int, ...], dims: tuple[int, ...]
) -> tuple[tuple[int, ...], tuple[int, ...]] | None:
    """The shape to broadcast a mask to, and to reshape it to, where `scores` become `dims`."""
    full = (1,) * (len(scores) - len(mask)) + tuple(mask)
    if len(full) != len(scores):
        return None
    merged = _groups(scores, dims)
    reshaped: list[int] = []
    if merged is not None:
        broadcast = list(full)
        for axes in merged:
            if any(full[axis] != 1 for axis in axes):
                for axis in axes:
                    broadcast[axis] = scores[axis]
            reshaped.append(math.prod(broadcast[axis] for axis in axes))
        return tuple(broadcast), tuple(reshaped)
    split = _groups(dims, scores)
    if split is None:
        return None
    for axis, axes in enumerate(split):
        reshaped.extend(dims[inner] if full[axis] != 1 else 1 for inner in axes)
    return full, tuple(reshaped)


def reshape_constant(
    array: Array, scores: tuple[int, ...] | None, dims: tuple[int, ...] | None
) -> Array | None:
    """A constant mask of `scores`, reshaped as the scores are to `dims`; None where impossible."""
    if scores == dims or scores is None or dims is None:
        return array if scores == dims else None
    shapes = broadcast_and_reshaped(array.shape, scores, dims)
    if shapes is None or math.prod(shapes[0]) > prepare.MAX_FOLDED:
        return None
    return np.broadcast_to(array, shapes[0]).reshape(shapes[1])
