"""The order in which a layer reads the elements of its operands, given the steps on its edges."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from math import prod

from modeldocs.diff.function.arrangement import KEPT, Arrangement, Sizes
from modeldocs.ir import Cast, Dim, Operand, Reshape, Step, Transpose


def reordered(ours: Sequence[Operand], theirs: Sequence[Operand]) -> list[tuple[Operand, Operand]]:
    """Pairs of operands, by place, whose elements the two layers read in different orders."""
    pairs = [pair for pair in zip(ours, theirs, strict=False) if pair[0].steps != pair[1].steps]
    permutations = [(transpositions(x.steps), transpositions(y.steps)) for x, y in pairs]
    if sorted(x for x, _ in permutations) == sorted(y for _, y in permutations):
        return []
    return [
        pair
        for pair, (before, after) in zip(pairs, permutations, strict=True)
        if before != after and not _same_order(*pair)
    ]


def _same_order(x: Operand, y: Operand) -> bool:
    before, after = seen(x), seen(y)
    if before is None or after is None:
        return False
    return before.simplified() == after.simplified()


def seen(operand: Operand, source: Arrangement = KEPT) -> Arrangement | None:
    """The order of an operand's elements after its steps; None where that is not known.

    `source` is the order in which the value has them.
    """
    shape = known_sizes(operand.type.shape)
    return source if not operand.steps else _seen(operand.steps, shape, source)


@lru_cache(maxsize=4096)
def _seen(steps: tuple[Step, ...], shape: Sizes | None, source: Arrangement) -> Arrangement | None:
    moves = _moves(steps, shape)
    if moves is None:
        return None
    shape, arrangement = moves[0], source
    for axes, sizes in moves[1]:
        if axes:
            turned = arrangement.transposed(shape, axes)
            if turned is None:
                return None
            arrangement = turned
            shape = tuple(shape[axis] for axis in axes)
        else:
            shape = sizes
    return arrangement


_Move = tuple[tuple[int, ...], Sizes]


def _moves(steps: Sequence[Step], shape: Sizes | None) -> tuple[Sizes, list[_Move]] | None:
    """The source's shape, and its moves: (axes, ()) to transpose, ((), shape) to reshape.

    `shape` is the shape after all of them. None where a shape in between is not known.
    """
    moves: list[_Move] = []
    for step in reversed(steps):
        if isinstance(step, Cast):
            continue
        if shape is None:
            return None
        if isinstance(step, Transpose):
            axes = step.permutation
            if axes is None or sorted(axes) != list(range(len(shape))):
                return None
            moves.append((axes, ()))
            shape = tuple(shape[axes.index(axis)] for axis in range(len(axes)))
        else:
            moves.append(((), shape))
            before = known_sizes(step.before)
            if before is None or prod(before) != prod(shape):
                return None
            shape = before
    return None if shape is None else (shape, moves[::-1])


def known_sizes(shape: Sequence[Dim] | None) -> Sizes | None:
    """A shape as sizes; None where one is not known."""
    if shape is None:
        return None
    sizes = tuple(dim for dim in shape if isinstance(dim, int))
    return sizes if len(sizes) == len(shape) else None


def transpositions(steps: Sequence[Step]) -> list[tuple[int, ...]]:
    """The transpositions on an edge, adjacent ones composed and identities left out.

    One whose axes are not known is empty.
    """
    permutations: list[tuple[int, ...]] = []
    current: tuple[int, ...] = ()
    for step in steps:
        if isinstance(step, Transpose) and step.permutation is not None:
            permutation = step.permutation
            fits = len(current) == len(permutation)
            current = tuple(current[axis] for axis in permutation) if fits else permutation
        elif isinstance(step, Transpose):
            permutations.append(())
        elif isinstance(step, Reshape):
            permutations += _moved(current)
            current = ()
    return permutations + _moved(current)


def _moved(permutation: tuple[int, ...]) -> list[tuple[int, ...]]:
    return [permutation] if permutation != tuple(range(len(permutation))) else []
