"""Emitters of Chainer's functions that move or join elements."""

from __future__ import annotations

from typing import Any

import numpy as np

from modeldocs.loaders.chainer.operation import ChainerOperation, emits
from modeldocs.loaders.emission import cutting
from modeldocs.loaders.emission.operation import Outputs


@emits("Reshape", "ExpandDims", "Squeeze", "Flatten", "Ravel")
def reshape(op: ChainerOperation) -> Outputs:
    """Reshape to the shape of the output."""
    return [op.reshape(op.input(), op.output_shape())]


@emits("Transpose")
def transpose(op: ChainerOperation) -> Outputs:
    """Another order of axes, by default the reverse."""
    rank = len(op.shape())
    axes = op.setting("axes") or tuple(reversed(range(rank)))
    return [op.transpose(op.input(), [int(axis) % rank for axis in axes])]


@emits("Rollaxis", "Moveaxis", "Swapaxes")
def move_axes(op: ChainerOperation) -> Outputs:
    """Transpose; numpy determines the order, on an array whose sizes are the axes' numbers."""
    axes = np.empty(tuple(range(len(op.shape()))))
    if op.kind == "Rollaxis":
        moved = np.rollaxis(axes, op.setting("axis"), op.setting("start"))
    elif op.kind == "Moveaxis":
        moved = np.moveaxis(axes, op.setting("source"), op.setting("destination"))
    else:
        moved = np.swapaxes(axes, op.setting("axis1"), op.setting("axis2"))
    return [op.transpose(op.input(), list(moved.shape))]


@emits("Concat")
def concat(op: ChainerOperation) -> Outputs:
    """Concatenation along an axis."""
    return [op.node("Concat", op.inputs, axis=op.integer("axis"))]


@emits("Hstack", "Vstack", "Dstack")
def concat_by_axis(op: ChainerOperation) -> Outputs:
    """Concatenation along the first, second or third axis, which lower ranks are raised to."""
    least, axis = {"Hstack": (1, 1), "Vstack": (2, 0), "Dstack": (3, 2)}[op.kind]
    raise_rank = {"Hstack": np.atleast_1d, "Vstack": np.atleast_2d, "Dstack": np.atleast_3d}
    values = []
    for value, tensor in zip(op.inputs, op.call.inputs, strict=True):
        shape = raise_rank[op.kind](np.empty(tensor.shape, dtype=np.bool_)).shape
        values.append(op.reshape(value, shape) if len(tensor.shape) < least else value)
    return [op.node("Concat", values, axis=min(axis, len(op.output_shape()) - 1))]


@emits("Stack")
def stack(op: ChainerOperation) -> Outputs:
    """Concatenation along a new axis."""
    output = op.output_shape()
    axis = op.integer("axis") % len(output)
    shape = [1 if i == axis else dim for i, dim in enumerate(output)]
    return [op.node("Concat", [op.reshape(value, shape) for value in op.inputs], axis=axis)]


@emits("SplitAxis")
def split(op: ChainerOperation) -> Outputs:
    """Split along an axis into parts of the outputs' sizes."""
    axis = op.integer("axis")
    sizes = [tensor.shape[axis] for tensor in op.call.outputs]
    return cutting.split(op, op.input(), sizes, axis)


@emits("Separate")
def separate(op: ChainerOperation) -> Outputs:
    """Split along an axis into single elements, without that axis."""
    parts = cutting.split(op, op.input(), [1] * len(op.call.outputs), op.integer("axis"))
    return [op.reshape(part, op.output_shape()) for part in parts]


@emits("Tile")
def tile(op: ChainerOperation) -> Outputs:
    """The whole repeated along each axis."""
    reps, rank = op.integers_of("reps"), len(op.output_shape())
    reps = [1] * (rank - len(reps)) + reps
    shape = (1,) * (rank - len(op.shape())) + op.shape()
    return [op.node("Tile", [op.reshaped(op.input(), shape), op.integers(reps)])]


@emits("BroadcastTo", "Broadcast")
def broadcast(op: ChainerOperation) -> Outputs:
    """Expand of each operand to the shape of its output."""
    return [
        op.node("Expand", [value, op.integers(tensor.shape)])
        for value, tensor in zip(op.inputs, op.call.outputs, strict=True)
    ]


@emits("Pad")
def pad(op: ChainerOperation) -> Outputs:
    """Numpy's pad, in the modes that ONNX has."""
    mode, rank = op.setting("mode"), len(op.shape())
    widths = np.broadcast_to(np.asarray(op.setting("pad_width")), (rank, 2))
    pads = op.integers([*widths[:, 0].tolist(), *widths[:, 1].tolist()])
    fill = (op.setting("keywords") or {}).get("constant_values", 0)
    if mode not in ("constant", "edge", "reflect") or np.ndim(fill):
        return op.opaque()
    operands = [op.input(), pads]
    if mode == "constant":
        operands.append(op.scalar(fill, op.input()))
    return [op.node("Pad", operands, mode=mode)]


@emits("Flip", "FlipLR", "FlipUD")
def flip(op: ChainerOperation) -> Outputs:
    """An axis reversed."""
    axis = {"FlipLR": 1, "FlipUD": 0}.get(op.kind, op.setting("axis"))
    return [cutting.turned_round(op, op.input(), [int(axis)])]


@emits("GetItem")
def get_item(op: ChainerOperation) -> Outputs:
    """Slices, single elements and new axes; Gather for one list of indices."""
    shape = op.shape()
    items = _one_per_axis(op.setting("slices"), len(shape))
    if any(isinstance(item, list | np.ndarray) for item in items):
        return _gather(op, items)
    slices: list[tuple[int, int, int, int]] = []
    for axis, item in enumerate(item for item in items if item is not None):
        span = item if isinstance(item, slice) else slice(int(item), int(item) + 1 or None)
        start, stop, step = span.indices(shape[axis])
        if (start, stop, step) != (0, shape[axis], 1):
            slices.append((axis, start, cutting.TO_FRONT if stop < 0 else stop, step))
    if not slices:
        return [op.reshape(op.input(), op.output_shape())]
    part = cutting.cut(op, op.input(), *zip(*slices, strict=True))
    return [op.reshaped(part, op.output_shape())]


def _one_per_axis(slices: Any, rank: int) -> list[Any]:
    """One item for each axis, and None for each new one."""
    items = list(slices) if isinstance(slices, tuple) else [slices]
    named = sum(item is not None and item is not Ellipsis for item in items)
    rest = [slice(None)] * (rank - named)
    position = next((i for i, item in enumerate(items) if item is Ellipsis), None)
    if position is None:
        return [*items, *rest]
    return [*items[:position], *rest, *items[position + 1 :]]


def _gather(op: ChainerOperation, items: list[Any]) -> Outputs:
    """Gather by the only list of indices, where all other axes are taken whole."""
    axes = [i for i, item in enumerate(items) if isinstance(item, list | np.ndarray)]
    index = np.asarray(items[axes[0]])
    whole = all(item == slice(None) for i, item in enumerate(items) if i not in axes)
    if len(axes) != 1 or not whole or index.dtype.kind not in "iu":
        return op.opaque()
    constant = op.constant(index.astype(np.int64))
    return [op.node("Gather", [op.input(), constant], axis=axes[0])]


@emits("Depth2Space", "Space2Depth")
def depth_and_space(op: ChainerOperation) -> Outputs:
    """Blocks of r x r as channels, or back."""
    operator = {"Depth2Space": "DepthToSpace", "Space2Depth": "SpaceToDepth"}[op.kind]
    return [op.node(operator, op.inputs, blocksize=op.integer("r"))]
