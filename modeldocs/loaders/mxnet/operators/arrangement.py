"""Operators that move or join what a tensor holds: Reshape, transpose, Concat, tile, Pad …"""

from __future__ import annotations

import math
from collections.abc import Sequence

import onnx_ir as ir

from modeldocs.loaders.dims import said
from modeldocs.loaders.emission import cutting
from modeldocs.loaders.emission.inference import shape_of
from modeldocs.loaders.mxnet.operation import Operation, Outputs, emits


@emits("Flatten")
def flatten(op: Operation) -> Outputs:
    """All but the first axis as one."""
    op.sizes(least=1)
    return [op.node("Flatten", [op.value()], axis=1)]


@emits("Reshape")
def reshape(op: Operation) -> Outputs:
    """Reshape by MXNet's codes: 0 keeps, -1 infers, -2 keeps the rest, -3 merges, -4 splits."""
    shape, codes = op.sizes(), op.settings.sizes("shape")
    if not codes:
        return [_reshaped(op, shape, _legacy(op, shape))]
    if op.settings.flag("reverse", default=False):
        made = _decode(op, shape[::-1], list(codes[::-1]))[::-1]
    else:
        made = _decode(op, shape, list(codes))
    return [_reshaped(op, shape, made)]


def _legacy(op: Operation, shape: tuple[int, ...]) -> list[int]:
    """`target_shape` of before 0.9: 0 is inferred, and the batch may be kept."""
    target = list(op.settings.sizes("target_shape"))
    if not target:
        raise op.error("has no `shape`", fix="give it one")
    if op.settings.flag("keep_highest", default=False):
        target[0] = shape[0]
    return [size or -1 for size in target]


def _decode(op: Operation, shape: tuple[int, ...], codes: list[int]) -> list[int]:
    made: list[int] = []
    at = place = 0
    while place < len(codes):
        code, place = codes[place], place + 1
        rest = shape[at:]
        if (code in (0, -4) and not rest) or (code == -3 and len(rest) < 2) or code < -4:
            raise _unfit(op, shape)
        if code == 0:
            made.append(rest[0])
        elif code == -2:
            made += rest
        elif code == -3:
            made.append(rest[0] * rest[1])
        elif code == -4:
            made += _split(op, rest[0], codes[place : place + 2], shape)
            place += 2
        else:
            made.append(code)
        at += {-2: len(rest), -3: 2}.get(code, 1)
    return made


def _split(op: Operation, size: int, parts: list[int], shape: tuple[int, ...]) -> list[int]:
    known = [part for part in parts if part > 0]
    if len(parts) != 2 or not known or (len(known) == 1 and size % known[0]):
        raise _unfit(op, shape)
    return [part if part > 0 else size // known[0] for part in parts]


def _reshaped(op: Operation, shape: tuple[int, ...], wanted: Sequence[int]) -> ir.Value:
    known = math.prod(size for size in wanted if size != -1)
    total = math.prod(shape)
    if list(wanted).count(-1) > 1 or known < 1 or total % known:
        raise _unfit(op, shape)
    made = tuple(total // known if size == -1 else size for size in wanted)
    if math.prod(made) != total:
        raise _unfit(op, shape)
    return op.node("Reshape", [op.value(), op.integers(made)])


def _unfit(op: Operation, shape: tuple[int, ...]) -> Exception:
    told = op.settings.text("shape", op.settings.text("target_shape", "()"))
    return op.error(
        f"cannot reshape {said(shape)} to {told[:100]}",
        fix="check it, or pass --input with the shape that it was made for",
    )


@emits("reshape_like")
def reshape_like(op: Operation) -> Outputs:
    """The first operand in the second's shape."""
    return [_reshaped(op, op.sizes(), op.sizes(1))]


@emits("transpose")
def transpose(op: Operation) -> Outputs:
    """Another order of axes; without one they turn round."""
    rank = len(op.shape())
    order = op.settings.sizes("axes") or tuple(reversed(range(rank)))
    order = tuple(op.checked_axis(axis, rank, "axes") for axis in order)
    if sorted(order) != list(range(rank)):
        raise op.error(f"orders {rank} axes as {order[:9]}", fix="name each axis once")
    return [op.node("Transpose", [op.value()], perm=list(order))]


@emits("SwapAxis")
def swap_axis(op: Operation) -> Outputs:
    """Two axes in each other's place."""
    shape = list(op.shape())
    first, second = op.axis("dim1", 0, len(shape)), op.axis("dim2", 0, len(shape))
    order = list(range(len(shape)))
    order[first], order[second] = second, first
    return [op.node("Transpose", [op.value()], perm=order)]


@emits("expand_dims")
def expand_dims(op: Operation) -> Outputs:
    """An axis of size 1 more."""
    shape = op.shape()
    axis = op.checked_axis(op.settings.integer("axis"), len(shape) + 1)
    return [op.unsqueeze(op.value(), [axis])]


@emits("squeeze")
def squeeze(op: Operation) -> Outputs:
    """Axes of size 1 less: those named, or all of them."""
    shape = op.sizes()
    named = op.settings.sizes("axis")
    axes = [op.checked_axis(axis, len(shape)) for axis in named]
    axes = axes or [axis for axis, size in enumerate(shape) if size == 1]
    if any(shape[axis] != 1 for axis in axes):
        raise op.error(f"takes axes {axes[:9]} from {said(shape)}", fix="name axes of size 1")
    return [op.squeeze(op.value(), sorted(set(axes)))]


@emits("Concat")
def concat(op: Operation) -> Outputs:
    """Joined along `dim`, 1 unless given."""
    given = op.values()
    shape = op.shape(least=1)
    axis = op.axis("dim", 1, len(shape))
    return [cutting.joined(op, given, axis)]


@emits("stack")
def stack(op: Operation) -> Outputs:
    """Joined along a new axis."""
    given = op.values()
    shape = op.shape()
    axis = op.axis("axis", 0, len(shape) + 1)
    if any(shape_of(value) != shape for value in given):
        raise op.error("stacks tensors of different shapes", fix="make them alike")
    return [cutting.joined(op, [op.unsqueeze(value, [axis]) for value in given], axis)]


@emits("tile")
def tile(op: Operation) -> Outputs:
    """Repeated as a whole along each axis."""
    shape, reps = op.sizes(), op.settings.sizes("reps")
    if not reps or min(reps) < 1:
        raise op.error(f"has the reps {reps[:9]}", fix="repeat along each axis at least once")
    rank = max(len(shape), len(reps))
    shape, reps = (1,) * (rank - len(shape)) + shape, (1,) * (rank - len(reps)) + reps
    value = op.reshaped(op.value(), shape)
    return [op.node("Tile", [value, op.integers(reps, "reps")])]


@emits("repeat")
def repeat(op: Operation) -> Outputs:
    """Each element repeated in its place along an axis, or of all in a row."""
    times = op.settings.integer("repeats", least=1)
    shape, value = op.sizes(), op.value()
    if not op.settings.has("axis"):
        shape = (math.prod(shape),)
        value = op.reshaped(value, shape)
    axis = op.axis("axis", 0, len(shape))
    wide = (*shape[: axis + 1], times, *shape[axis + 1 :])
    lean = (*shape[: axis + 1], 1, *shape[axis + 1 :])
    spread = op.node("Expand", [op.reshaped(value, lean), op.integers(wide)])
    return [op.reshaped(spread, (*shape[:axis], shape[axis] * times, *shape[axis + 1 :]))]


@emits("broadcast_to", "broadcast_axis", "broadcast_like")
def broadcast_to(op: Operation) -> Outputs:
    """Spread along axes of size 1; 0 in a shape keeps the size."""
    shape = op.sizes()
    if op.source.op == "broadcast_like":
        wanted = op.sizes(1)
    elif op.source.op == "broadcast_axis":
        wanted = _along(op, shape)
    else:
        wanted = op.settings.sizes("shape")
    if len(wanted) != len(shape):
        raise op.error(f"spreads {said(shape)} to {said(wanted[:9])}", fix="name every axis")
    made = tuple(want or size for want, size in zip(wanted, shape, strict=True))
    if any(size not in (1, want) for want, size in zip(made, shape, strict=True)):
        raise op.error(f"spreads {said(shape)} to {said(made)}", fix="spread axes of size 1 only")
    return [op.node("Expand", [op.value(), op.integers(made)])]


def _along(op: Operation, shape: tuple[int, ...]) -> tuple[int, ...]:
    wanted = list(shape)
    for axis, size in zip(op.settings.sizes("axis"), op.settings.sizes("size"), strict=False):
        wanted[op.checked_axis(axis, len(shape))] = size
    return tuple(wanted)


@emits("Pad")
def pad(op: Operation) -> Outputs:
    """Pad: `pad_width` names before and after of each axis in turn."""
    shape, widths = op.sizes(), op.settings.sizes("pad_width")
    mode = op.settings.choice("mode", None, "constant", "edge", "reflect")
    if len(widths) != 2 * len(shape) or min(widths, default=0) < 0:
        raise op.error(f"has the pad_width {widths[:20]}", fix="give two numbers for each axis")
    begins, ends = widths[::2], widths[1::2]
    inputs = [op.value(), op.integers([*begins, *ends], "pads")]
    if mode == "constant":
        inputs.append(op.scalar(op.settings.number("constant_value", 0.0), op.value(), "value"))
    return [op.node("Pad", inputs, mode=mode)]


@emits("depth_to_space", "space_to_depth")
def blocks(op: Operation) -> Outputs:
    """Channels to blocks of the image, or back."""
    _, channels, height, width = op.image()
    block = op.settings.integer("block_size", least=1)
    grows = op.source.op == "depth_to_space"
    whole = channels % block**2 == 0 if grows else height % block == 0 and width % block == 0
    if not whole:
        raise op.error(f"has blocks of {block} in {said(op.shape())}", fix="use one that divides")
    kind = "DepthToSpace" if grows else "SpaceToDepth"
    return [op.node(kind, [op.value()], blocksize=block)]
