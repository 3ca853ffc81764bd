"""Orders of axes: where the channels are, and the way back."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

T = TypeVar("T")


def channels_first(rank: int, axis: int = -1) -> list[int]:
    """The order of axes that puts the channels, which are at `axis`, behind the batch."""
    channels = axis % rank
    others = [other for other in range(rank) if other != channels]
    return [*others[:1], channels, *others[1:]]


def axes_last(rank: int, axes: Sequence[int]) -> list[int]:
    """The order that puts some axes last."""
    return [*(axis for axis in range(rank) if axis not in axes), *axes]


def matrices_turned(rank: int) -> list[int]:
    """The order that transposes the matrices in the last two axes."""
    return [*range(rank - 2), rank - 1, rank - 2]


def inverse(order: Sequence[int]) -> list[int]:
    """The order of axes that undoes another."""
    return [list(order).index(axis) for axis in range(len(order))]


def permuted(shape: Sequence[T], order: Sequence[int]) -> tuple[T, ...]:
    """The dimensions in another order."""
    return tuple(shape[axis] for axis in order)
