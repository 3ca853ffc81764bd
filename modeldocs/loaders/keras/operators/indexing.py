"""Emitters of Keras' slices, gathers and shifts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import onnx_ir as ir

from modeldocs.loaders.emission import cutting
from modeldocs.loaders.keras.emitters import computes
from modeldocs.loaders.keras.operation import KerasOperation
from modeldocs.loaders.keras.operators.joining import expand


@computes("Flip", "Fliplr", "Flipud")
def flip(op: KerasOperation) -> ir.Value:
    """Slice with negative steps."""
    sides = {"Fliplr": 1, "Flipud": 0}
    axis = sides.get(op.kind, getattr(op.source, "axis", None))
    axes = range(len(op.shape())) if axis is None else [axis] if isinstance(axis, int) else axis
    return cutting.turned_round(op, op.input(), [int(one) for one in axes])


@computes("Roll")
def roll(op: KerasOperation) -> ir.Value:
    """Two slices along each axis, joined in reverse order."""
    if op.source.axis is None:
        raise NotImplementedError("it flattens its input")
    value, shape = op.input(), op.output_shape()
    axes = [int(axis) % len(shape) for axis in np.ravel(op.source.axis)]
    shifts = np.broadcast_to(np.ravel(op.source.shift), (len(axes),))
    for axis, shift in zip(axes, shifts, strict=True):
        size = op.size(shape[axis])
        start = -int(shift) % size
        if start:
            ranges = [(0, start), (start, size)]
            parts = [cutting.cut(op, value, [axis], [a], [b]) for a, b in ranges]
            value = op.node("Concat", parts[::-1], axis=axis)
    return value


@computes("Take")
def take(op: KerasOperation) -> ir.Value:
    """Gather along an axis; without one, of all elements."""
    source, axis = op.argument("x"), op.source.axis
    indices = _indices(op)
    if indices.dtype not in (ir.DataType.INT32, ir.DataType.INT64):
        indices = op.cast(indices, ir.DataType.INT64)
    if axis is None:
        source, axis = op.reshape(source, [None]), 0
    return op.node("Gather", [source, indices], axis=int(axis))


@computes("TakeAlongAxis")
def take_along(op: KerasOperation) -> ir.Value:
    """GatherElements along an axis."""
    if op.source.axis is None:
        raise NotImplementedError("it flattens its input")
    indices = _indices(op)
    value, shape = op.argument("x"), op.output_shape()
    axis = int(op.source.axis) % len(shape)
    wanted = [size if i == axis else shape[i] for i, size in enumerate(op.shape_of(value))]
    value, indices = _expanded(op, value, wanted), _expanded(op, indices, shape)
    return op.node("GatherElements", [value, indices], axis=axis)


def _indices(op: KerasOperation) -> ir.Value:
    indices = op.arguments["indices"]
    if isinstance(indices, ir.Value):
        return indices
    return op.number(indices, ir.DataType.INT64, "indices")


def _expanded(op: KerasOperation, value: ir.Value, shape: Sequence[int | None]) -> ir.Value:
    """The value repeated along axes of one element, as far as the shape is known."""
    if op.shape_of(value) == tuple(shape) or None in shape:
        return value
    return expand(op, value, shape)


@computes("Tril", "Triu")
def triangle(op: KerasOperation) -> ir.Value:
    """Trilu: the part below or above a diagonal."""
    k = op.number(int(op.source.k), ir.DataType.INT64, "k")
    return op.node("Trilu", [op.input(), k], upper=int(op.kind == "Triu"))


@computes("GetItem")
def get_item(op: KerasOperation) -> ir.Value:
    """Slice, Squeeze and Unsqueeze for an index of numbers, slices and new axes."""
    key = op.arguments["key"]
    key = list(key) if isinstance(key, tuple | list) else [key]
    value, rank = op.argument("x"), len(op.shape_of(op.argument("x")))
    used = sum(part is not None and part is not Ellipsis for part in key)
    if not any(part is Ellipsis for part in key):
        key.append(Ellipsis)
    position = next(i for i, part in enumerate(key) if part is Ellipsis)
    key[position : position + 1] = [slice(None)] * (rank - used)
    value = _sliced(op, value, [part for part in key if part is not None])
    return _with_key_axes(op, value, key)


def _sliced(op: KerasOperation, value: ir.Value, key: list[Any]) -> ir.Value:
    """The value sliced by a part for each axis; numbers are slices of one element."""
    slices: list[tuple[int, int, int, int]] = []
    for axis, (part, size) in enumerate(zip(key, op.shape_of(value), strict=True)):
        if isinstance(part, slice) and part == slice(None):
            continue
        if isinstance(part, slice):
            start, end, step = _bounds(part, size)
        elif isinstance(part, int | np.integer):
            start, end, step = int(part), int(part) + 1, 1
            end = np.iinfo(np.int64).max if end == 0 else end
        else:
            raise NotImplementedError("it is indexed by tensors")
        slices.append((start, end, axis, step))
    if not slices:
        return value
    starts, ends, axes, steps = zip(*slices, strict=True)
    return cutting.cut(op, value, axes, starts, ends, steps if set(steps) != {1} else None)


def _bounds(part: slice, size: int | None) -> tuple[int, int, int]:
    """Start, end and step as ONNX has them; open ends are the largest or smallest number."""
    step = 1 if part.step is None else int(part.step)
    limits = np.iinfo(np.int64)
    if size is not None:
        start, end, step = part.indices(size)
        return start, limits.min if end < 0 else end, step
    start = (0 if step > 0 else -1) if part.start is None else int(part.start)
    end = (limits.max if step > 0 else limits.min) if part.stop is None else int(part.stop)
    return start, end, step


def _with_key_axes(op: KerasOperation, value: ir.Value, key: list[Any]) -> ir.Value:
    """The value without the axes of numbers in a key, and with its new ones."""
    parts = [part for part in key if part is not None]
    squeezed = [axis for axis, part in enumerate(parts) if not isinstance(part, slice)]
    if squeezed:
        value = op.node("Squeeze", [value, op.integers(squeezed, "squeezed")])
    parts = [part for part in key if part is None or isinstance(part, slice)]
    added = [axis for axis, part in enumerate(parts) if part is None]
    if added:
        value = op.node("Unsqueeze", [value, op.integers(added, "unsqueezed")])
    return value


@computes("Slice")
def slice_of(op: KerasOperation) -> ir.Value:
    """Slice of a given shape from given starts."""
    indices = op.arguments["start_indices"]
    if isinstance(indices, ir.Value) or any(isinstance(one, ir.Value) for one in np.ravel(indices)):
        raise NotImplementedError("its start is computed")
    starts = [int(start) for start in np.ravel(np.asarray(indices))]
    sizes = [op.size(size) for size in op.output_shape()]
    ends = [start + size for start, size in zip(starts, sizes, strict=True)]
    return cutting.cut(op, op.input(), range(len(starts)), starts, ends)
