"""Where an image's channels stand, and the pads that a strategy comes to."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import onnx_ir as ir

from modeldocs.ir import Dim
from modeldocs.loaders.emission.windows import same
from modeldocs.loaders.tensorflow.emission import Dims, Emission, UnsupportedError


@dataclass(frozen=True)
class Layout:
    """The order of the axes of images of some rank: channels last, or first as ONNX has them."""

    rank: int
    channels_last: bool

    @property
    def channels(self) -> int:
        """The axis of the channels."""
        return self.rank - 1 if self.channels_last else 1

    @property
    def spatial(self) -> tuple[int, ...]:
        """The axes of height and width."""
        first = 1 if self.channels_last else 2
        return tuple(range(first, first + self.rank - 2))

    def first(self, emission: Emission, value: ir.Value) -> ir.Value:
        """The value with its channels first."""
        if not self.channels_last:
            return value
        return emission.transpose(value, (0, self.rank - 1, *range(1, self.rank - 1)))

    def back(self, emission: Emission, value: ir.Value) -> ir.Value:
        """A value of ONNX's in this layout again."""
        if not self.channels_last:
            return value
        return emission.transpose(value, (0, *range(2, self.rank), 1))

    def turned(self, shape: Sequence[Dim]) -> Dims:
        """A shape of this layout with its channels first."""
        return (shape[0], shape[self.channels], *(shape[axis] for axis in self.spatial))

    def along(self, numbers: Sequence[int], what: str) -> list[int]:
        """A setting's numbers along height and width; batch and channels must have 1.

        Raises:
            UnsupportedError: they have not.
        """
        if len(numbers) != self.rank:
            raise UnsupportedError(f"has {what} for {len(numbers)} axes of {self.rank}")
        if numbers[0] != 1 or numbers[self.channels] != 1:
            raise UnsupportedError(f"has {what} over the batch or the channels")
        along = [numbers[axis] for axis in self.spatial]
        if min(along, default=1) < 1 or max(along, default=1) >= 2**31:
            raise UnsupportedError(f"has {what} below 1")
        return along


def layout_of(emission: Emission, slot: int = 0) -> Layout:
    """The layout that an operation tells of the images in a slot.

    Raises:
        UnsupportedError: it is one that only some processors have, or the rank does not fit.
    """
    told = emission.attribute("data_format", "NHWC")
    rank = len(emission.shape(slot))
    if not isinstance(told, str) or told not in ("NHWC", "NDHWC", "NCHW", "NCDHW", "NWC", "NCW"):
        raise UnsupportedError(f"has the layout {told!r}")
    if rank < 3:
        raise UnsupportedError("reads a tensor that is no image")
    return Layout(rank, told.endswith("C"))


def pads(
    emission: Emission, layout: Layout, sizes: Sequence[Dim], kernel: Sequence[int],
    strides: Sequence[int], dilations: Sequence[int],
) -> dict[str, Any]:  # fmt: skip
    """The settings of ONNX that a strategy comes to: numbers, or SAME where a size is open.

    SAME pads so that there are ceil(size / stride) windows, the odd pad at the end.

    Raises:
        UnsupportedError: the strategy is none that is known.
    """
    strategy = emission.attribute("padding", "VALID")
    if strategy == "VALID":
        return {"pads": [0] * (2 * len(kernel))}
    if strategy == "EXPLICIT":
        return {"pads": _explicit(emission, layout)}
    if strategy != "SAME":
        raise UnsupportedError(f"has the padding {strategy!r}")
    known = [size for size in sizes if isinstance(size, int)]
    if len(known) != len(sizes):
        return {"auto_pad": "SAME_UPPER"}
    return {"pads": same(known, kernel, strides, dilations)}


def _explicit(emission: Emission, layout: Layout) -> list[int]:
    given = emission.listed("explicit_paddings")
    if len(given) != 2 * layout.rank or min(given) < 0:
        raise UnsupportedError("has explicit pads that do not fit its input")
    return [
        *(given[2 * axis] for axis in layout.spatial),
        *(given[2 * axis + 1] for axis in layout.spatial),
    ]
