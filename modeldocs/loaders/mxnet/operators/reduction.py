"""Emitters of MXNet's reductions along axes."""

from __future__ import annotations

import onnx_ir as ir

from modeldocs.loaders.emission.operation import Outputs
from modeldocs.loaders.mxnet.operation import MxnetOperation, emits, renames

_OPERATORS = {
    "sum": "ReduceSum", "mean": "ReduceMean", "max": "ReduceMax", "min": "ReduceMin",
    "prod": "ReduceProd", "nansum": "ReduceSum", "nanprod": "ReduceProd",
}  # fmt: skip


@renames(_OPERATORS)
def reduction(op: MxnetOperation, operator: str) -> Outputs:
    """A reduction along the axes in the settings, or along all of them."""
    if op.kind.startswith("nan"):
        op.notes.append(f"{op.source.source_op} {op.name!r} is drawn as if nothing were NaN")
    return [_reduce(op, operator)]


@emits("norm")
def norm(op: MxnetOperation) -> Outputs:
    """ReduceL2 or ReduceL1."""
    order = op.settings.integer("ord", 2)
    if order not in (1, 2):
        raise op.error(f"has the order {order}", fix="use 1 or 2")
    return [_reduce(op, f"ReduceL{order}")]


def _reduce(op: MxnetOperation, operator: str) -> ir.Value:
    rank = len(op.shape())
    named = {op.checked_axis(axis, rank) for axis in op.settings.sizes("axis")}
    if named and op.settings.flag("exclude", default=False):
        named = set(range(rank)) - named
    axes = sorted(named) or list(range(rank))
    keep = op.settings.flag("keepdims", default=False)
    output = op.reduce(operator, op.input(), axes, keeps_axes=keep)
    # Only numpy's operators have tensors without dimensions.
    is_scalar = len(axes) == rank and not keep
    return op.reshaped(output, (1,)) if is_scalar and not op.is_numpy else output


@emits("moments")
def moments(op: MxnetOperation) -> Outputs:
    """Mean and variance, by MXNet's own operator."""
    shape = op.shape()
    axes = [op.checked_axis(axis, len(shape)) for axis in op.settings.sizes("axes")]
    if op.settings.flag("keepdims", default=False):
        output = tuple(1 if axis in axes else dim for axis, dim in enumerate(shape))
    else:
        output = tuple(dim for axis, dim in enumerate(shape) if axis not in axes)
    return op.opaque([output] * 2)
