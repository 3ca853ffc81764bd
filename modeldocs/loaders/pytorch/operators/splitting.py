"""Emitter of splits."""

from __future__ import annotations

import itertools
from typing import Any


def split(x: Any, sizes: Any, dim: int = 0) -> list[Any]:
    """Pieces of a tensor: Split where all are of one size, else a Slice for each.

    Where `sizes` is a number, the last piece is the remainder.
    """
    from onnxscript import opset23

    op: Any = opset23
    extent = int(x.shape[dim])
    if isinstance(sizes, int):
        sizes = [min(sizes, extent - start) for start in range(0, extent, sizes)]
    if len(set(sizes)) == 1:
        return list(op.Split(x, axis=dim, num_outputs=len(sizes)))
    ends = list(itertools.accumulate(sizes, initial=0))
    axis = op.Constant(value_ints=[dim])
    return [
        op.Slice(x, op.Constant(value_ints=[start]), op.Constant(value_ints=[end]), axis)
        for start, end in itertools.pairwise(ends)
    ]
