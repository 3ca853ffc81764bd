"""The tensors of a file: their keys and shapes, and each array when it is asked for."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

Shape = tuple[int, ...]


@dataclass(frozen=True)
class Tensors:
    """The tensors of a checkpoint by key.

    `read` gives the array of a key, of that shape, without a copy where the file can be mapped.
    With `pads_shapes`, shapes may have further ones around them, as old Caffe writes four
    dimensions. `groups` are the keys by layer, where a file has its layers in an order that says
    which is which.
    """

    file: str
    shapes: Mapping[str, Shape]
    read: Callable[[str], np.ndarray]
    pads_shapes: bool = False
    groups: Sequence[Sequence[str]] = ()

    def fits(self, key: str, shape: Shape) -> bool:
        """Whether a tensor has a shape."""
        own = self.shapes[key]
        return own == shape or (self.pads_shapes and _inner(own) == _inner(shape))


def _inner(shape: Shape) -> Shape:
    """A shape without the ones around it."""
    wide = [axis for axis, size in enumerate(shape) if size != 1]
    return shape[wide[0] : wide[-1] + 1] if wide else ()
