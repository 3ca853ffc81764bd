"""Masks of scores that are reshaped on their way to the softmax, as windows of an image are."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from modeldocs.normal import prepare

Dims = tuple[int, ...]
Array = np.ndarray[Any, Any]


def _groups(scores: tuple[int, ...], dims: tuple[int, ...]) -> list[range] | None:
    """Which axes of scores before they were reshaped are each of those after; None if mixed."""
    made, start = [], 0
    for position, dim in enumerate(dims):
        end, size = start, 1
        while end < len(scores) and (size < dim or position == len(dims) - 1):
            size *= scores[end]
            end += 1
        if size != dim:
            return None
        made.append(range(start, end))
        start = end
    return made


def shapes(
    mask: Sequence[int], scores: tuple[int, ...], dims: tuple[int, ...]
) -> tuple[tuple[int, ...], tuple[int, ...]] | None:
    """What a mask is spread over to be reshaped as the scores are, and the shape that it gets."""
    full = (1,) * (len(scores) - len(mask)) + tuple(mask)
    if len(full) != len(scores):
        return None
    joined = _groups(scores, dims)
    if joined is not None:
        wide, made = list(full), []
        for axes in joined:
            held = [full[axis] for axis in axes]
            if any(dim != 1 for dim in held):
                for axis in axes:
                    wide[axis] = scores[axis]
            made.append(math.prod(wide[axis] for axis in axes))
        return tuple(wide), tuple(made)
    apart = _groups(dims, scores)
    if apart is None:
        return None
    made = []
    for axis, axes in enumerate(apart):
        made.extend(dims[inner] if full[axis] != 1 else 1 for inner in axes)
    return full, tuple(made)


def reshaped(
    array: Array, scores: tuple[int, ...] | None, dims: tuple[int, ...] | None
) -> Array | None:
    """A constant mask of scores before they were reshaped, as one of those after."""
    if scores == dims or scores is None or dims is None:
        return array if scores == dims else None
    told = shapes(array.shape, scores, dims)
    if told is None or math.prod(told[0]) > prepare.MAX_FOLDED:
        return None
    return np.broadcast_to(array, told[0]).reshape(told[1])
