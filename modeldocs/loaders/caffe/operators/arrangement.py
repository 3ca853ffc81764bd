"""Emitters of Caffe's layers that move values: Concat, Slice, Reshape, Crop …"""

from __future__ import annotations

import itertools
import math

from modeldocs.ir import Dim
from modeldocs.loaders.caffe.operation import CaffeOperation, emits
from modeldocs.loaders.dims import Dims, are_known, joined, product, sizes
from modeldocs.loaders.emission import cutting
from modeldocs.loaders.emission.operation import Outputs


@emits("Concat")
def concat(op: CaffeOperation) -> Outputs:
    """Concat; `concat_dim` is the old name of its axis."""
    param, shape = op.param("concat_param"), op.shape()
    field = "concat_dim" if param.has("concat_dim") else "axis"
    axis = op.axis("concat_param", len(shape), field)
    for index, name in enumerate(op.layer.bottoms):
        other = op.shape(index)
        common = joined(_with(shape, axis, None), _with(other, axis, None))
        if common is None:
            raise op.error(
                f"joins {_listed(shape)} and {_listed(other)} ({name!r}) along axis {axis}",
                at="bottom",
                fix="give it blobs that differ along that axis only",
            )
        shape = common
    return [op.node("Concat", op.inputs, axis=axis)]


def _with(shape: Dims, axis: int, dim: Dim) -> Dims:
    """The shape with another dimension at an axis, if it has that axis."""
    return (*shape[:axis], dim, *shape[axis + 1 :]) if axis < len(shape) else shape


def _listed(shape: Dims) -> str:
    return f"[{', '.join('?' if dim is None else str(dim) for dim in shape)}]"


@emits("Slice")
def slice_(op: CaffeOperation) -> Outputs:
    """Split at the given points, or into equal parts; Caffe's own where a size is unknown."""
    param, shape = op.param("slice_param"), op.shape()
    field = "slice_dim" if param.has("slice_dim") else "axis"
    axis = op.axis("slice_param", len(shape), field)
    length, points = shape[axis], [int(point) for point in param.all("slice_point")]
    if not isinstance(length, int):
        # With any length behind the last point, all parts but the last are known.
        known = _parts(op, points, points[-1] + 1)[:-1] if points else []
        lengths: Dims = (*known, *[None] * (len(op.layer.tops) - len(known)))
        return op.opaque([_with(shape, axis, size) for size in lengths], param="slice_param")
    return cutting.split(op, op.input(), _parts(op, points, length), axis)


def _parts(op: CaffeOperation, points: list[int], length: int) -> list[int]:
    """The lengths of the parts that the points cut an axis into, one for each top."""
    count = op.output_count
    ends = [0, *points, length]
    if not points and length % count == 0:
        return [length // count] * count
    parts = [end - start for start, end in itertools.pairwise(ends)]
    if not points or len(parts) != count or min(parts) < 1:
        raise op.error(
            f"cuts {length} at {points} into {count} tops",
            at="slice_param",
            fix="give ascending slice_points, one fewer than tops",
        )
    return parts


@emits("Split")
def split(op: CaffeOperation) -> Outputs:
    """The same blob under several names."""
    return [op.node("Identity", [op.input()]) for _ in range(op.output_count)]


@emits("Flatten")
def flatten(op: CaffeOperation) -> Outputs:
    """Flatten to a matrix, or Reshape where only some of the axes are joined.

    Caffe's own where more than one of the dimensions is unknown.
    """
    shape = op.shape()
    start = op.axis("flatten_param", len(shape))
    end = op.axis("flatten_param", len(shape), "end_axis")
    if end < start:
        raise op.error("ends before it starts", at="flatten_param", fix="raise end_axis")
    final = (*shape[:start], product(shape[start : end + 1]), *shape[end + 1 :])
    if start == 1 and end == len(shape) - 1:
        return [op.node("Flatten", [op.input()], axis=1)]
    if list(final).count(None) > 1:
        return op.opaque([final], param="flatten_param")
    return [op.reshape(op.input(), final)]


@emits("Reshape")
def reshape(op: CaffeOperation) -> Outputs:
    """Reshape of `num_axes` from `axis` on: 0 keeps a dimension, -1 takes the rest."""
    param, shape = op.param("reshape_param"), op.shape()
    # A negative axis counts the gaps between dimensions: -1 appends.
    start = op.axis("reshape_param", len(shape) + 1)
    covered = param.integer("num_axes")
    end = len(shape) if covered < 0 else start + covered
    inner = shape[start:end]
    wanted = [int(dim) for dim in param.message("shape").all("dim")]
    replaced = _resolved(wanted, inner)
    if end > len(shape) or replaced is None:
        raise op.error(
            f"cannot take {_listed(inner)} of {_listed(shape)} to {wanted}",
            at="reshape_param",
            fix="give dimensions that hold as many values; a batch may be 0",
        )
    final = (*shape[:start], *replaced, *shape[end:])
    # ONNX's 0 keeps the dimension at the same place, which the axes behind may have left.
    behind = 0 if len(replaced) == end - start else -1
    target = [
        *_numbers(shape[:start], [0] * start),
        *_numbers(replaced, [0 if dim == 0 else -1 for dim in wanted]),
        *_numbers(shape[end:], [behind] * len(shape[end:])),
    ]
    if target.count(-1) > 1:
        return op.opaque([final], param="reshape_param")
    return [op.node("Reshape", [op.input(), op.integers(target)], shape=final)]


def _numbers(dims: Dims, unknown: list[int]) -> list[int]:
    """The dimensions for ONNX's Reshape, with a marker (0 or -1) for each unknown one."""
    return [
        dim if isinstance(dim, int) else marker for dim, marker in zip(dims, unknown, strict=True)
    ]


def _resolved(wanted: list[int], inner: Dims) -> Dims | None:
    """The wanted dimensions without 0 and -1; None where they cannot hold as many values."""
    kept = {index for index, dim in enumerate(wanted) if dim == 0}
    if any(index >= len(inner) for index in kept) or min(wanted, default=1) < -1:
        return None
    count = product([dim for index, dim in enumerate(inner) if index not in kept])
    rest: Dim = None
    if isinstance(count, int):
        rest, remainder = divmod(count, math.prod(dim for dim in wanted if dim > 0))
        if remainder or wanted.count(-1) > 1 or (rest != 1 and -1 not in wanted):
            return None
    return tuple(
        inner[index] if dim == 0 else rest if dim == -1 else dim for index, dim in enumerate(wanted)
    )


@emits("Permute")
def permute(op: CaffeOperation) -> Outputs:
    """Transpose; axes that `order` does not name follow in their order."""
    shape = op.shape(least=1)
    order = [int(axis) for axis in op.param("permute_param").all("order")]
    order += [axis for axis in range(len(shape)) if axis not in order]
    if sorted(order) != list(range(len(shape))):
        raise op.error(
            f"orders {len(shape)} axes as {order}",
            at="permute_param",
            fix=f"name axes from 0 to {len(shape) - 1}, each once",
        )
    return [op.node("Transpose", [op.input()], perm=order)]


@emits("Crop")
def crop(op: CaffeOperation) -> Outputs:
    """Slice to the size of the second blob from an axis on."""
    param, shape, like = op.param("crop_param"), op.shape(), op.shape(1)
    axis = op.axis("crop_param", len(shape))
    offsets = [int(offset) for offset in param.all("offset")] or [0]
    axes = list(range(axis, len(shape)))
    offsets = offsets * len(axes) if len(offsets) == 1 else offsets
    wanted, given = like[axis:], shape[axis:]
    fits = len(offsets) == len(axes) == len(wanted) and all(
        not (isinstance(size, int) and isinstance(limit, int)) or offset + size <= limit
        for offset, size, limit in zip(offsets, wanted, given, strict=True)
    )
    if not fits:
        raise op.error(
            f"cuts {_listed(wanted)} at {offsets} out of {_listed(given)}",
            at="crop_param",
            fix="use an offset for each axis, within the blob",
        )
    if not are_known(wanted):
        return op.opaque([(*shape[:axis], *wanted)], param="crop_param")
    ends = [offset + size for offset, size in zip(offsets, sizes(wanted), strict=True)]
    return [cutting.cut(op, op.input(), axes, offsets, ends)]


@emits("Tile")
def tile(op: CaffeOperation) -> Outputs:
    """Tile along one axis."""
    repeats = [1] * len(op.shape())
    axis = op.axis("tile_param", len(repeats))
    repeats[axis] = op.param("tile_param").integer("tiles")
    return [op.node("Tile", [op.input(), op.integers(repeats, "repeats")])]


@emits("ShuffleChannel")
def shuffle_channel(op: CaffeOperation) -> Outputs:
    """Channels of each group in turn: Reshape, Transpose, Reshape."""
    given = op.shape()
    group = op.param("shuffle_channel_param").integer("group")
    channels = given[1] if len(given) > 1 else 1
    if len(given) < 2 or group < 1 or (isinstance(channels, int) and channels % group):
        raise op.error(
            f"shuffles {_listed(given)} in {group} groups", fix="use a group that divides them"
        )
    if not are_known(given):
        return op.opaque([given], param="shuffle_channel_param")
    shape = sizes(given)
    grouped = op.reshape(op.input(), (shape[0], group, shape[1] // group, *shape[2:]))
    shuffled = op.transpose(grouped, [0, 2, 1, *range(3, len(shape) + 1)])
    return [op.reshape(shuffled, shape)]
