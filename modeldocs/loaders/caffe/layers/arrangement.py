"""Rearranging blobs: Concat, Slice, Split, Flatten, Reshape, Permute, Crop, Tile …"""

from __future__ import annotations

import itertools
import math

from modeldocs.ir import Dim
from modeldocs.loaders.caffe.layer import CaffeLayer, Tops, emits
from modeldocs.loaders.dims import Dims, are_known, joined, product, sizes
from modeldocs.loaders.emission import cutting


@emits("Concat")
def concat(layer: CaffeLayer) -> Tops:
    """Concat; `concat_dim` is its axis' old name."""
    param, shape = layer.param("concat_param"), layer.shape()
    field = "concat_dim" if param.has("concat_dim") else "axis"
    axis = layer.axis(param.integer(field), len(shape), "concat_param")
    for index, name in enumerate(layer.source.bottoms):
        other = layer.shape(index)
        rest = joined(_opened(shape, axis), _opened(other, axis))
        if rest is None:
            raise layer.error(
                f"joins {_listed(shape)} and {_listed(other)} ({name!r}) along axis {axis}",
                at="bottom",
                fix="give it blobs that differ along that axis only",
            )
        shape = rest
    return [layer.node("Concat", layer.bottoms, axis=axis)]


def _with(shape: Dims, axis: int, dim: Dim) -> Dims:
    return (*shape[:axis], dim, *shape[axis + 1 :])


def _opened(shape: Dims, axis: int) -> Dims:
    """A shape with one dimension not known."""
    return _with(shape, axis, None) if axis < len(shape) else shape


def _listed(shape: Dims) -> str:
    return f"[{', '.join('?' if dim is None else str(dim) for dim in shape)}]"


@emits("Slice")
def slice_(layer: CaffeLayer) -> Tops:
    """Split at the points given, or into equal parts; Caffe's own where a part is not known."""
    param, shape = layer.param("slice_param"), layer.shape()
    field = "slice_dim" if param.has("slice_dim") else "axis"
    axis = layer.axis(param.integer(field), len(shape), "slice_param")
    length, points = shape[axis], [int(point) for point in param.all("slice_point")]
    if not isinstance(length, int):
        known = _parts(layer, points, points[-1] + 1) if points else []
        sizes_: Dims = (*known[:-1], *[None] * (len(layer.source.tops) - len(known[:-1])))
        return layer.opaque([_with(shape, axis, part) for part in sizes_], param="slice_param")
    parts = _parts(layer, points, length)
    return cutting.split(layer, layer.bottom(), parts, axis)


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
            fix="give ascending slice_points, one fewer than tops",
        )
    return parts


@emits("Split")
def split(layer: CaffeLayer) -> Tops:
    """The blob again under other names."""
    count = max(1, len(layer.source.tops))
    return [layer.node("Identity", [layer.bottom()]) for _ in range(count)]


@emits("Flatten")
def flatten(layer: CaffeLayer) -> Tops:
    """Flatten to a matrix, or Reshape where only some of the axes become one."""
    param, shape = layer.param("flatten_param"), layer.shape()
    start = layer.axis(param.integer("axis"), len(shape), "flatten_param")
    end = layer.axis(param.integer("end_axis"), len(shape), "flatten_param")
    if end < start:
        raise layer.error("ends before it starts", at="flatten_param", fix="raise end_axis")
    final = (*shape[:start], product(shape[start : end + 1]), *shape[end + 1 :])
    if start == 1 and end == len(shape) - 1:
        return [layer.node("Flatten", [layer.bottom()], axis=1)]
    if list(final).count(None) > 1:
        return layer.opaque([final], param="flatten_param")
    return [layer.reshape(layer.bottom(), final)]


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
            f"cannot take {_listed(inner)} of {_listed(shape)} to {wanted}",
            at="reshape_param",
            fix="give dimensions that hold as many values; a batch may be 0",
        )
    final = (*shape[:start], *made, *shape[end:])
    moved = 0 if len(made) == end - start else -1
    target = [
        *_numbers(shape[:start], [0] * start),
        *_numbers(made, [0 if dim == 0 else -1 for dim in wanted]),
        *_numbers(shape[end:], [moved] * len(shape[end:])),
    ]
    if target.count(-1) > 1:
        return layer.opaque([final], param="reshape_param")
    return [layer.node("Reshape", [layer.bottom(), layer.integers(target)], shape=final)]


def _numbers(dims: Dims, otherwise: list[int]) -> list[int]:
    """Dimensions as Reshape takes them: 0 keeps one that is not known, -1 finds it."""
    return [dim if isinstance(dim, int) else o for dim, o in zip(dims, otherwise, strict=True)]


def _filled_in(wanted: list[int], inner: Dims) -> Dims | None:
    """The dimensions that are wanted of others; None where they cannot hold as many values."""
    kept = {index for index, dim in enumerate(wanted) if dim == 0}
    if any(index >= len(inner) for index in kept) or min(wanted, default=1) < -1:
        return None
    rest = product([dim for index, dim in enumerate(inner) if index not in kept])
    told = math.prod(dim for dim in wanted if dim > 0)
    found: Dim = None
    if isinstance(rest, int):
        found, left = divmod(rest, told)
        if left or wanted.count(-1) > 1 or (found != 1 and -1 not in wanted):
            return None
    named = {-1: found}
    return tuple(
        inner[index] if dim == 0 else named.get(dim, dim) for index, dim in enumerate(wanted)
    )


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
            fix=f"name axes from 0 to {len(shape) - 1}, each once",
        )
    return [layer.node("Transpose", [layer.bottom()], perm=order)]


@emits("Crop")
def crop(layer: CaffeLayer) -> Tops:
    """Slice to the second blob's size from an axis on; that blob gives only its shape."""
    param, shape, like = layer.param("crop_param"), layer.shape(), layer.shape(1)
    axis = layer.axis(param.integer("axis"), len(shape), "crop_param")
    offsets = [int(offset) for offset in param.all("offset")] or [0]
    axes = list(range(axis, len(shape)))
    offsets = offsets * len(axes) if len(offsets) == 1 else offsets
    wanted, given = like[axis:], shape[axis:]
    fits = len(offsets) == len(axes) == len(wanted) and all(
        not (isinstance(size, int) and isinstance(limit, int)) or offset + size <= limit
        for offset, size, limit in zip(offsets, wanted, given, strict=True)
    )
    if not fits:
        raise layer.error(
            f"cuts {_listed(wanted)} at {offsets} out of {_listed(given)}",
            at="crop_param",
            fix="use an offset for each axis, within the blob",
        )
    if not are_known(wanted):
        return layer.opaque([(*shape[:axis], *wanted)], param="crop_param")
    ends = [offset + size for offset, size in zip(offsets, sizes(wanted), strict=True)]
    return [cutting.cut(layer, layer.bottom(), axes, offsets, ends)]


@emits("Tile")
def tile(layer: CaffeLayer) -> Tops:
    """Tile along one axis."""
    param, shape = layer.param("tile_param"), layer.shape()
    axis = layer.axis(param.integer("axis"), len(shape), "tile_param")
    tiles = param.integer("tiles")
    repeats = [tiles if index == axis else 1 for index in range(len(shape))]
    return [layer.node("Tile", [layer.bottom(), layer.integers(repeats, "repeats")])]


@emits("ShuffleChannel")
def shuffle_channel(layer: CaffeLayer) -> Tops:
    """Channels of several groups dealt out in turn: Reshape, Transpose, Reshape."""
    given = layer.shape()
    group = layer.param("shuffle_channel_param").integer("group")
    channels = given[1] if len(given) > 1 else 1
    if len(given) < 2 or group < 1 or (isinstance(channels, int) and channels % group):
        raise layer.error(
            f"shuffles {_listed(given)} in {group} groups", fix="use a group that divides them"
        )
    if not are_known(given):
        return layer.opaque([given], param="shuffle_channel_param")
    shape = sizes(given)
    parted = layer.reshape(layer.bottom(), (shape[0], group, shape[1] // group, *shape[2:]))
    dealt = layer.transpose(parted, [0, 2, 1, *range(3, len(shape) + 1)])
    return [layer.reshape(dealt, shape)]
