"""Modules that move elements and compute nothing.

A batch of one image is told from an image by its first dimension: what Torch7 does for larger
batches is done for it too.
"""

from __future__ import annotations

import math

import onnx_ir as ir

from modeldocs.loaders.dims import said
from modeldocs.loaders.emission import cutting
from modeldocs.loaders.torch7.layer import Flow, Layer, emits


@emits("Identity", "Copy", "Contiguous", "GradientReversal", "L1Penalty")
def identity(layer: Layer) -> Flow:
    """Nothing changes; a table stays one."""
    if isinstance(layer.flow, list):
        return layer.flow
    return layer.node("Identity", [layer.input])


@emits("View")
def view(layer: Layer) -> Flow:
    """A new shape for the last `numInputDims` dimensions, or for all after the batch."""
    shape, sizes = layer.shape(), layer.listed("size")
    dims = layer.optional("numInputDims")
    free = sizes.count(-1)
    if free > 1 or any(size < 1 and size != -1 for size in sizes):
        raise layer.error(f"has the sizes {sizes}", "give sizes from 1 up, and at most one -1")
    inner = shape[len(shape) - dims :] if dims is not None and 0 < dims < len(shape) else ()
    lead = shape[: len(shape) - len(inner)] if inner else ()
    count, elements = math.prod(s for s in sizes if s != -1), math.prod(inner or shape)
    if free and elements % count == 0:
        filled = [elements // count if size == -1 else size for size in sizes]
        return layer.reshape(layer.input, (*_one(lead), *filled))
    batch = math.prod(lead) * (elements // count)
    if free or elements % count:
        raise layer.error(
            f"cannot view {said(shape)} as {said(sizes)}",
            "check its sizes against what it reads",
        )
    return layer.reshape(layer.input, (batch, *sizes))


def _one(lead: tuple[int, ...]) -> tuple[int, ...]:
    return (math.prod(lead),) if lead else ()


@emits("Reshape")
def reshape(layer: Layer) -> Flow:
    """A new shape for all after the batch, or, told so, for all."""
    shape, sizes = layer.shape(), layer.listed("size")
    elements, mode = math.prod(sizes), layer.module.fields.get("batchMode")
    whole = elements == math.prod(shape) and (mode is False or (mode is None and shape[0] != 1))
    return layer.reshape(layer.input, sizes if whole else (shape[0], *sizes))


@emits("Transpose")
def transpose(layer: Layer) -> Flow:
    """Pairs of dimensions swapped, one pair after the other."""
    shape = layer.shape()
    perm = list(range(len(shape)))
    for pair in _pairs(layer):
        a, b = (layer.axis(dim, len(shape)) for dim in pair)
        perm[a], perm[b] = perm[b], perm[a]
    return layer.node("Transpose", [layer.input], perm=perm)


def _pairs(layer: Layer) -> list[list[int]]:
    held = layer.module.fields.get("permutations")
    pairs = held if isinstance(held, list) else []
    if pairs and all(isinstance(item, int) for item in pairs):
        pairs = [pairs]
    if not all(isinstance(p, list) and len(p) == 2 and _whole(p) for p in pairs):
        raise layer.error("swaps what are no pairs", "write nn.Transpose({1, 2})")
    return pairs


def _whole(pair: list[object]) -> bool:
    return all(isinstance(item, int) and not isinstance(item, bool) for item in pair)


@emits("Squeeze")
def squeeze(layer: Layer) -> Flow:
    """Without a dimension of one element, or without all of them after the batch."""
    shape, dim = layer.shape(), layer.optional("dim")
    if dim is None:
        kept = [n for i, n in enumerate(shape) if i == 0 or n != 1]
        return layer.reshape(layer.input, kept)
    axis = layer.axis(dim + _beyond(layer, "numInputDims", len(shape)), len(shape))
    if shape[axis] != 1:
        return layer.node("Identity", [layer.input])
    return layer.reshape(layer.input, shape[:axis] + shape[axis + 1 :])


def _beyond(layer: Layer, field: str, rank: int) -> int:
    """1 where the tensor has a batch that a module does not count."""
    dims = layer.optional(field)
    return int(dims is not None and rank > dims)


@emits("Unsqueeze")
def unsqueeze(layer: Layer) -> Flow:
    """A dimension of one element more."""
    shape = layer.shape()
    place = layer.integer("pos", least=1) + _beyond(layer, "numInputDims", len(shape))
    axis = layer.axis(place, len(shape) + 1)
    return layer.reshape(layer.input, (*shape[:axis], 1, *shape[axis:]))


@emits("Narrow")
def narrow(layer: Layer) -> Flow:
    """Some elements of a dimension."""
    shape = layer.shape()
    axis = layer.axis(layer.integer("dimension", least=-8), len(shape))
    first = layer.axis(layer.integer("index", least=-(2**30)), shape[axis])
    length = layer.integer("length", 1, least=-(2**30))
    last = first + length if length > 0 else shape[axis] + length + 1
    return _cut(layer, axis, first, last)


def _cut(layer: Layer, axis: int, first: int, last: int) -> ir.Value:
    shape = layer.shape()
    if not first < last <= shape[axis]:
        raise layer.error(
            f"takes elements {first + 1} to {last} of {shape[axis]}",
            "take those that are there",
        )
    return cutting.cut(layer, layer.input, [axis], [first], [last])


@emits("Select")
def select(layer: Layer) -> Flow:
    """One element of a dimension, without it."""
    shape = layer.shape()
    axis = layer.axis(layer.integer("dimension", least=-8), len(shape))
    index = layer.axis(layer.integer("index", least=-(2**30)), shape[axis])
    piece = _cut(layer, axis, index, index + 1)
    return layer.reshape(piece, shape[:axis] + shape[axis + 1 :])


@emits("Replicate")
def replicate(layer: Layer) -> Flow:
    """The same again, along a new dimension."""
    shape, count = layer.shape(), layer.integer("nfeatures", least=1)
    place = layer.integer("dim", 1, least=1) + _beyond(layer, "ndim", len(shape))
    axis = layer.axis(place, len(shape) + 1)
    wide = layer.reshape(layer.input, (*shape[:axis], 1, *shape[axis:]))
    made = (*shape[:axis], count, *shape[axis:])
    return layer.node("Expand", [wide, layer.integers(made)])


_MODES = {
    "SpatialZeroPadding": "constant",
    "SpatialReflectionPadding": "reflect",
    "SpatialReplicationPadding": "edge",
}


@emits(*_MODES)
def spatial_padding(layer: Layer) -> Flow:
    """Rows and columns more, or, below zero, fewer."""
    shape = layer.shape(least=3)
    sides = ("pad_t", "pad_l", "pad_b", "pad_r")
    top, left, bottom, right = (layer.integer(side, 0, least=-(2**30)) for side in sides)
    lead = [0] * (len(shape) - 2)
    pads = [*lead, top, left, *lead, bottom, right]
    mode = _MODES[layer.module.builtin]
    return layer.node("Pad", [layer.input, layer.integers(pads)], mode=mode)


@emits("Padding")
def padding(layer: Layer) -> Flow:
    """Elements of one value more, at the end of a dimension or, below zero, at its beginning."""
    shape, pad = layer.shape(), layer.integer("pad", least=-(2**30))
    dim, dims = layer.integer("dim", least=-8), layer.optional("nInputDim")
    more = int(dim > 0 and dims is not None and len(shape) != dims)
    axis = layer.axis(dim + more, len(shape))
    made = [n + abs(pad) if i == axis else n for i, n in enumerate(shape)]
    if layer.integer("index", 1, least=0) != 1:
        return layer.opaque([made])
    begins, ends = [0] * len(shape), [0] * len(shape)
    (begins if pad < 0 else ends)[axis] = abs(pad)
    operands = [layer.input, layer.integers([*begins, *ends])]
    return layer.node("Pad", [*operands, layer.constant(layer.number("value", 0))])
