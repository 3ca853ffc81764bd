"""Functions that move elements and compute nothing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import onnx_ir as ir

from modeldocs.loaders.chainer.step import Step, emits
from modeldocs.loaders.emission import cutting


@emits("Reshape", "ExpandDims", "Squeeze", "Flatten", "Ravel")
def reshape(step: Step) -> Sequence[ir.Value]:
    """Any new shape, as it came out."""
    return [step.reshape(step.operands[0], step.made())]


@emits("Transpose")
def transpose(step: Step) -> Sequence[ir.Value]:
    """The axes in another order; turned round where none is given."""
    rank = len(step.shape())
    axes = step.setting("axes") or tuple(reversed(range(rank)))
    return [step.transpose(step.operands[0], [int(axis) % rank for axis in axes])]


@emits("Rollaxis", "Moveaxis", "Swapaxes")
def moved_axes(step: Step) -> Sequence[ir.Value]:
    """Other spellings of a transposition; numpy tells which, on an array whose sizes are names."""
    names = np.empty(tuple(range(len(step.shape()))))
    kind = step.call.kind
    if kind == "Rollaxis":
        moved = np.rollaxis(names, step.setting("axis"), step.setting("start"))
    elif kind == "Moveaxis":
        moved = np.moveaxis(names, step.setting("source"), step.setting("destination"))
    else:
        moved = np.swapaxes(names, step.setting("axis1"), step.setting("axis2"))
    return [step.transpose(step.operands[0], list(moved.shape))]


@emits("Concat")
def concat(step: Step) -> Sequence[ir.Value]:
    """Over the channels by default."""
    return [step.node("Concat", step.operands, axis=int(step.setting("axis")))]


@emits("Hstack", "Vstack", "Dstack")
def stacked(step: Step) -> Sequence[ir.Value]:
    """Joined along the first, second or third axis, which flat arrays get first."""
    least, axis = {"Hstack": (1, 1), "Vstack": (2, 0), "Dstack": (3, 2)}[step.call.kind]
    raise_rank = {"Hstack": np.atleast_1d, "Vstack": np.atleast_2d, "Dstack": np.atleast_3d}
    given = []
    for value, tensor in zip(step.operands, step.call.inputs, strict=True):
        wide = raise_rank[step.call.kind](np.empty(tensor.shape, dtype=np.bool_)).shape
        given.append(step.reshape(value, wide) if len(tensor.shape) < least else value)
    return [step.node("Concat", given, axis=min(axis, len(step.made()) - 1))]


@emits("Stack")
def stack(step: Step) -> Sequence[ir.Value]:
    """Joined along a new axis."""
    made = step.made()
    axis = int(step.setting("axis")) % len(made)
    shape = [1 if i == axis else dim for i, dim in enumerate(made)]
    wide = [step.reshape(value, shape) for value in step.operands]
    return [step.node("Concat", wide, axis=axis)]


@emits("SplitAxis")
def split(step: Step) -> Sequence[ir.Value]:
    """Cut where the outputs say."""
    axis = int(step.setting("axis"))
    sizes = [tensor.shape[axis] for tensor in step.call.outputs]
    return cutting.split(step, step.operands[0], sizes, axis)


@emits("Separate")
def separate(step: Step) -> Sequence[ir.Value]:
    """Cut into pieces of one element, without their axis."""
    axis = int(step.setting("axis"))
    pieces = cutting.split(step, step.operands[0], [1] * len(step.call.outputs), axis)
    return [step.reshape(piece, step.made()) for piece in pieces]


@emits("Tile")
def tile(step: Step) -> Sequence[ir.Value]:
    """Repeated as a whole."""
    reps = [int(n) for n in step.setting("reps")]
    rank = len(step.made())
    reps = [1] * (rank - len(reps)) + reps
    shape = (1,) * (rank - len(step.shape())) + step.shape()
    source = step.operands[0]
    return [step.node("Tile", [step.reshaped(source, shape), step.integers(reps)])]


@emits("BroadcastTo", "Broadcast")
def broadcast(step: Step) -> Sequence[ir.Value]:
    """Spread to a shape; each of several to the one they share."""
    return [
        step.node("Expand", [value, step.integers(made.shape)])
        for value, made in zip(step.operands, step.call.outputs, strict=True)
    ]


@emits("Pad")
def pad(step: Step) -> Sequence[ir.Value]:
    """As numpy's pad; modes that ONNX does not have are drawn as they are."""
    mode, rank = step.setting("mode"), len(step.shape())
    widths = np.broadcast_to(np.asarray(step.setting("pad_width")), (rank, 2))
    pads = step.integers([*widths[:, 0].tolist(), *widths[:, 1].tolist()])
    fill = (step.setting("keywords") or {}).get("constant_values", 0)
    if mode not in ("constant", "edge", "reflect") or np.ndim(fill):
        return step.opaque()
    operands = [step.operands[0], pads]
    if mode == "constant":
        operands.append(step.scalar(fill, step.operands[0]))
    return [step.node("Pad", operands, mode=mode)]


@emits("Flip", "FlipLR", "FlipUD")
def flip(step: Step) -> Sequence[ir.Value]:
    """An axis backwards."""
    axis = {"FlipLR": 1, "FlipUD": 0}.get(step.call.kind, step.setting("axis"))
    return [cutting.turned_round(step, step.operands[0], [int(axis)])]


@emits("GetItem")
def get_item(step: Step) -> Sequence[ir.Value]:
    """Slices, single elements and new axes; one list of indices as a Gather."""
    items = _full(step.setting("slices"), len(step.shape()))
    lists = [item for item in items if isinstance(item, list | np.ndarray)]
    if lists:
        return _gathered(step, items)
    cuts: list[tuple[int, int, int, int]] = []
    axis = 0
    for item in items:
        if item is None:
            continue
        one = slice(int(item), int(item) + 1 or None) if not isinstance(item, slice) else item
        begin, end, by = one.indices(step.shape()[axis])
        if (begin, end, by) != (0, step.shape()[axis], 1):
            cuts.append((axis, begin, cutting.TO_FRONT if end < 0 else end, by))
        axis += 1
    value = step.operands[0]
    if cuts:
        value = cutting.cut(step, value, *zip(*cuts, strict=True))
    return [step.reshaped(value, step.made()) if cuts else step.reshape(value, step.made())]


def _full(slices: Any, rank: int) -> list[Any]:
    """One item for each axis, and None for each new one."""
    items = list(slices) if isinstance(slices, tuple) else [slices]
    named = sum(item is not None and item is not Ellipsis for item in items)
    rest = [slice(None)] * (rank - named)
    if any(item is Ellipsis for item in items):
        at = next(i for i, item in enumerate(items) if item is Ellipsis)
        return [*items[:at], *rest, *items[at + 1 :]]
    return [*items, *rest]


def _gathered(step: Step, items: list[Any]) -> Sequence[ir.Value]:
    picks = [i for i, item in enumerate(items) if isinstance(item, list | np.ndarray)]
    index = np.asarray(items[picks[0]])
    plain = all(item == slice(None) for i, item in enumerate(items) if i not in picks)
    if len(picks) != 1 or not plain or index.dtype.kind not in "iu":
        return step.opaque()
    held = step.constant(index.astype(np.int64))
    return [step.node("Gather", [step.operands[0], held], axis=picks[0])]


@emits("Depth2Space", "Space2Depth")
def depth_and_space(step: Step) -> Sequence[ir.Value]:
    """Blocks of r x r as channels, or back."""
    op = {"Depth2Space": "DepthToSpace", "Space2Depth": "SpaceToDepth"}[step.call.kind]
    size = int(step.setting("r"))
    return [step.node(op, step.operands, blocksize=size)]
