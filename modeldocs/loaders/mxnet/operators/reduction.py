"""Reductions along axes: sum, mean, max, min, prod, norm."""

from __future__ import annotations

import onnx_ir as ir

from modeldocs.loaders.mxnet.operation import Operation, Outputs, emits

_KINDS = {
    "sum": "ReduceSum", "mean": "ReduceMean", "max": "ReduceMax", "min": "ReduceMin",
    "prod": "ReduceProd", "nansum": "ReduceSum", "nanprod": "ReduceProd",
}  # fmt: skip


@emits(*_KINDS)
def reduction(op: Operation) -> Outputs:
    """One number for each place along the axes named, or for all of them."""
    if op.source.op.startswith("nan"):
        op.notes.append(f"{op.source.told} {op.name!r} is drawn as if nothing were NaN")
    return [_reduced(op, _KINDS[op.source.op])]


@emits("norm")
def norm(op: Operation) -> Outputs:
    """ReduceL2, or ReduceL1."""
    order = op.settings.integer("ord", 2)
    if order not in (1, 2):
        raise op.error(f"has the order {order}", fix="use 1 or 2")
    return [_reduced(op, f"ReduceL{order}")]


def _reduced(op: Operation, kind: str) -> ir.Value:
    shape = op.shape()
    named = {op.checked_axis(axis, len(shape)) for axis in op.settings.sizes("axis")}
    if named and op.settings.flag("exclude", default=False):
        named = set(range(len(shape))) - named
    axes = sorted(named) or list(range(len(shape)))
    keep = op.settings.flag("keepdims", default=False)
    lean = tuple(dim for axis, dim in enumerate(shape) if axis not in axes)
    # A tensor of no dimensions is one of a single element here, but for numpy's operators.
    whole = not lean and not keep and not op.is_numpy
    made = op.node(
        kind,
        [op.value(), op.integers(axes, "axes")],
        keepdims=int(keep),
    )
    return op.reshaped(made, (1,)) if whole else made


@emits("moments")
def moments(op: Operation) -> Outputs:
    """Mean and variance: drawn as they are."""
    shape = op.shape()
    axes = [op.checked_axis(axis, len(shape)) for axis in op.settings.sizes("axes")]
    keep = op.settings.flag("keepdims", default=False)
    wide = tuple(1 if axis in axes else dim for axis, dim in enumerate(shape))
    lean = tuple(dim for axis, dim in enumerate(shape) if axis not in axes)
    return op.opaque([wide if keep else lean] * 2)
