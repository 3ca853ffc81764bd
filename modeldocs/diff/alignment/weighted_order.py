"""Layers with parameters aligned as a sequence: the best alignment of all, in one order."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

import numpy as np
import numpy.typing as npt

from modeldocs.diff.alignment.pairing import Pairing
from modeldocs.diff.alignment.sides import Side
from modeldocs.diff.function.forms import DENSE, Form

_CELLS: Final = 4_000_000
"""Cells of an alignment table beyond which no sequence is proposed: the bound on its time."""

_EQUAL: Final = 8.0
"""What equal parameters count against one equal neighbourhood: more than all of those together
may add, so that neighbourhoods only choose between layers of equal parameters."""

_FOLLOWING: Final = 7.5
"""The same where the parameters only have another size because of what the layer reads: so much
less that a row of layers is not shifted against another for the sake of one that is wider.
"""

_SETTINGS: Final = 2.0
"""What equal attributes add: the first layer of a stage is told from the next by its stride."""

_AROUND: Final = 6.0
"""What equal neighbourhoods add at most."""

_NEXT: Final = 3.0
"""What it counts that a pair follows another on both sides."""

Order = Sequence[int]
"""A place for each node of a side."""


def aligned(pairing: Pairing, ours: Order, theirs: Order) -> list[tuple[int, int]]:
    """Nodes of equal parameters, paired in order of both so that most is alike altogether.

    Needleman-Wunsch over the layers that have parameters, in the orders given. Empty where the
    table would be too large.
    """
    left, right = _weighted(pairing.a, ours), _weighted(pairing.b, theirs)
    if not left or not right or len(left) * len(right) > _CELLS:
        return []
    worth = _worth(pairing, left, right)
    return [(left[x], right[y]) for x, y in best_path(worth)]


def signature(form: Form) -> tuple[object, ...] | None:
    """What a layer's parameters are, whatever operator holds them; None where it has none.

    A convolution of one pixel and a dense layer hold the same matrix; groups are told apart.
    """
    if not form.parameters:
        return None
    weight = dict(form.parameters).get("weight")
    if weight is None:
        return form.operator, form.parameters
    while len(weight) > 2 and weight[-1] == 1:
        weight = weight[:-1]
    operator = DENSE if form.operator == "Conv" and len(weight) == 2 else form.operator
    return operator, dict(form.attributes).get("group", 1), weight


def made(form: Form) -> tuple[object, ...] | None:
    """What a layer's parameters make, whatever it reads; None where it has none.

    A norm has a size of its own in nothing, a convolution in its kernel and its outputs.
    """
    if not form.parameters:
        return None
    weight = dict(form.parameters).get("weight")
    if weight is None:
        return (form.operator, *(name for name, _ in form.parameters))
    operator, group, shape = signature(form) or ("", 1, ())
    return operator, group, weight[0], shape[2:] if isinstance(shape, tuple) else ()


def _weighted(side: Side, order: Order) -> list[int]:
    found = [node for node, form in enumerate(side.forms) if form.parameters]
    return sorted(found, key=order.__getitem__)


def _worth(pairing: Pairing, left: Sequence[int], right: Sequence[int]) -> npt.NDArray[np.float32]:
    """What each pair is worth; 0 where the parameters differ."""
    equal = _same(pairing, left, right, signature)
    following = _same(pairing, left, right, made)
    worth = np.zeros(equal.shape, np.float32)
    rows_a, rows_b = (rows[nodes] for rows, nodes in zip(pairing.rows, (left, right), strict=True))
    for column in range(rows_a.shape[1]):
        worth += rows_a[:, column, None] == rows_b[None, :, column]
    worth *= _AROUND / max(rows_a.shape[1], 1)
    parameters = np.where(equal, _EQUAL, np.where(following, _FOLLOWING, 0))
    worth += _SETTINGS * _same(pairing, left, right, _settings)
    return np.where(parameters > 0, worth + parameters, 0).astype(np.float32)


def _settings(form: Form) -> object:
    return form.attributes


def _same(
    pairing: Pairing,
    left: Sequence[int],
    right: Sequence[int],
    told: Callable[[Form], object],
) -> npt.NDArray[np.bool_]:
    """Which nodes of A and of B are told alike."""
    numbers: dict[object, int] = {}
    ours, theirs = (
        np.array([numbers.setdefault(told(side.forms[n]), len(numbers)) for n in nodes])
        for side, nodes in ((pairing.a, left), (pairing.b, right))
    )
    found: npt.NDArray[np.bool_] = ours[:, None] == theirs[None, :]
    return found


def best_path(worth: npt.NDArray[np.float32]) -> list[tuple[int, int]]:
    """Pairs (row, column) in order of both that are worth most altogether; 0 is no pair.

    A pair right behind another is worth `_NEXT` more, so that what only one side has is left out
    in one piece.
    """
    rows, columns = worth.shape
    ending = np.full((rows + 1, columns + 1), -np.inf, np.float32)
    best = np.zeros((rows + 1, columns + 1), np.float32)
    for x in range(rows):
        before = np.maximum(ending[x, :-1] + _NEXT, best[x, :-1])
        ending[x + 1, 1:] = np.where(worth[x] > 0, before + worth[x], -np.inf)
        np.maximum.accumulate(np.maximum(best[x, 1:], ending[x + 1, 1:]), out=best[x + 1, 1:])
    return _traced(best, ending)


def _traced(
    best: npt.NDArray[np.float32], ending: npt.NDArray[np.float32]
) -> list[tuple[int, int]]:
    pairs = []
    x, y = best.shape[0] - 1, best.shape[1] - 1
    paired = False
    while x and y:
        if paired or best[x, y] == ending[x, y]:
            pairs.append((x - 1, y - 1))
            x, y = x - 1, y - 1
            paired = bool(ending[x, y] + _NEXT >= best[x, y])
        elif best[x, y] == best[x - 1, y]:
            x -= 1
        else:
            y -= 1
    return pairs[::-1]
