"""Sums, means and their kin over some axes, or over all of them."""

from __future__ import annotations

from collections.abc import Sequence

import onnx_ir as ir

from modeldocs.loaders.chainer.step import Step, emits

_REDUCTIONS = {
    "Sum": "ReduceSum",
    "Mean": "ReduceMean",
    "Max": "ReduceMax",
    "Min": "ReduceMin",
    "Prod": "ReduceProd",
    "LogSumExp": "ReduceLogSumExp",
}


@emits(*_REDUCTIONS)
def reduction(step: Step) -> Sequence[ir.Value]:
    """A reduction; without axes it is over all of them."""
    axes = step.setting("axis")
    listed = range(len(step.shape())) if axes is None else axes
    operands = [step.operands[0], step.integers([int(axis) for axis in listed])]
    keep = int(bool(step.setting("keepdims", False)))
    return [step.node(_REDUCTIONS[step.call.kind], operands, keepdims=keep)]


@emits("SumTo")
def sum_to(step: Step) -> Sequence[ir.Value]:
    """A sum over the axes that a broadcast had spread."""
    shape, made = step.shape(), step.made()
    lead = len(shape) - len(made)
    axes = [*range(lead)]
    axes += [lead + i for i, dim in enumerate(made) if dim == 1 and shape[lead + i] != 1]
    summed = step.node("ReduceSum", [step.operands[0], step.integers(axes)], keepdims=1)
    return [step.reshape(summed, made)]


@emits("ArgMax", "ArgMin")
def argument(step: Step) -> Sequence[ir.Value]:
    """Index of the largest or smallest element; of all of them where no axis is given."""
    axis = step.setting("axis")
    source, over = step.operands[0], 0 if axis is None else int(axis)
    if axis is None:
        source = step.reshape(source, (-1,))
    found = step.node(step.call.kind, [source], axis=over, keepdims=0)
    to = ir.DataType.from_numpy(step.call.outputs[0].dtype)
    return [step.node("Cast", [found], to=int(to))]
