"""Emitters of Chainer's reductions along axes."""

from __future__ import annotations

from modeldocs.loaders.chainer.operation import ChainerOperation, emits, renames
from modeldocs.loaders.emission.operation import Outputs

_OPERATORS = {
    "Sum": "ReduceSum",
    "Mean": "ReduceMean",
    "Max": "ReduceMax",
    "Min": "ReduceMin",
    "Prod": "ReduceProd",
    "LogSumExp": "ReduceLogSumExp",
}


@renames(_OPERATORS)
def reduction(op: ChainerOperation, operator: str) -> Outputs:
    """A reduction along axes, or along all of them where none is given."""
    axes = range(len(op.shape())) if op.setting("axis") is None else op.integers_of("axis")
    keep = int(bool(op.setting("keepdims", False)))
    return [op.node(operator, [op.input(), op.integers(axes)], keepdims=keep)]


@emits("SumTo")
def sum_to(op: ChainerOperation) -> Outputs:
    """A sum along the axes of a broadcast, to the shape before it."""
    shape, output = op.shape(), op.output_shape()
    new = len(shape) - len(output)
    axes = [*range(new)]
    axes += [new + i for i, dim in enumerate(output) if dim == 1 and shape[new + i] != 1]
    total = op.node("ReduceSum", [op.input(), op.integers(axes)], keepdims=1)
    return [op.reshape(total, output)]


@emits("ArgMax", "ArgMin")
def arg_max(op: ChainerOperation) -> Outputs:
    """Index of the extreme along an axis, or in the flattened tensor where none is given."""
    axis, value = op.setting("axis"), op.input()
    if axis is None:
        value = op.reshape(value, (-1,))
    index = op.node(op.kind, [value], axis=int(axis or 0), keepdims=0)
    return [op.to_output_type(index)]
