"""Emitters that join, split, stack and repeat tensors."""

from __future__ import annotations

from modeldocs.loaders.emission import cutting
from modeldocs.loaders.tensorflow.operation import (
    Outputs,
    TensorFlowOperation,
    UnsupportedError,
    emits,
)


@emits("ConcatV2", "Concat")
def concat(op: TensorFlowOperation) -> Outputs:
    """Concat; the axis is the last operand, in the older operator the first."""
    count = len(op.source.inputs)
    last = op.kind == "ConcatV2"
    axis = op.numbers(count - 1 if last else 0)[0]
    slots = range(count - 1) if last else range(1, count)
    return op.result("Concat", [op.input(slot) for slot in slots], axis=_checked(axis, op))


def _checked(axis: int, op: TensorFlowOperation, more: int = 0) -> int:
    rank = len(op.output_shape()) + more
    if not -rank <= axis < rank:
        raise UnsupportedError(f"has the axis {axis} for a tensor of {rank} axes")
    return axis % rank


@emits("Split", "SplitV")
def split(op: TensorFlowOperation) -> Outputs:
    """Split into equal parts, or into parts of given sizes."""
    even = op.kind == "Split"
    axis = _checked(op.numbers(0 if even else 2)[0], op)
    count = op.graph.typed.count(op.name)
    sizes = [op.output_shape(output)[axis] for output in range(count)]
    known = [size for size in sizes if isinstance(size, int)]
    if len(known) != count:
        raise UnsupportedError("has parts of unknown size")
    return cutting.split(op, op.input(1 if even else 0), known, axis)


@emits("IdentityN")
def passed_on(op: TensorFlowOperation) -> Outputs:
    """Identity of each value: what remains of a function with a custom gradient."""
    return [op.node("Identity", [value]) for value in op.values()]


@emits("Unpack")
def unpack(op: TensorFlowOperation) -> Outputs:
    """Split into parts of one element, each without its axis."""
    count = op.graph.typed.count(op.name)
    axis = _checked(int(op.attribute("axis", 0)), op, more=1)
    parts = op.node_of_several("Split", [op.input(0)], count, axis=axis, num_outputs=count)
    return [op.squeeze(part, [axis]) for part in parts]


@emits("Pack")
def pack(op: TensorFlowOperation) -> Outputs:
    """Concat of the values, each with an axis more."""
    axis = _checked(int(op.attribute("axis", 0)), op)
    parts = [op.unsqueeze(value, [axis]) for value in op.values()]
    return op.result("Concat", parts, axis=axis)


@emits("Tile")
def tile(op: TensorFlowOperation) -> Outputs:
    """Tile by the number of copies along each axis."""
    return op.result("Tile", [op.input(0), op.shape_operand(1)])


@emits("BroadcastTo")
def broadcast(op: TensorFlowOperation) -> Outputs:
    """Expand to a shape."""
    return op.result("Expand", [op.input(0), op.shape_operand(1)])


@emits("Fill")
def fill(op: TensorFlowOperation) -> Outputs:
    """Expand of one number to a shape."""
    return op.result("Expand", [op.input(1), op.shape_operand(0)])


@emits("ZerosLike", "OnesLike")
def filled_like(op: TensorFlowOperation) -> Outputs:
    """One number in the shape of another tensor."""
    number = float(op.kind == "OnesLike")
    like = op.constant(number, op.output_dtype())
    shape = op.node("Shape", [op.input(0)])
    return op.result("Expand", [like, shape])


@emits("Range")
def numbers_between(op: TensorFlowOperation) -> Outputs:
    """Range: numbers from a start to below an end."""
    return op.result("Range", op.values())
