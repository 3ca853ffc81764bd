"""Emitters of Torch7's modules that move elements and compute nothing.

Torch7's modules guess from the number of elements whether an input is a batch, which fails for a
batch of one item. Here the first dimension is the batch, so such a batch is treated as larger ones.
"""

from __future__ import annotations

import math

import onnx_ir as ir

from modeldocs.loaders.dims import as_text
from modeldocs.loaders.emission import cutting
from modeldocs.loaders.torch7.operation import Flow, TorchOperation, emits


@emits("Identity", "Copy", "Contiguous", "GradientReversal", "L1Penalty")
def identity(op: TorchOperation) -> Flow:
    """Identity of a tensor, or the table itself."""
    if isinstance(op.flow, list):
        return op.flow
    return op.node("Identity", [op.input()])


@emits("View")
def view(op: TorchOperation) -> Flow:
    """Reshape of the last `numInputDims` dimensions, or of all after the batch."""
    shape, sizes = op.shape(), op.integers_of("size")
    rank = op.optional("numInputDims")
    free = sizes.count(-1)
    if free > 1 or any(size < 1 and size != -1 for size in sizes):
        raise op.error(f"has the sizes {sizes}", "give sizes from 1 up, and at most one -1")
    inner = shape[len(shape) - rank :] if rank is not None and 0 < rank < len(shape) else ()
    leading = shape[: len(shape) - len(inner)] if inner else ()
    known, elements = math.prod(s for s in sizes if s != -1), math.prod(inner or shape)
    if elements % known:
        raise op.error(
            f"cannot view {as_text(shape)} as {as_text(sizes)}",
            "check its sizes against what it reads",
        )
    if free:
        filled = [elements // known if size == -1 else size for size in sizes]
        batch = [math.prod(leading)] if leading else []
        return op.reshape(op.input(), (*batch, *filled))
    return op.reshape(op.input(), (math.prod(leading) * (elements // known), *sizes))


@emits("Reshape")
def reshape(op: TorchOperation) -> Flow:
    """Reshape of all dimensions after the batch, or of all where `batchMode` says so."""
    shape, sizes = op.shape(), op.integers_of("size")
    mode = op.module.fields.get("batchMode")
    fits = math.prod(sizes) == math.prod(shape)
    whole = fits and (mode is False or (mode is None and shape[0] != 1))
    return op.reshape(op.input(), sizes if whole else (shape[0], *sizes))


@emits("Transpose")
def transpose(op: TorchOperation) -> Flow:
    """Transpose by pairs of dimensions, swapped one pair after the other."""
    shape = op.shape()
    perm = list(range(len(shape)))
    for pair in _pairs(op):
        a, b = (op.axis(dim, len(shape)) for dim in pair)
        perm[a], perm[b] = perm[b], perm[a]
    return op.node("Transpose", [op.input()], perm=perm)


def _pairs(op: TorchOperation) -> list[list[int]]:
    field = op.module.fields.get("permutations")
    pairs = field if isinstance(field, list) else []
    if pairs and all(isinstance(item, int) for item in pairs):
        pairs = [pairs]
    if not all(isinstance(pair, list) and [type(i) for i in pair] == [int, int] for pair in pairs):
        raise op.error("swaps what are no pairs", "write nn.Transpose({1, 2})")
    return pairs


@emits("Squeeze")
def squeeze(op: TorchOperation) -> Flow:
    """Reshape without one dimension of one element, or without all of them after the batch."""
    shape, dim = op.shape(), op.optional("dim")
    if dim is None:
        kept = [n for i, n in enumerate(shape) if i == 0 or n != 1]
        return op.reshape(op.input(), kept)
    axis = op.axis(dim + _batch_axes(op, "numInputDims", len(shape)), len(shape))
    if shape[axis] != 1:
        return op.node("Identity", [op.input()])
    return op.reshape(op.input(), shape[:axis] + shape[axis + 1 :])


def _batch_axes(op: TorchOperation, field: str, rank: int) -> int:
    """1 where a tensor of this rank has a batch that the module's dimensions do not count."""
    dims = op.optional(field)
    return int(dims is not None and rank > dims)


@emits("Unsqueeze")
def unsqueeze(op: TorchOperation) -> Flow:
    """Reshape with one more dimension of one element."""
    shape = op.shape()
    place = op.integer("pos", least=1) + _batch_axes(op, "numInputDims", len(shape))
    axis = op.axis(place, len(shape) + 1)
    return op.reshape(op.input(), (*shape[:axis], 1, *shape[axis:]))


@emits("Narrow")
def narrow(op: TorchOperation) -> Flow:
    """Slice of one dimension; a negative length counts from the back."""
    shape = op.shape()
    axis = op.axis_of("dimension", value=op.input())
    first = op.axis(op.integer("index", least=-(2**30)), shape[axis])
    length = op.integer("length", 1, least=-(2**30))
    last = first + length if length > 0 else shape[axis] + length + 1
    return _cut(op, axis, first, last)


def _cut(op: TorchOperation, axis: int, first: int, last: int) -> ir.Value:
    shape = op.shape()
    if not first < last <= shape[axis]:
        raise op.error(
            f"takes elements {first + 1} to {last} of {shape[axis]}",
            "take those that are there",
        )
    return cutting.cut(op, op.input(), [axis], [first], [last])


@emits("Select")
def select(op: TorchOperation) -> Flow:
    """Slice of one element of a dimension, which goes."""
    shape = op.shape()
    axis = op.axis_of("dimension", value=op.input())
    index = op.axis(op.integer("index", least=-(2**30)), shape[axis])
    piece = _cut(op, axis, index, index + 1)
    return op.reshape(piece, shape[:axis] + shape[axis + 1 :])


@emits("Replicate")
def replicate(op: TorchOperation) -> Flow:
    """Expand along a new dimension."""
    shape, count = op.shape(), op.integer("nfeatures", least=1)
    place = op.integer("dim", 1, least=1) + _batch_axes(op, "ndim", len(shape))
    axis = op.axis(place, len(shape) + 1)
    wide = op.reshape(op.input(), (*shape[:axis], 1, *shape[axis:]))
    return op.node("Expand", [wide, op.integers((*shape[:axis], count, *shape[axis:]))])


_MODES = {
    "SpatialZeroPadding": "constant",
    "SpatialReflectionPadding": "reflect",
    "SpatialReplicationPadding": "edge",
}


@emits(*_MODES)
def spatial_padding(op: TorchOperation) -> Flow:
    """Pad of height and width; negative pads crop."""
    shape = op.shape(least=3)
    sides = ("pad_t", "pad_l", "pad_b", "pad_r")
    top, left, bottom, right = (op.integer(side, 0, least=-(2**30)) for side in sides)
    zeros = [0] * (len(shape) - 2)
    pads = op.integers([*zeros, top, left, *zeros, bottom, right])
    return op.node("Pad", [op.input(), pads], mode=_MODES[op.kind])


@emits("Padding")
def padding(op: TorchOperation) -> Flow:
    """Pad of one dimension at its end, or at its beginning where `pad` is negative."""
    shape, pad = op.shape(), op.integer("pad", least=-(2**30))
    dim, dims = op.integer("dim", least=-8), op.optional("nInputDim")
    batched = dim > 0 and dims is not None and len(shape) != dims
    axis = op.axis(dim + batched, len(shape))
    if op.integer("index", 1, least=0) != 1:
        return op.opaque([(*shape[:axis], shape[axis] + abs(pad), *shape[axis + 1 :])])
    begins, ends = [0] * len(shape), [0] * len(shape)
    (begins if pad < 0 else ends)[axis] = abs(pad)
    operands = [op.input(), op.integers([*begins, *ends])]
    return op.node("Pad", [*operands, op.constant(op.number("value", 0))])
