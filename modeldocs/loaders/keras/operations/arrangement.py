"""Operations that move, cut and join."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import onnx_ir as ir

from modeldocs.loaders.emission import cutting
from modeldocs.loaders.keras import shapes
from modeldocs.loaders.keras.call import Call
from modeldocs.loaders.keras.emitters import computes


@computes("Reshape", "Ravel", "ExpandDims", "Squeeze")
def reshape(call: Call) -> ir.Value:
    """The same elements in another shape."""
    shape = call.output_shape()
    if sum(size is None for size in shape) > 1:
        call.size(None)
    return call.reshape(call.input, shape)


@computes("Transpose")
def transpose(call: Call) -> ir.Value:
    """The axes in another order; turned round where none is given."""
    rank = len(call.shape())
    order = call.operation.axes
    return _permuted(call, [int(a) for a in order] if order is not None else range(rank)[::-1])


@computes("Swapaxes")
def swapped(call: Call) -> ir.Value:
    """Two axes changed for each other."""
    order = list(range(len(call.shape())))
    one, other = call.operation.axis1, call.operation.axis2
    order[one], order[other] = order[other], order[one]
    return _permuted(call, order)


@computes("Moveaxis")
def moved(call: Call) -> ir.Value:
    """Some axes at other places."""
    rank = len(call.shape())
    sources = [axis % rank for axis in call.operation.source]
    targets = [axis % rank for axis in call.operation.destination]
    order = [axis for axis in range(rank) if axis not in sources]
    for target, source in sorted(zip(targets, sources, strict=True)):
        order.insert(target, source)
    return _permuted(call, order)


def _permuted(call: Call, order: Any) -> ir.Value:
    rank = len(call.shape())
    return call.node("Transpose", [call.input], perm=[int(axis) % rank for axis in order])


@computes("Concatenate", "Append")
def concatenate(call: Call) -> ir.Value:
    """One behind the other."""
    target = shapes.dtype(call.outputs[0].dtype)
    if type(call.operation).__name__ == "Append":
        raise NotImplementedError("it flattens")
    parts = [call.cast(value, target) for value in call.values("xs")]
    return call.node("Concat", [*parts], axis=int(call.operation.axis))


@computes("Stack")
def stack(call: Call) -> ir.Value:
    """One behind the other along an axis of their own."""
    target = shapes.dtype(call.outputs[0].dtype)
    axis = int(call.operation.axis)
    axes = call.integers([axis], "axes")
    parts = [call.node("Unsqueeze", [call.cast(v, target), axes]) for v in call.values("x")]
    return call.node("Concat", [*parts], axis=axis)


@computes("Unstack")
def unstack(call: Call) -> list[ir.Value]:
    """Each part along an axis by itself."""
    axis = int(call.operation.axis)
    indices = [call.number(i, ir.DataType.INT64, "index") for i in range(len(call.outputs))]
    return [call.node("Gather", [call.input, index], axis=axis) for index in indices]


@computes("Split")
def split(call: Call) -> list[ir.Value]:
    """Cut along an axis, into equal parts or at given places."""
    axis, count = int(call.operation.axis), len(call.outputs)
    if isinstance(call.operation.indices_or_sections, int):
        return call.node_of_several("Split", [call.input], count, axis=axis, num_outputs=count)
    sizes = [call.size(call.output_shape(index)[axis]) for index in range(count)]
    return cutting.split(call, call.input, sizes, axis)


@computes("BroadcastTo")
def broadcast(call: Call) -> ir.Value:
    """Repeated along axes of one element."""
    shape = [call.size(size) for size in call.output_shape()]
    return call.node("Expand", [call.input, call.integers(shape, "shape")])


@computes("Tile")
def tile(call: Call) -> ir.Value:
    """Repeated as a whole."""
    given = call.operation.repeats
    repeats = [given] if isinstance(given, int) else [int(count) for count in given]
    source, rank = call.input, len(call.shape())
    if len(repeats) > rank:
        source = call.reshape(source, [*[1] * (len(repeats) - rank), *call.shape()])
    repeats = [*[1] * (rank - len(repeats)), *repeats]
    return call.node("Tile", [source, call.integers(repeats, "repeats")])


@computes("Repeat")
def repeat(call: Call) -> ir.Value:
    """Each part along an axis some times in a row."""
    axis, times = call.operation.axis, call.operation.repeats
    if axis is None or not isinstance(times, int):
        raise NotImplementedError("it repeats each part differently, or flattens")
    shape = list(call.shape())
    axis = axis % len(shape)
    wide = call.node("Unsqueeze", [call.input, call.integers([axis + 1], "axes")])
    repeats = [1] * (len(shape) + 1)
    repeats[axis + 1] = times
    tiled = call.node("Tile", [wide, call.integers(repeats, "repeats")])
    return call.reshape(tiled, call.output_shape())


@computes("Flip", "Fliplr", "Flipud")
def flip(call: Call) -> ir.Value:
    """Turned round along axes."""
    sides = {"Fliplr": 1, "Flipud": 0}
    axis = sides.get(type(call.operation).__name__, getattr(call.operation, "axis", None))
    axes = range(len(call.shape())) if axis is None else [axis] if isinstance(axis, int) else axis
    listed = [int(one) for one in axes]
    return cutting.turned_round(call, call.input, listed)


@computes("Roll")
def roll(call: Call) -> ir.Value:
    """Places moved along axes, the last round to the first."""
    axes, shifts = call.operation.axis, np.ravel(call.operation.shift)
    if axes is None:
        raise NotImplementedError("it is rolled as if it had one axis")
    value, dims = call.input, call.output_shape()
    named = [int(axis) % len(dims) for axis in np.ravel(axes)]
    shifts = np.broadcast_to(shifts, (len(named),))
    for axis, shift in zip(named, shifts, strict=True):
        size = call.size(dims[axis])
        left = -int(shift) % size
        if left:
            ends = [(0, left), (left, size)]
            parts = [cutting.cut(call, value, [axis], [a], [b]) for a, b in ends]
            value = call.node("Concat", [*reversed(parts)], axis=axis)
    return value


@computes("Pad")
def pad(call: Call) -> ir.Value:
    """Elements around."""
    modes = {"constant": "constant", "reflect": "reflect"}
    mode = modes.get(call.operation.mode)
    if mode is None:
        raise NotImplementedError(f"ONNX does not pad by {call.operation.mode}")
    widths = list(call.operation.pad_width)
    if len(widths) == 1:
        widths = widths * len(call.shape())
    pads = [int(before) for before, _ in widths] + [int(after) for _, after in widths]
    fill = call.arguments.get("constant_values")
    value = call.number(0 if fill is None else fill, call.input.dtype, "value")
    operands = [call.integers(pads, "pads"), value if mode == "constant" else None]
    return call.node("Pad", [call.input, *operands], mode=mode)


@computes("Take")
def take(call: Call) -> ir.Value:
    """Parts by number."""
    source, axis = call.value("x"), call.operation.axis
    indices = call.arguments["indices"]
    if not isinstance(indices, ir.Value):
        indices = call.number(indices, ir.DataType.INT64, "indices")
    elif indices.dtype not in (ir.DataType.INT32, ir.DataType.INT64):
        indices = call.cast(indices, ir.DataType.INT64)
    if axis is None:
        source, axis = call.reshape(source, [None]), 0
    return call.node("Gather", [source, indices], axis=int(axis))


@computes("TakeAlongAxis")
def take_along(call: Call) -> ir.Value:
    """Elements by number along an axis."""
    if call.operation.axis is None:
        raise NotImplementedError("it flattens")
    indices = call.arguments["indices"]
    if not isinstance(indices, ir.Value):
        indices = call.number(indices, ir.DataType.INT64, "indices")
    value, made = call.value("x"), call.output_shape()
    axis = int(call.operation.axis) % len(made)
    held = [size if i == axis else made[i] for i, size in enumerate(call.shape(value))]
    value, indices = _expanded(call, value, held), _expanded(call, indices, made)
    return call.node("GatherElements", [value, indices], axis=axis)


def _expanded(call: Call, value: ir.Value, shape: Sequence[int | None]) -> ir.Value:
    """A value repeated along axes of one, as numpy does; as it is where that is its shape."""
    if call.shape(value) == tuple(shape) or None in shape:
        return value
    sizes = [call.size(size) for size in shape]
    return call.node("Expand", [value, call.integers(sizes, "shape")])


@computes("Tril", "Triu")
def triangle(call: Call) -> ir.Value:
    """The part below or above a diagonal."""
    upper = int(type(call.operation).__name__ == "Triu")
    k = call.number(int(call.operation.k), ir.DataType.INT64, "k")
    return call.node("Trilu", [call.input, k], upper=upper)


@computes("GetItem")
def get_item(call: Call) -> ir.Value:
    """Indexing: numbers, slices, new axes."""
    key = call.arguments["key"]
    key = list(key) if isinstance(key, tuple | list) else [key]
    value, rank = call.value("x"), len(call.shape(call.value("x")))
    used = sum(part is not None and part is not Ellipsis for part in key)
    if Ellipsis not in [part for part in key if part is Ellipsis]:
        key.append(Ellipsis)
    place = next(i for i, part in enumerate(key) if part is Ellipsis)
    key[place : place + 1] = [slice(None)] * (rank - used)
    made = _cut(call, value, [part for part in key if part is not None])
    return _without_and_with(call, made, key)


def _cut(call: Call, value: ir.Value, parts: list[Any]) -> ir.Value:
    """The slices taken; numbers as slices of one element."""
    taken: list[tuple[int, int, int, int]] = []
    for axis, (part, size) in enumerate(zip(parts, call.shape(value), strict=True)):
        if isinstance(part, slice) and part == slice(None):
            continue
        if isinstance(part, slice):
            start, end, step = _bounds(part, size)
        elif isinstance(part, int | np.integer):
            start, end, step = int(part), int(part) + 1, 1
            end = np.iinfo(np.int64).max if end == 0 else end
        else:
            raise NotImplementedError("it is indexed by tensors")
        taken.append((start, end, axis, step))
    if not taken:
        return value
    starts, ends, axes, steps = zip(*taken, strict=True)
    return cutting.cut(call, value, axes, starts, ends, steps if set(steps) != {1} else None)


def _bounds(part: slice, size: int | None) -> tuple[int, int, int]:
    """A slice's bounds as ONNX has them; open ends are the furthest number."""
    step = 1 if part.step is None else int(part.step)
    limits = np.iinfo(np.int64)
    if size is not None:
        start, end, step = part.indices(size)
        return start, limits.min if end < 0 else end, step
    start = (0 if step > 0 else -1) if part.start is None else int(part.start)
    end = (limits.max if step > 0 else limits.min) if part.stop is None else int(part.stop)
    return start, end, step


def _without_and_with(call: Call, value: ir.Value, key: list[Any]) -> ir.Value:
    """Axes of numbers taken out, new ones put in."""
    kept = [part for part in key if part is not None]
    gone = [i for i, part in enumerate(kept) if not isinstance(part, slice)]
    if gone:
        value = call.node("Squeeze", [value, call.integers(gone, "squeezed")])
    left = [part for part in key if part is None or isinstance(part, slice)]
    fresh = [i for i, part in enumerate(left) if part is None]
    if fresh:
        value = call.node("Unsqueeze", [value, call.integers(fresh, "unsqueezed")])
    return value


@computes("Slice")
def slice_of(call: Call) -> ir.Value:
    """A block of a given shape from given places."""
    starts = call.arguments["start_indices"]
    if isinstance(starts, ir.Value) or any(isinstance(s, ir.Value) for s in np.ravel(starts)):
        raise NotImplementedError("it starts at places that are computed")
    begins = [int(start) for start in np.ravel(np.asarray(starts))]
    sizes = [call.size(size) for size in call.output_shape()]
    ends = [begin + size for begin, size in zip(begins, sizes, strict=True)]
    return cutting.cut(call, call.input, range(len(begins)), begins, ends)
