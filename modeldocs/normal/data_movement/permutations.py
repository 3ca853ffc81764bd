"""Permutations of axes: axis i of the permuted tensor is axis `p[i]` of the tensor."""

from __future__ import annotations

from collections.abc import Sequence

import onnx_ir as ir

from modeldocs.normal import values

Permutation = tuple[int, ...]


def identity(rank: int) -> Permutation:
    """The identity permutation."""
    return tuple(range(rank))


def then(first: Permutation, second: Permutation) -> Permutation:
    """The composition of two permutations, `first` applied first."""
    return tuple(first[axis] for axis in second)


def inverse(permutation: Permutation) -> Permutation:
    """The inverse permutation."""
    return tuple(permutation.index(axis) for axis in range(len(permutation)))


def of_node(node: ir.Node) -> Permutation | None:
    """A Transpose's permutation, by default the axes reversed; None where unknown or invalid."""
    rank = values.rank(values.operand(node, 0))
    declared = values.attribute(node, "perm")
    if declared is None:
        return tuple(reversed(range(rank))) if rank is not None else None
    order = tuple(int(axis) for axis in declared)
    is_valid = sorted(order) == list(range(len(order))) and rank in (None, len(order))
    return order if is_valid else None


def keeps_order(permutation: Permutation, shape: ir.Shape | Sequence[int]) -> bool:
    """Whether only axes of size 1 move, so that elements keep their order."""
    moved = [axis for axis in permutation if shape[axis] != 1]
    return moved == sorted(moved)


def channels_first(rank: int, axis: int) -> Permutation:
    """The permutation that moves `axis` to axis 1, and keeps the order of the others."""
    others = [other for other in range(rank) if other != axis]
    return (others[0], axis, *others[1:]) if rank > 1 else (0,)


def text(permutation: Permutation) -> str:
    """A permutation as text: `0,3,1,2`."""
    return ",".join(map(str, permutation))
