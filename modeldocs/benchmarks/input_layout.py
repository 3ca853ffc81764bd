"""The layout of inputs: shapes of images with their channels first, whatever the source has."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

CHANNELS = (1, 3, 4)
"""Numbers of channels that images have."""

Dim = TypeVar("Dim", bound=int | str | None)


def channels_first(shape: Sequence[Dim]) -> tuple[Dim, ...]:
    """The shape of images as NCHW, also where the source has them as NHWC; others as they are."""
    if len(shape) != 4 or shape[1] in CHANNELS or shape[3] not in CHANNELS:
        return tuple(shape)
    batch, height, width, channels = shape
    return batch, channels, height, width
