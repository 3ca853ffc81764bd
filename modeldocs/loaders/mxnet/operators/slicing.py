"""Emitters of MXNet's operators that take parts of a tensor: slice, split, Crop, reverse."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import onnx_ir as ir

from modeldocs.loaders.dims import as_text, sizes
from modeldocs.loaders.emission import cutting
from modeldocs.loaders.emission.inference import shape_of
from modeldocs.loaders.emission.operation import Outputs
from modeldocs.loaders.mxnet.operation import MxnetOperation, emits


def cut(
    op: MxnetOperation,
    value: ir.Value,
    axes: Sequence[int],
    begins: Sequence[int],
    ends: Sequence[int],
) -> ir.Value:
    """The part of a value between begin and end of each axis, which must lie inside."""
    shape = sizes(shape_of(value))
    for axis, begin, end in zip(axes, begins, ends, strict=True):
        if not 0 <= begin < end <= shape[axis]:
            raise op.error(
                f"takes {begin} to {end} of {shape[axis]} along axis {axis}",
                fix="check it, or pass --input with the shape that it was made for",
            )
    return cutting.cut(op, value, axes, begins, ends)


@emits("slice")
def slice_(op: MxnetOperation) -> Outputs:
    """Slice along the first axes, with None for an open end."""
    if op.source.source_op == "crop" and len(op.inputs) > 1:
        return crop(op)
    shape = op.sizes()
    begins, ends = op.settings.optional_sizes("begin"), op.settings.optional_sizes("end")
    steps = op.settings.optional_sizes("step") or (None,) * len(begins)
    if not len(begins) == len(ends) == len(steps) <= len(shape):
        raise op.error("has `begin` and `end` of another rank", fix="give one for each axis")
    slices = []
    for axis, (begin, end, step) in enumerate(zip(begins, ends, steps, strict=True)):
        span = range(*slice(begin, end, step or 1).indices(shape[axis]))
        if not span:
            raise op.error(f"takes nothing of axis {axis}", fix="check `begin` and `end`")
        # The end of a backward slice that includes the first element lies before it.
        slices.append((span.start, span.stop if span.stop >= 0 else -(2**31), span.step))
    starts, stops, strides = zip(*slices, strict=True) if slices else ((), (), ())
    return [cutting.cut(op, op.input(), range(len(slices)), starts, stops, strides)]


@emits("slice_axis")
def slice_axis(op: MxnetOperation) -> Outputs:
    """Slice along one axis, with None for an open end."""
    shape = op.sizes(least=1)
    axis = op.checked_axis(op.settings.integer("axis"), len(shape))
    begin = op.settings.integer("begin")
    end = op.settings.integer("end") if op.settings.has("end") else shape[axis]
    span = range(*slice(begin, end).indices(shape[axis]))
    return [cut(op, op.input(), [axis], [span.start], [span.stop])]


@emits("slice_like")
def slice_like(op: MxnetOperation) -> Outputs:
    """Slice to another tensor's sizes, along all axes or those in the settings."""
    shape, like = op.sizes(), op.sizes(1)
    axes = [op.checked_axis(axis, len(shape), "axes") for axis in op.settings.sizes("axes")]
    axes = axes or list(range(len(shape)))
    if max(axes, default=0) >= len(like):
        raise op.error(f"is like {as_text(like)} along {axes[:9]}", fix="name axes of both")
    return [cut(op, op.input(), axes, [0] * len(axes), [like[axis] for axis in axes])]


@emits("SliceChannel")
def slice_channel(op: MxnetOperation) -> Outputs:
    """Split into parts of equal size along an axis, which may be squeezed."""
    count = op.settings.integer("num_outputs", least=1)
    shape = op.sizes(least=1)
    axis = op.axis("axis", 1, len(shape))
    if shape[axis] % count:
        raise op.error(f"splits {shape[axis]} into {count}", fix="use a number that divides it")
    return _split(op, axis, [shape[axis] // count] * count)


@emits("split_v2")
def split_v2(op: MxnetOperation) -> Outputs:
    """Split along an axis at indices, or into parts of equal size."""
    shape = op.sizes(least=1)
    axis = op.axis("axis", 1, len(shape))
    sections = op.settings.integer("sections", 0)
    if sections > 0 and shape[axis] % sections == 0:
        return _split(op, axis, [shape[axis] // sections] * sections)
    indices = [index for index in op.settings.sizes("indices") if index]
    edges = [0, *indices, shape[axis]]
    parts = [end - begin for begin, end in itertools.pairwise(edges)]
    if sections > 0 or min(parts) < 1:
        raise op.error(f"splits {shape[axis]} into {parts[:9]}", fix="check `indices`")
    return _split(op, axis, parts)


def _split(op: MxnetOperation, axis: int, parts: Sequence[int]) -> Outputs:
    if len(parts) > 10_000:
        raise op.error(f"has {len(parts)} outputs", fix="split it into fewer")
    squeezes = op.settings.flag("squeeze_axis", default=False)
    if len(parts) == 1:
        values = [op.input()] if squeezes else [op.node("Identity", [op.input()])]
    else:
        values = cutting.split(op, op.input(), parts, axis)
    if not squeezes:
        return values
    if set(parts) != {1}:
        raise op.error(f"squeezes parts of {parts[0]}", fix="split it into parts of size 1")
    return [op.squeeze(value, [axis]) for value in values]


@emits("Crop")
def crop(op: MxnetOperation) -> Outputs:
    """Height and width cropped to a size or another tensor's, at an offset or in the middle."""
    shape = op.image()
    target = op.image(1)[2:4] if len(op.inputs) > 1 else op.settings.sizes("h_w")
    offset = op.settings.sizes("offset", (0, 0))
    if len(target) != 2 or len(offset) != 2:
        raise op.error("has no size of two numbers", fix="give `h_w` and `offset` as (y, x)")
    if op.settings.flag("center_crop", default=False):
        offset = ((shape[2] - target[0]) // 2, (shape[3] - target[1]) // 2)
    ends = [begin + size for begin, size in zip(offset, target, strict=True)]
    return [cut(op, op.input(), [2, 3], offset, ends)]


@emits("reverse")
def reverse(op: MxnetOperation) -> Outputs:
    """Axes reversed."""
    rank = len(op.sizes())
    axes = {op.checked_axis(axis, rank) for axis in op.settings.sizes("axis")}
    return [cutting.turned_round(op, op.input(), sorted(axes))]


@emits("SequenceLast")
def sequence_last(op: MxnetOperation) -> Outputs:
    """The last step of each sequence, by default along axis 0."""
    shape = op.sizes(least=2)
    axis = op.axis("axis", 0, len(shape))
    if op.settings.flag("use_sequence_length", default=False):
        return op.opaque([(*shape[:axis], *shape[axis + 1 :])])
    last = cut(op, op.input(), [axis], [shape[axis] - 1], [shape[axis]])
    return [op.squeeze(last, [axis])]


@emits("SequenceMask", "SequenceReverse")
def sequence(op: MxnetOperation) -> Outputs:
    """Sequences of different lengths masked or reversed, by MXNet's own operator."""
    return op.opaque([op.shape()])
