"""Images resized, and space exchanged for channels or batch."""

from __future__ import annotations

import math

import onnx_ir as ir

from modeldocs.loaders.emission import cutting
from modeldocs.loaders.tensorflow.emission import Emission, Results, UnsupportedError, emits
from modeldocs.loaders.tensorflow.operators.layout import layout_of


@emits("ResizeBilinear", "ResizeNearestNeighbor")
def resize(emission: Emission) -> Results:
    """Resize to a size; where an output's place lies in the input is told in three ways."""
    layout = layout_of(emission)
    aligned = bool(emission.attribute("align_corners", False))
    half = bool(emission.attribute("half_pixel_centers", False))
    mode = "align_corners" if aligned else "half_pixel" if half else "asymmetric"
    nearest = emission.operation.kind == "ResizeNearestNeighbor"
    rounding = "round_prefer_ceil" if aligned or half else "floor"
    sizes = emission.integers(emission.numbers(1))
    value = emission.cast(layout.first(emission, emission.value(0)), emission.made_dtype())
    turned = layout.turned(emission.made_shape())
    kept = [size for size in turned[:2] if isinstance(size, int)]
    if len(kept) != 2:
        raise UnsupportedError("has a batch or channels of which the size is not known")
    whole = emission.node("Concat", [emission.integers(kept), sizes], axis=0)
    made = emission.node(
        "Resize",
        [value, None, None, whole],
        coordinate_transformation_mode=mode,
        mode="nearest" if nearest else "linear",
        nearest_mode=rounding if nearest else None,
    )
    return [layout.back(emission, emission.is_main(made))]


@emits("DepthToSpace", "SpaceToDepth")
def depth(emission: Emission) -> Results:
    """DepthToSpace and back; the channels of a block lie together in both."""
    layout = layout_of(emission)
    block = int(emission.attribute("block_size", 0))
    value = layout.first(emission, emission.value(0))
    if emission.operation.kind == "DepthToSpace":
        made = emission.node("DepthToSpace", [value], blocksize=block, mode="DCR")
    else:
        made = emission.node("SpaceToDepth", [value], blocksize=block)
    return [layout.back(emission, emission.is_main(made))]


@emits("SpaceToBatchND")
def space_to_batch(emission: Emission) -> Results:
    """Pad, and every block's places to the batch."""
    shape, block = _known(emission.shape(0)), emission.numbers(1)
    pads = emission.static(2).reshape(-1, 2)
    ends = [[0] * len(shape), [0] * len(shape)]
    for axis, (begin, end) in enumerate(pads.tolist(), start=1):
        ends[0][axis], ends[1][axis] = int(begin), int(end)
    padded = [size + ends[0][axis] + ends[1][axis] for axis, size in enumerate(shape)]
    value = emission.node("Pad", [emission.value(0), emission.integers(ends[0] + ends[1])])
    count, rest = len(block), padded[1 + len(block) :]
    split = [padded[0]]
    for size, step in zip(padded[1:], block, strict=False):
        split += [size // step, step]
    value = emission.reshape(value, [*split, *rest])
    steps, places = range(2, 2 * count + 1, 2), range(1, 2 * count, 2)
    order = (*steps, 0, *places, *range(2 * count + 1, 2 * count + 1 + len(rest)))
    return [_final(emission, emission.transpose(value, order))]


@emits("BatchToSpaceND")
def batch_to_space(emission: Emission) -> Results:
    """Every block's places from the batch back, and what is cropped sliced off."""
    shape, block = _known(emission.shape(0)), emission.numbers(1)
    crops = emission.static(2).reshape(-1, 2).tolist()
    count, rest = len(block), shape[1 + len(block) :]
    batch = shape[0] // math.prod(block)
    value = emission.reshape(emission.value(0), [*block, batch, *shape[1:]])
    order = [count]
    for axis in range(count):
        order += [count + 1 + axis, axis]
    order += range(2 * count + 1, 2 * count + 1 + len(rest))
    value = emission.transpose(value, order)
    whole = [size * step for size, step in zip(shape[1:], block, strict=False)]
    value = emission.reshape(value, [batch, *whole, *rest])
    begins = [int(begin) for begin, _ in crops]
    ends = [size - int(end) for size, (_, end) in zip(whole, crops, strict=True)]
    return [cutting.cut(emission, value, range(1, count + 1), begins, ends)]


def _known(shape: object) -> list[int]:
    sizes = list(shape) if isinstance(shape, tuple) else []
    known = [size for size in sizes if isinstance(size, int)]
    if len(known) != len(sizes):
        raise UnsupportedError("reads a tensor of which the shape is not known")
    return known


def _final(emission: Emission, value: ir.Value) -> ir.Value:
    sizes = _known(emission.made_shape())
    return emission.reshape(value, sizes)
