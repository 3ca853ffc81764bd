"""Emitters of Keras' layers that merge several tensors."""

from __future__ import annotations

import functools

import onnx_ir as ir

from modeldocs.loaders.emission import normalization
from modeldocs.loaders.keras.emitters import emits
from modeldocs.loaders.keras.operation import KerasOperation
from modeldocs.loaders.keras.operators.arithmetic import BINARY

_ELEMENTWISE = {**BINARY, "Average": "Mean"}


@emits("Add", "Subtract", "Multiply", "Average", "Maximum", "Minimum")
def elementwise(op: KerasOperation) -> ir.Value:
    """One operator over all inputs, repeated where it takes two."""
    values, operator = _of_equal_rank(op, op.arguments_of("inputs")), _ELEMENTWISE[op.kind]
    if len(values) == 1:
        return op.node("Identity", [values[0]])
    if operator in ("Max", "Min", "Mean"):
        return op.node(operator, values)
    return functools.reduce(lambda a, b: op.node(operator, [a, b]), values)


def _of_equal_rank(op: KerasOperation, values: list[ir.Value]) -> list[ir.Value]:
    """Values of which those of a smaller rank have axes added behind the batch."""
    rank = max(len(op.shape_of(value)) for value in values)
    missing = [rank - len(op.shape_of(value)) for value in values]
    return [
        op.unsqueeze(value, range(1, 1 + count)) if count else value
        for value, count in zip(values, missing, strict=True)
    ]


@emits("Concatenate")
def concatenate(op: KerasOperation) -> ir.Value:
    """Concat along an axis."""
    return op.node("Concat", op.arguments_of("inputs"), axis=int(op.source.axis))


@emits("Dot")
def dot(op: KerasOperation) -> ir.Value:
    """Einsum over one axis of each input, after scaling to unit length where that is set."""
    layer = op.source
    left, right = op.arguments_of("inputs")
    axes = layer.axes if isinstance(layer.axes, list | tuple) else (layer.axes, layer.axes)
    ranks = [len(op.shape_of(value)) for value in (left, right)]
    left_axis, right_axis = (int(axis) % rank for axis, rank in zip(axes, ranks, strict=True))
    if layer.normalize:
        left = normalization.by_norm(op, left, [left_axis], "Max", 1e-12)
        right = normalization.by_norm(op, right, [right_axis], "Max", 1e-12)
    letters = "abcdefghijklmnopqrstuvwxyz"
    first = list(letters[: ranks[0]])
    second = [first[0], *letters[ranks[0] : sum(ranks) - 1]]
    second[right_axis] = first[left_axis]
    kept = [letter for axis, letter in enumerate(first) if axis != left_axis]
    kept += [letter for axis, letter in enumerate(second) if axis not in (0, right_axis)]
    equation = f"{''.join(first)},{''.join(second)}->{''.join(kept)}"
    value = op.node("Einsum", [left, right], equation=equation)
    shape = op.output_shape()
    return value if len(kept) == len(shape) else op.reshape(value, shape)
