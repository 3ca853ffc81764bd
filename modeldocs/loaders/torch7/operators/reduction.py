"""Emitters of Torch7's reductions along a dimension."""

from __future__ import annotations

from modeldocs.loaders.torch7.operation import Flow, TorchOperation, emits

_REDUCTIONS = {"Mean": "ReduceMean", "Sum": "ReduceSum", "Max": "ReduceMax", "Min": "ReduceMin"}


@emits(*_REDUCTIONS)
def reduction(op: TorchOperation) -> Flow:
    """A reduction of one dimension, which goes unless `squeeze` is off."""
    axis = op.item_axis("dimension", 1, rank=len(op.shape()))
    kind = _REDUCTIONS[op.kind]
    if kind == "ReduceSum" and op.flag("sizeAverage"):
        kind = "ReduceMean"
    return op.reduce(kind, op.input(), [axis], keeps_axes=not op.flag("squeeze", default=True))
