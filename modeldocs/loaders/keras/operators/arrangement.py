"""Emitters of Keras' reshapes, permutations, pads and crops."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import onnx_ir as ir

from modeldocs.loaders.emission import cutting
from modeldocs.loaders.keras.emitters import computes, emits
from modeldocs.loaders.keras.operation import KerasOperation
from modeldocs.loaders.keras.operators import layout


@emits("Reshape")
@computes("Reshape", "Ravel", "ExpandDims", "Squeeze")
def reshape(op: KerasOperation) -> ir.Value:
    """Reshape to the shape that Keras infers."""
    return _reshaped(op, op.input())


@emits("Flatten")
def flatten(op: KerasOperation) -> ir.Value:
    """Reshape to one axis beside the batch, the channels last."""
    value, rank = op.input(), len(op.shape())
    if op.source.data_format == "channels_first" and rank > 2:
        value = op.transpose(value, [0, *range(2, rank), 1])
    return _reshaped(op, value)


def _reshaped(op: KerasOperation, value: ir.Value) -> ir.Value:
    shape = op.output_shape()
    if shape.count(None) > 1:
        op.size(None)  # raises: ONNX infers one open size at most
    return op.reshape(value, shape)


@emits("Permute")
def permute(op: KerasOperation) -> ir.Value:
    """Transpose of the axes behind the batch."""
    return _permuted(op, [0, *op.source.dims])


@computes("Transpose")
def transpose(op: KerasOperation) -> ir.Value:
    """Transpose; without an order, the axes are reversed."""
    axes = op.source.axes
    return _permuted(op, range(len(op.shape()))[::-1] if axes is None else axes)


@computes("Swapaxes")
def swap_axes(op: KerasOperation) -> ir.Value:
    """Transpose of two axes."""
    order = list(range(len(op.shape())))
    one, other = op.source.axis1, op.source.axis2
    order[one], order[other] = order[other], order[one]
    return _permuted(op, order)


@computes("Moveaxis")
def move_axes(op: KerasOperation) -> ir.Value:
    """Transpose by which some axes get new positions."""
    rank = len(op.shape())
    sources = [axis % rank for axis in op.source.source]
    targets = [axis % rank for axis in op.source.destination]
    order = [axis for axis in range(rank) if axis not in sources]
    for target, source in sorted(zip(targets, sources, strict=True)):
        order.insert(target, source)
    return _permuted(op, order)


def _permuted(op: KerasOperation, order: Iterable[int]) -> ir.Value:
    rank = len(op.shape())
    return op.node("Transpose", [op.input()], perm=[int(axis) % rank for axis in order])


@emits("ZeroPadding1D", "ZeroPadding2D", "ZeroPadding3D")
def zero_padding(op: KerasOperation) -> ir.Value:
    """Pad of the spatial axes with zeros."""
    begins, ends = _begins_and_ends(op.source.padding)
    pads = op.integers([0, 0, *begins, 0, 0, *ends], "pads")
    source = layout.to_first(op, op.input())
    zero = op.number(0.0, source.dtype, "value")
    return layout.back(op, op.node("Pad", [source, pads, zero], mode="constant"))


@computes("Pad")
def pad(op: KerasOperation) -> ir.Value:
    """Pad with a constant, or by reflection."""
    mode = op.source.mode
    if mode not in ("constant", "reflect"):
        raise NotImplementedError(f"ONNX does not pad by {mode}")
    widths = list(op.source.pad_width)
    if len(widths) == 1:
        widths = widths * len(op.shape())
    pads = [int(before) for before, _ in widths] + [int(after) for _, after in widths]
    fill = op.arguments.get("constant_values")
    value = op.number(0 if fill is None else fill, op.input().dtype, "value")
    operands = [op.integers(pads, "pads"), value if mode == "constant" else None]
    return op.node("Pad", [op.input(), *operands], mode=mode)


@emits("Cropping1D", "Cropping2D", "Cropping3D")
def cropping(op: KerasOperation) -> ir.Value:
    """Slice of the spatial axes."""
    begins, crops = _begins_and_ends(op.source.cropping)
    source = layout.to_first(op, op.input())
    sizes = [op.size(size) for size in op.shape_of(source)[2:]]
    ends = [size - crop for size, crop in zip(sizes, crops, strict=True)]
    value = cutting.cut(op, source, range(2, 2 + len(begins)), begins, ends)
    return layout.back(op, value)


def _begins_and_ends(setting: Sequence[int | Sequence[int]]) -> tuple[list[int], list[int]]:
    """Amounts before and after each axis; a layer of one axis has a plain pair."""
    pairs = [setting] if all(isinstance(item, int) for item in setting) else setting
    begins, ends = zip(*pairs, strict=True)
    return [int(begin) for begin in begins], [int(end) for end in ends]
