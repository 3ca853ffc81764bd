"""Emitters of TensorFlow's reductions, and of the largest elements along an axis."""

from __future__ import annotations

import onnx_ir as ir

from modeldocs.loaders.tensorflow.operation import (
    Outputs,
    TensorFlowOperation,
    UnsupportedError,
    emits,
)

_REDUCE = {
    "Mean": "ReduceMean", "Sum": "ReduceSum", "Max": "ReduceMax", "Min": "ReduceMin",
    "Prod": "ReduceProd", "EuclideanNorm": "ReduceL2",
}  # fmt: skip


@emits(*_REDUCE)
def reduction(op: TensorFlowOperation) -> Outputs:
    """A reduction; over no axis at all it is the identity."""
    operator, axes = _REDUCE[op.kind], op.integers(_axes(op))
    keepdims = op.flag("keep_dims")
    return op.result(operator, [op.input(0), axes], keepdims=keepdims, noop_with_empty_axes=1)


@emits("All", "Any")
def truth(op: TensorFlowOperation) -> Outputs:
    """The minimum or maximum of booleans as integers."""
    numbers = op.cast(op.input(0), ir.DataType.INT32)
    operator = "ReduceMin" if op.kind == "All" else "ReduceMax"
    axes, keepdims = op.integers(_axes(op)), op.flag("keep_dims")
    value = op.node(operator, [numbers, axes], keepdims=keepdims, noop_with_empty_axes=1)
    return [op.cast(value, ir.DataType.BOOL)]


def _axes(op: TensorFlowOperation) -> list[int]:
    rank = len(op.shape(0))
    axes = op.numbers(1)
    if any(not -rank <= axis < rank for axis in axes):
        raise UnsupportedError(f"reduces an axis that a tensor of {rank} axes does not have")
    return [axis % rank for axis in axes]


@emits("ArgMax", "ArgMin")
def place(op: TensorFlowOperation) -> Outputs:
    """The index of the largest or smallest element along an axis."""
    axis = int(op.numbers(1)[0]) if len(op.source.inputs) > 1 else 0
    index = op.node(op.kind, [op.input(0)], axis=axis, keepdims=0)
    dtype = op.output_dtype()
    if dtype == ir.DataType.INT64:
        return [index]
    op.set_main(index)
    return [op.cast(index, dtype)]


@emits("TopKV2")
def greatest(op: TensorFlowOperation) -> Outputs:
    """The largest elements along the last axis, and their indices."""
    count = op.numbers(1)[0]
    operands = [op.input(0), op.integers([count])]
    is_sorted = op.flag("sorted", default=True)
    values, indices = op.node_of_several("TopK", operands, 2, axis=-1, largest=1, sorted=is_sorted)
    op.set_main(values)
    return [values, op.cast(indices, op.output_dtype(1))]
