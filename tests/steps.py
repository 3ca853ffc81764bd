"""Steps on an edge, written briefly."""

from __future__ import annotations

from modeldocs.ir import Reshape, Shape, Transpose


def transposed(*axes: int) -> Transpose:
    return Transpose(permutation=axes)


def reshaped(before: Shape, after: Shape, operator: str = "Reshape") -> Reshape:
    return Reshape(before=before, after=after, operator=operator)
