"""Permutations of axes: axis i of the permuted tensor is axis `p[i]` of the tensor."""

from __future__ import annotations

from collections.abc import Sequence

import onnx_ir as ir

from modeldocs.normal import values

Permutation = tuple[int, ...]


def identity(rank: int) -> Permutation:
    """The permutation that moves nothing."""
    return tuple(range(rank))


def then(first: Permutation, second: Permutation) -> Permutation:
    """One permutation for two, one after the other."""
    return tuple(first[axis] for axis in second)


def inverse(permutation: Permutation) -> Permutation:
    """The permutation that takes the axes back."""
    back = [0] * len(permutation)
    for index, axis in enumerate(permutation):
        back[axis] = index
    return tuple(back)


def of_node(node: ir.Node) -> Permutation | None:
    """A Transpose's permutation; without one it turns the axes round. None where not known."""
    rank = values.rank(values.operand(node, 0))
    given = values.attribute(node, "perm")
    if given is None:
        return tuple(reversed(range(rank))) if rank is not None else None
    found = tuple(int(axis) for axis in given)
    fits = sorted(found) == list(range(len(found))) and rank in (None, len(found))
    return found if fits else None


def keeps_order(permutation: Permutation, shape: ir.Shape | Sequence[int]) -> bool:
    """Whether only axes of one element move: the elements then stay in their order."""
    moved = [axis for axis in permutation if shape[axis] != 1]
    return moved == sorted(moved)


def channels_first(rank: int, axis: int) -> Permutation:
    """Takes the channels from `axis` to axis 1, others in their order."""
    others = [other for other in range(rank) if other != axis]
    return (others[0], axis, *others[1:]) if rank > 1 else (0,)


def text(permutation: Permutation) -> str:
    """As people write it: `0,3,1,2`."""
    return ",".join(map(str, permutation))
