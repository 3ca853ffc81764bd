"""Emitters of resizing, and of operators that exchange space for channels or batch."""

from __future__ import annotations

import math
from itertools import chain

from modeldocs.loaders.dims import Dims
from modeldocs.loaders.emission import cutting
from modeldocs.loaders.tensorflow.operation import (
    Outputs,
    TensorFlowOperation,
    UnsupportedError,
    emits,
)
from modeldocs.loaders.tensorflow.operators.layout import layout_of

_UNKNOWN = "reads a tensor of which the shape"


@emits("ResizeBilinear", "ResizeNearestNeighbor")
def resize(op: TensorFlowOperation) -> Outputs:
    """Resize to a size; two attributes set how its pixels map to those of the input."""
    layout = layout_of(op)
    aligned, half = op.flag("align_corners"), op.flag("half_pixel_centers")
    nearest = op.kind == "ResizeNearestNeighbor"
    rounding = "round_prefer_ceil" if aligned or half else "floor"
    spatial = op.integers(op.numbers(1))
    image = op.cast(layout.first(op.input(0)), op.output_dtype())
    kept = _known(layout.shape(op.output_shape())[:2], "has a batch or channels of which the size")
    sizes = op.node("Concat", [op.integers(kept), spatial], axis=0)
    value = op.node(
        "Resize",
        [image, None, None, sizes],
        coordinate_transformation_mode=(
            "align_corners" if aligned else "half_pixel" if half else "asymmetric"
        ),
        mode="nearest" if nearest else "linear",
        nearest_mode=rounding if nearest else None,
    )
    return layout.result(value)


@emits("DepthToSpace", "SpaceToDepth")
def depth(op: TensorFlowOperation) -> Outputs:
    """DepthToSpace or SpaceToDepth; a block's channels are adjacent in both."""
    layout, operator = layout_of(op), op.kind
    block = int(op.attribute("block_size", 0))
    mode = "DCR" if operator == "DepthToSpace" else None
    return layout.result(op.node(operator, [layout.first(op.input(0))], blocksize=block, mode=mode))


@emits("SpaceToBatchND")
def space_to_batch(op: TensorFlowOperation) -> Outputs:
    """Pad, then move the positions within each block to the batch."""
    shape, block = _known(op.shape(0), _UNKNOWN), op.numbers(1)
    pads = op.static(2).reshape(-1, 2)
    begins, ends = [0] * len(shape), [0] * len(shape)
    for axis, (begin, end) in enumerate(pads.tolist(), start=1):
        begins[axis], ends[axis] = int(begin), int(end)
    padded = [a + size + b for a, size, b in zip(begins, shape, ends, strict=True)]
    value = op.node("Pad", [op.input(0), op.integers(begins + ends)])
    count, rest = len(block), padded[1 + len(block) :]
    split = [padded[0]]
    for size, step in zip(padded[1:], block, strict=False):
        split += [size // step, step]
    value = op.reshape(value, [*split, *rest])
    steps, blocks = range(2, 2 * count + 1, 2), range(1, 2 * count, 2)
    order = (*steps, 0, *blocks, *range(2 * count + 1, 2 * count + 1 + len(rest)))
    value = op.transpose(value, order)
    return [op.reshape(value, _known(op.output_shape(), _UNKNOWN))]


@emits("BatchToSpaceND")
def batch_to_space(op: TensorFlowOperation) -> Outputs:
    """Move the positions within each block from the batch back, then crop by Slice."""
    shape, block = _known(op.shape(0), _UNKNOWN), op.numbers(1)
    crops = op.static(2).reshape(-1, 2).tolist()
    count, rest = len(block), shape[1 + len(block) :]
    batch = shape[0] // math.prod(block)
    value = op.reshape(op.input(0), [*block, batch, *shape[1:]])
    pairs = chain.from_iterable((count + 1 + axis, axis) for axis in range(count))
    order = (count, *pairs, *range(2 * count + 1, 2 * count + 1 + len(rest)))
    value = op.transpose(value, order)
    whole = [size * step for size, step in zip(shape[1:], block, strict=False)]
    value = op.reshape(value, [batch, *whole, *rest])
    begins = [int(begin) for begin, _ in crops]
    ends = [size - int(end) for size, (_, end) in zip(whole, crops, strict=True)]
    return [cutting.cut(op, value, range(1, count + 1), begins, ends)]


def _known(shape: Dims, subject: str) -> list[int]:
    """The sizes of a shape.

    Raises:
        UnsupportedError: one is not known.
    """
    sizes = [size for size in shape if isinstance(size, int)]
    if len(sizes) != len(shape):
        raise UnsupportedError(f"{subject} is not known")
    return sizes
