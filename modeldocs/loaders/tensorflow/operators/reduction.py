"""Reductions over axes that are operands, and what is found along one axis."""

from __future__ import annotations

import onnx_ir as ir

from modeldocs.loaders.tensorflow.emission import Emission, Results, UnsupportedError, emits

_REDUCE = {
    "Mean": "ReduceMean", "Sum": "ReduceSum", "Max": "ReduceMax", "Min": "ReduceMin",
    "Prod": "ReduceProd", "EuclideanNorm": "ReduceL2",
}  # fmt: skip


@emits(*_REDUCE)
def reduction(emission: Emission) -> Results:
    """A reduction of ONNX; over no axis at all it is the value itself."""
    kept = int(bool(emission.attribute("keep_dims", False)))
    axes = _axes(emission)
    op = _REDUCE[emission.operation.kind]
    return emission.result(
        op, [emission.value(0), emission.integers(axes)], keepdims=kept, noop_with_empty_axes=1
    )


@emits("All", "Any")
def truth(emission: Emission) -> Results:
    """The least, or the greatest, of truth values as numbers."""
    kept = int(bool(emission.attribute("keep_dims", False)))
    numbers = emission.cast(emission.value(0), ir.DataType.INT32)
    op = "ReduceMin" if emission.operation.kind == "All" else "ReduceMax"
    found = emission.node(
        op, [numbers, emission.integers(_axes(emission))], keepdims=kept, noop_with_empty_axes=1
    )
    return [emission.cast(found, ir.DataType.BOOL)]


def _axes(emission: Emission) -> list[int]:
    rank = len(emission.shape(0))
    axes = emission.numbers(1)
    if any(not -rank <= axis < rank for axis in axes):
        raise UnsupportedError(f"reduces an axis that a tensor of {rank} axes has not")
    return [axis % rank for axis in axes]


@emits("ArgMax", "ArgMin")
def place(emission: Emission) -> Results:
    """The place of the greatest or least along an axis."""
    axis = int(emission.numbers(1)[0]) if len(emission.operation.inputs) > 1 else 0
    found = emission.node(emission.operation.kind, [emission.value(0)], axis=axis, keepdims=0)
    dtype = emission.made_dtype()
    if dtype == ir.DataType.INT64:
        return [found]
    emission.is_main(found)
    return [emission.cast(found, dtype)]


@emits("TopKV2")
def greatest(emission: Emission) -> Results:
    """The greatest along the last axis, and their places."""
    count = emission.numbers(1)[0]
    operands = [emission.value(0), emission.integers([count])]
    ordered = int(bool(emission.attribute("sorted", True)))
    values, places = emission.node_of_several(
        "TopK", operands, 2, axis=-1, largest=1, sorted=ordered
    )
    emission.is_main(values)
    return [values, emission.cast(places, emission.made_dtype(1))]
