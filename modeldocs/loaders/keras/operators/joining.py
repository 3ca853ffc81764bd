"""Emitters that join, split and repeat tensors of Keras."""

from __future__ import annotations

from collections.abc import Sequence

import onnx_ir as ir

from modeldocs.loaders.emission import cutting
from modeldocs.loaders.keras.emitters import computes, emits
from modeldocs.loaders.keras.operation import KerasOperation


@computes("Concatenate", "Append")
def concatenate(op: KerasOperation) -> ir.Value:
    if op.kind == "Append":
        raise NotImplementedError("it flattens its input")
    parts = [op.promote(value) for value in op.arguments_of("xs")]
    return op.node("Concat", parts, axis=int(op.source.axis))


@computes("Stack")
def stack(op: KerasOperation) -> ir.Value:
    """Concat along a new axis."""
    axis = int(op.source.axis)
    axes = op.integers([axis], "axes")
    parts = [op.node("Unsqueeze", [op.promote(value), axes]) for value in op.arguments_of("x")]
    return op.node("Concat", parts, axis=axis)


@computes("Unstack")
def unstack(op: KerasOperation) -> list[ir.Value]:
    """A Gather for each index along an axis."""
    axis = int(op.source.axis)
    indices = [op.number(i, ir.DataType.INT64, "index") for i in range(len(op.outputs))]
    return [op.node("Gather", [op.input(), index], axis=axis) for index in indices]


@computes("Split")
def split(op: KerasOperation) -> list[ir.Value]:
    """Split into equal parts, or at given indices."""
    axis, count = int(op.source.axis), len(op.outputs)
    if isinstance(op.source.indices_or_sections, int):
        return op.node_of_several("Split", [op.input()], count, axis=axis, num_outputs=count)
    sizes = [op.size(op.output_shape(index)[axis]) for index in range(count)]
    return cutting.split(op, op.input(), sizes, axis)


@computes("BroadcastTo")
def broadcast(op: KerasOperation) -> ir.Value:
    return expand(op, op.input(), op.output_shape())


def expand(op: KerasOperation, value: ir.Value, shape: Sequence[int | None]) -> ir.Value:
    """The value repeated along axes of one element, to a shape that must be known."""
    sizes = [op.size(size) for size in shape]
    return op.node("Expand", [value, op.integers(sizes, "shape")])


@computes("Tile")
def tile(op: KerasOperation) -> ir.Value:
    """Tile; the shorter of repeats and shape gets ones before it."""
    setting = op.source.repeats
    repeats = [setting] if isinstance(setting, int) else [int(count) for count in setting]
    source, rank = op.input(), len(op.shape())
    if len(repeats) > rank:
        source = op.reshape(source, [*[1] * (len(repeats) - rank), *op.shape()])
    repeats = [*[1] * (rank - len(repeats)), *repeats]
    return op.node("Tile", [source, op.integers(repeats, "repeats")])


@emits("RepeatVector")
def repeat_vector(op: KerasOperation) -> ir.Value:
    """Tile along a new axis behind the batch."""
    steps = op.unsqueeze(op.input(), [1])
    return op.node("Tile", [steps, op.integers([1, int(op.source.n), 1], "repeats")])


@computes("Repeat")
def repeat(op: KerasOperation) -> ir.Value:
    """Tile along an axis added behind the one that is repeated, and Reshape."""
    axis, count = op.source.axis, op.source.repeats
    if axis is None or not isinstance(count, int):
        raise NotImplementedError("it repeats each part differently, or flattens")
    rank = len(op.shape())
    added = axis % rank + 1
    repeats = [1] * (rank + 1)
    repeats[added] = count
    wide = op.unsqueeze(op.input(), [added])
    tiled = op.node("Tile", [wide, op.integers(repeats, "repeats")])
    return op.reshape(tiled, op.output_shape())
