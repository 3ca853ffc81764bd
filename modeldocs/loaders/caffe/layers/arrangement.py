"""Rearranging blobs: Concat, Slice, Split, Flatten, Reshape, Permute, Crop, Tile …"""

from __future__ import annotations

import itertools
import math

import onnx_ir as ir

from modeldocs.loaders.caffe.layer import CaffeLayer, Tops, emits
from modeldocs.loaders.dims import Dims, sizes


@emits("Concat")
def concat(layer: CaffeLayer) -> Tops:
    """Concat; `concat_dim` is its axis' old name."""
    param, shape = layer.param("concat_param"), layer.shape()
    field = "concat_dim" if param.has("concat_dim") else "axis"
    axis = layer.axis(param.integer(field), len(shape), "concat_param")
    total = 0
    for index, name in enumerate(layer.source.bottoms):
        other = layer.shape(index)
        if len(other) != len(shape) or _without(other, axis) != _without(shape, axis):
            raise layer.error(
                f"joins {list(shape)} and {list(other)} ({name!r}) along axis {axis}",
                at="bottom",
                mend="give it blobs that differ along that axis only",
            )
        total += sizes(other[axis : axis + 1])[0]
    final = (*shape[:axis], total, *shape[axis + 1 :])
    return [layer.node("Concat", layer.bottoms, final, axis=axis)]


def _without(shape: Dims, axis: int) -> Dims:
    return (*shape[:axis], *shape[axis + 1 :])


@emits("Slice")
def slice_(layer: CaffeLayer) -> Tops:
    """Split at the points given, or into equal parts."""
    param, shape = layer.param("slice_param"), layer.shape()
    field = "slice_dim" if param.has("slice_dim") else "axis"
    axis = layer.axis(param.integer(field), len(shape), "slice_param")
    (length,) = sizes(shape[axis : axis + 1])
    parts = _parts(layer, [int(point) for point in param.all("slice_point")], length)
    shapes: list[Dims] = [(*shape[:axis], part, *shape[axis + 1 :]) for part in parts]
    inputs = [layer.bottom(), layer.shape_constant(parts, "split")]
    return layer.emit("Split", inputs, shapes, {"axis": axis})


def _parts(layer: CaffeLayer, points: list[int], length: int) -> list[int]:
    count = max(1, len(layer.source.tops))
    ends = [0, *points, length]
    if not points and length % count == 0:
        return [length // count] * count
    parts = [end - start for start, end in itertools.pairwise(ends)]
    if not points or len(parts) != count or min(parts) < 1:
        raise layer.error(
            f"cuts {length} at {points} into {count} tops",
            at="slice_param",
            mend="give ascending slice_points, one fewer than tops",
        )
    return parts


@emits("Split")
def split(layer: CaffeLayer) -> Tops:
    """The blob again under other names."""
    count = max(1, len(layer.source.tops))
    return [layer.node("Identity", [layer.bottom()], layer.shape()) for _ in range(count)]


@emits("Flatten")
def flatten(layer: CaffeLayer) -> Tops:
    """Flatten to a matrix, or Reshape where only some of the axes become one."""
    param, shape = layer.param("flatten_param"), layer.shape()
    start = layer.axis(param.integer("axis"), len(shape), "flatten_param")
    end = layer.axis(param.integer("end_axis"), len(shape), "flatten_param")
    if end < start:
        raise layer.error("ends before it starts", at="flatten_param", mend="raise end_axis")
    final = (*shape[:start], math.prod(sizes(shape[start : end + 1])), *shape[end + 1 :])
    if start == 1 and end == len(shape) - 1:
        return [layer.node("Flatten", [layer.bottom()], final, axis=1)]
    return [_reshaped(layer, final)]


@emits("Reshape")
def reshape(layer: CaffeLayer) -> Tops:
    """Reshape: 0 keeps a dimension, -1 takes what is left, outside axis … num_axes nothing."""
    param, shape = layer.param("reshape_param"), layer.shape()
    # A negative axis counts the gaps between dimensions: -1 appends.
    start = layer.axis(param.integer("axis"), len(shape) + 1, "reshape_param")
    covered = param.integer("num_axes")
    end = len(shape) if covered < 0 else start + covered
    inner = shape[start:end]
    wanted = [int(dim) for dim in param.message("shape").all("dim")]
    made = _filled_in(wanted, inner)
    if end > len(shape) or made is None:
        raise layer.error(
            f"cannot take {list(inner)} of {list(shape)} to {wanted}",
            at="reshape_param",
            mend="give dimensions that hold as many values; a batch may be 0",
        )
    return [_reshaped(layer, (*shape[:start], *made, *shape[end:]))]


def _filled_in(wanted: list[int], inner: Dims) -> Dims | None:
    if any(dim == 0 and index >= len(inner) for index, dim in enumerate(wanted)):
        return None
    dims: list[int] = []
    for index, dim in enumerate(wanted):
        dims.append(dim or sizes(inner[index : index + 1])[0])
    total, known = math.prod(sizes(inner)), math.prod(dim for dim in dims if dim != -1)
    if min(dims, default=1) < -1 or dims.count(-1) > 1 or known < 1:
        return None
    if -1 in dims and total % known == 0:
        dims[dims.index(-1)] = total // known
    return tuple(dims) if math.prod(dims) == total else None


def _reshaped(layer: CaffeLayer, final: Dims) -> ir.Value:
    return layer.node("Reshape", [layer.bottom(), layer.shape_constant(sizes(final))], final)


@emits("Permute")
def permute(layer: CaffeLayer) -> Tops:
    """Transpose; axes not named follow in their order."""
    shape = layer.shape(least=1)
    order = [int(axis) for axis in layer.param("permute_param").all("order")]
    order += [axis for axis in range(len(shape)) if axis not in order]
    if sorted(order) != list(range(len(shape))):
        raise layer.error(
            f"orders {len(shape)} axes as {order}",
            at="permute_param",
            mend=f"name axes from 0 to {len(shape) - 1}, each once",
        )
    return [layer.node("Transpose", [layer.bottom()], tuple(shape[a] for a in order), perm=order)]


@emits("Crop")
def crop(layer: CaffeLayer) -> Tops:
    """Slice to the second blob's size from an axis on; that blob gives only its shape."""
    param, shape, like = layer.param("crop_param"), layer.shape(), layer.shape(1)
    axis = layer.axis(param.integer("axis"), len(shape), "crop_param")
    offsets = [int(offset) for offset in param.all("offset")] or [0]
    axes = list(range(axis, len(shape)))
    offsets = offsets * len(axes) if len(offsets) == 1 else offsets
    wanted, given = sizes(like[axis:]), sizes(shape[axis:])
    fits = len(offsets) == len(axes) == len(wanted) and all(
        offset + size <= limit for offset, size, limit in zip(offsets, wanted, given, strict=True)
    )
    if not fits:
        raise layer.error(
            f"cuts {list(wanted)} at {offsets} out of {list(given)}",
            at="crop_param",
            mend="use an offset for each axis, within the blob",
        )
    ends = [offset + size for offset, size in zip(offsets, wanted, strict=True)]
    bounds = [
        layer.shape_constant(values, role)
        for role, values in (("starts", offsets), ("ends", ends), ("axes", axes))
    ]
    return [layer.node("Slice", [layer.bottom(), *bounds], (*shape[:axis], *wanted))]


@emits("Tile")
def tile(layer: CaffeLayer) -> Tops:
    """Tile along one axis."""
    param, shape = layer.param("tile_param"), layer.shape()
    axis = layer.axis(param.integer("axis"), len(shape), "tile_param")
    tiles = param.integer("tiles")
    repeats = [tiles if index == axis else 1 for index in range(len(shape))]
    final = (*shape[:axis], sizes(shape[axis : axis + 1])[0] * tiles, *shape[axis + 1 :])
    return [layer.node("Tile", [layer.bottom(), layer.shape_constant(repeats, "repeats")], final)]


@emits("ShuffleChannel")
def shuffle_channel(layer: CaffeLayer) -> Tops:
    """Channels of several groups dealt out in turn: Reshape, Transpose, Reshape."""
    shape = sizes(layer.shape())
    group = layer.param("shuffle_channel_param").integer("group")
    if len(shape) < 2 or group < 1 or shape[1] % group:
        raise layer.error(
            f"shuffles {list(shape)} in {group} groups", mend="use a group that divides them"
        )
    split_shape = (shape[0], group, shape[1] // group, *shape[2:])
    parted = layer.node(
        "Reshape", [layer.bottom(), layer.shape_constant(split_shape, "groups")], split_shape
    )
    perm = [0, 2, 1, *range(3, len(split_shape))]
    swapped = tuple(split_shape[axis] for axis in perm)
    dealt = layer.node("Transpose", [parted], swapped, perm=perm)
    return [layer.node("Reshape", [dealt, layer.shape_constant(shape)], shape)]
