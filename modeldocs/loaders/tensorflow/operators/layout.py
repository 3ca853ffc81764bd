"""The layout of images, and the pads of a padding strategy."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import onnx_ir as ir

from modeldocs.ir import Dim
from modeldocs.loaders.dims import Dims
from modeldocs.loaders.emission import layouts
from modeldocs.loaders.emission.windows import same
from modeldocs.loaders.tensorflow.operation import TensorFlowOperation, UnsupportedError

_FORMATS = ("NHWC", "NDHWC", "NCHW", "NCDHW", "NWC", "NCW")


@dataclass(frozen=True)
class ImageLayout:
    """The axes of an operation's images: the channels at axis 1, as ONNX has them, or last."""

    op: TensorFlowOperation
    rank: int
    channels: int

    @property
    def order(self) -> list[int]:
        """The axes in the order of ONNX: batch, channels, then the spatial ones."""
        return layouts.channels_first(self.rank, self.channels)

    def first(self, value: ir.Value) -> ir.Value:
        """The value with its channels at axis 1."""
        return self.op.transpose(value, self.order)

    def result(self, value: ir.Value) -> list[ir.Value]:
        """The output of the operation's main ONNX node, in this layout again."""
        return [self.op.transpose(self.op.set_main(value), layouts.inverse(self.order))]

    def shape(self, shape: Sequence[Dim]) -> Dims:
        """A shape of this layout with its channels at axis 1."""
        return layouts.permuted(shape, self.order)

    def spatial(self, numbers: Sequence[int], what: str) -> list[int]:
        """A setting's numbers along the spatial axes; batch and channels must have 1.

        Raises:
            UnsupportedError: they do not, or a number is out of range.
        """
        if len(numbers) != self.rank:
            raise UnsupportedError(f"has {what} for {len(numbers)} axes of {self.rank}")
        batch, channels, *spatial = layouts.permuted(numbers, self.order)
        if batch != 1 or channels != 1:
            raise UnsupportedError(f"has {what} over the batch or the channels")
        if min(spatial, default=1) < 1 or max(spatial, default=1) >= 2**31:
            raise UnsupportedError(f"has {what} below 1")
        return spatial

    def strides_and_dilations(self) -> tuple[list[int], list[int]]:
        """Strides and dilations of a convolution along the spatial axes."""
        strides = self.spatial(self.op.list_attribute("strides"), "strides")
        dilations = self.op.list_attribute("dilations") or [1] * self.rank
        return strides, self.spatial(dilations, "dilations")

    def pads(
        self,
        sizes: Sequence[Dim],
        kernel: Sequence[int],
        strides: Sequence[int],
        dilations: Sequence[int],
    ) -> dict[str, Any]:
        """The pads of the operation's strategy as ONNX attributes.

        They are numbers, or `auto_pad` where the strategy is SAME and a size is open.

        Raises:
            UnsupportedError: the strategy is unknown, or does not fit the images.
        """
        self.op.padding = self.op.attribute("padding")
        strategy = self.op.attribute("padding", "VALID")
        if strategy == "VALID":
            return {"pads": [0] * (2 * len(kernel))}
        if strategy == "EXPLICIT":
            return {"pads": self._explicit_pads()}
        if strategy != "SAME":
            raise UnsupportedError(f"has the padding {strategy!r}")
        known = [size for size in sizes if isinstance(size, int)]
        if len(known) != len(sizes):
            return {"auto_pad": "SAME_UPPER"}
        return {"pads": same(known, kernel, strides, dilations)}

    def _explicit_pads(self) -> list[int]:
        pads = self.op.list_attribute("explicit_paddings")
        if len(pads) != 2 * self.rank or min(pads) < 0:
            raise UnsupportedError("has explicit pads that do not fit its input")
        axes = self.order[2:]
        return [*(pads[2 * axis] for axis in axes), *(pads[2 * axis + 1] for axis in axes)]


def layout_of(op: TensorFlowOperation, slot: int = 0) -> ImageLayout:
    """The layout of the images in a slot, which the attribute `data_format` names.

    Raises:
        UnsupportedError: the format is for some processors alone, or the rank does not fit.
    """
    data_format = op.attribute("data_format", "NHWC")
    rank = len(op.shape(slot))
    if not isinstance(data_format, str) or data_format not in _FORMATS:
        raise UnsupportedError(f"has the layout {data_format!r}")
    if rank < 3:
        raise UnsupportedError("reads a tensor that is no image")
    return ImageLayout(op, rank, rank - 1 if data_format.endswith("C") else 1)
