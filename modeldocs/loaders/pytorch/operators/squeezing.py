"""Emitter of squeezes."""

from __future__ import annotations

from typing import Any


def squeeze(x: Any, dim: Any = None) -> Any:
    """A tensor without those of the axes `dim` (all, if none are given) that have one element."""
    from onnxscript import opset23

    op: Any = opset23
    rank = len(x.shape)
    axes = range(rank) if dim is None else [dim] if isinstance(dim, int) else dim
    single = [axis % rank for axis in axes if rank and x.shape[axis] == 1]
    return op.Squeeze(x, op.Constant(value_ints=single)) if single else op.Identity(x)
