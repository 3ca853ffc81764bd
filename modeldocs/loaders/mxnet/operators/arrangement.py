"""Emitters of MXNet's operators that move or join elements: transpose, Concat, tile, Pad …"""

from __future__ import annotations

import math

from modeldocs.loaders.dims import as_text
from modeldocs.loaders.emission import cutting
from modeldocs.loaders.emission.inference import shape_of
from modeldocs.loaders.emission.operation import Outputs
from modeldocs.loaders.mxnet.operation import MxnetOperation, emits


@emits("Flatten")
def flatten(op: MxnetOperation) -> Outputs:
    """All axes but the first as one."""
    op.sizes(least=1)
    return [op.node("Flatten", [op.input()], axis=1)]


@emits("transpose")
def transpose(op: MxnetOperation) -> Outputs:
    """Another order of axes, by default the reverse."""
    rank = len(op.shape())
    order = op.settings.sizes("axes") or tuple(reversed(range(rank)))
    order = tuple(op.checked_axis(axis, rank, "axes") for axis in order)
    if sorted(order) != list(range(rank)):
        raise op.error(f"orders {rank} axes as {order[:9]}", fix="name each axis once")
    return [op.node("Transpose", [op.input()], perm=list(order))]


@emits("SwapAxis")
def swap_axis(op: MxnetOperation) -> Outputs:
    """Two axes exchanged."""
    rank = len(op.shape())
    first, second = op.axis("dim1", 0, rank), op.axis("dim2", 0, rank)
    order = list(range(rank))
    order[first], order[second] = second, first
    return [op.node("Transpose", [op.input()], perm=order)]


@emits("expand_dims")
def expand_dims(op: MxnetOperation) -> Outputs:
    """A new axis of size 1."""
    axis = op.checked_axis(op.settings.integer("axis"), len(op.shape()) + 1)
    return [op.unsqueeze(op.input(), [axis])]


@emits("squeeze")
def squeeze(op: MxnetOperation) -> Outputs:
    """Without some axes of size 1, by default without all of them."""
    shape = op.sizes()
    axes = [op.checked_axis(axis, len(shape)) for axis in op.settings.sizes("axis")]
    axes = axes or [axis for axis, size in enumerate(shape) if size == 1]
    if any(shape[axis] != 1 for axis in axes):
        raise op.error(f"takes axes {axes[:9]} from {as_text(shape)}", fix="name axes of size 1")
    return [op.squeeze(op.input(), sorted(set(axes)))]


@emits("Concat")
def concat(op: MxnetOperation) -> Outputs:
    """Concatenation along `dim`, 1 by default."""
    values = op.values()
    axis = op.axis("dim", 1, len(op.shape(least=1)))
    return [cutting.joined(op, values, axis)]


@emits("_npi_concatenate", "_np_concatenate")
def numpy_concatenate(op: MxnetOperation) -> Outputs:
    """Concatenation along `axis`, 0 by default; of flattened inputs where it is None."""
    values = op.values()
    if op.source.attributes.get("axis") == "None":
        values = [op.reshaped(value, (-1,)) for value in values]
        return op.opaque([(None,)], values)
    axis = op.axis("axis", 0, len(op.shape(least=1)))
    return [cutting.joined(op, values, axis)]


@emits("stack")
def stack(op: MxnetOperation) -> Outputs:
    """Concatenation along a new axis."""
    values, shape = op.values(), op.shape()
    axis = op.axis("axis", 0, len(shape) + 1)
    if any(shape_of(value) != shape for value in values):
        raise op.error("stacks tensors of different shapes", fix="give them one shape")
    return [cutting.joined(op, [op.unsqueeze(value, [axis]) for value in values], axis)]


@emits("tile")
def tile(op: MxnetOperation) -> Outputs:
    """The whole repeated along each axis."""
    shape, reps = op.sizes(), op.settings.sizes("reps")
    if not reps or min(reps) < 1:
        raise op.error(f"has the reps {reps[:9]}", fix="repeat along each axis at least once")
    rank = max(len(shape), len(reps))
    shape, reps = (1,) * (rank - len(shape)) + shape, (1,) * (rank - len(reps)) + reps
    value = op.reshaped(op.input(), shape)
    return [op.node("Tile", [value, op.integers(reps, "reps")])]


@emits("repeat")
def repeat(op: MxnetOperation) -> Outputs:
    """Each element repeated along an axis, or along the flattened input."""
    count = op.settings.integer("repeats", least=1)
    shape, value = op.sizes(), op.input()
    if not op.settings.has("axis"):
        shape = (math.prod(shape),)
        value = op.reshaped(value, shape)
    axis = op.axis("axis", 0, len(shape))
    before, after = shape[: axis + 1], shape[axis + 1 :]
    column = op.reshaped(value, (*before, 1, *after))
    expanded = op.node("Expand", [column, op.integers((*before, count, *after))])
    return [op.reshaped(expanded, (*shape[:axis], shape[axis] * count, *after))]


@emits("broadcast_to", "broadcast_axis", "broadcast_like")
def broadcast_to(op: MxnetOperation) -> Outputs:
    """Broadcast along axes of size 1; 0 in a target shape keeps the size."""
    shape = op.sizes()
    target = _broadcast_target(op, shape)
    if len(target) != len(shape):
        raise op.error(
            f"broadcasts {as_text(shape)} to {as_text(target[:9])}", fix="name every axis"
        )
    target = tuple(new or old for new, old in zip(target, shape, strict=True))
    if any(old not in (1, new) for new, old in zip(target, shape, strict=True)):
        raise op.error(
            f"broadcasts {as_text(shape)} to {as_text(target)}", fix="broadcast axes of size 1 only"
        )
    return [op.node("Expand", [op.input(), op.integers(target)])]


def _broadcast_target(op: MxnetOperation, shape: tuple[int, ...]) -> tuple[int, ...]:
    if op.kind == "broadcast_like":
        return op.sizes(1)
    if op.kind == "broadcast_to":
        return op.settings.sizes("shape")
    target = list(shape)
    for axis, size in zip(op.settings.sizes("axis"), op.settings.sizes("size"), strict=False):
        target[op.checked_axis(axis, len(shape))] = size
    return tuple(target)


@emits("Pad")
def pad(op: MxnetOperation) -> Outputs:
    """Pad by `pad_width`, which has two numbers for each axis in turn: before and after."""
    shape, widths = op.sizes(), op.settings.sizes("pad_width")
    mode = op.settings.choice("mode", None, "constant", "edge", "reflect")
    if len(widths) != 2 * len(shape) or min(widths, default=0) < 0:
        raise op.error(f"has the pad_width {widths[:20]}", fix="give two numbers for each axis")
    inputs = [op.input(), op.integers([*widths[::2], *widths[1::2]], "pads")]
    if mode == "constant":
        inputs.append(op.scalar(op.settings.number("constant_value", 0.0), op.input(), "value"))
    return [op.node("Pad", inputs, mode=mode)]


@emits("depth_to_space", "space_to_depth")
def depth_and_space(op: MxnetOperation) -> Outputs:
    """Channels to blocks of the image, or back."""
    _, channels, height, width = op.image()
    block = op.settings.integer("block_size", least=1)
    to_space = op.kind == "depth_to_space"
    divides = channels % block**2 == 0 if to_space else height % block == width % block == 0
    if not divides:
        raise op.error(
            f"has blocks of {block} in {as_text(op.shape())}", fix="use one that divides"
        )
    operator = "DepthToSpace" if to_space else "SpaceToDepth"
    return [op.node(operator, [op.input()], blocksize=block)]
