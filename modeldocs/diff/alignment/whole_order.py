"""All layers of two graphs aligned as sequences: the best alignment of all, in one order."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

import numpy as np
import numpy.typing as npt

from modeldocs.diff.alignment.labels import NAMED, TRUNK
from modeldocs.diff.alignment.pairing import Pairing
from modeldocs.diff.alignment.sides import Side
from modeldocs.diff.alignment.sizes import made, signature, window
from modeldocs.diff.function.forms import Form

_CELLS: Final = 4_000_000
"""Cells of an alignment table beyond which no sequence is proposed: the bound on its time."""

_EQUAL: Final = 8.0
"""What equal parameters count against one equal neighbourhood: more than all of those together
may add, so that neighbourhoods only choose between layers of equal parameters."""

_FOLLOWING: Final = 7.5
"""The same where the parameters only have another size because of what the layer reads: so much
less that a row of layers is not shifted against another for the sake of one that is wider.
"""

_RESIZED: Final = 2.0
"""The same where the layer makes another number of channels; its surroundings tell nothing."""

_SETTINGS: Final = 2.0
"""What equal attributes add: the first layer of a stage is told from the next by its stride."""

_AROUND: Final = 6.0
"""What equal neighbourhoods add at most."""

_BARE: Final = 0.2
"""What a layer without parameters counts against one that has some."""

_NEXT: Final = 3.0
"""What it counts that a pair follows another on both sides."""

_NEAR: Final = 2
"""Radius up to which the surroundings are looked at."""

Order = Sequence[int]
"""A place for each node of a side."""

_Table = npt.NDArray[np.float32]


def aligned(pairing: Pairing, ours: Order, theirs: Order) -> list[tuple[int, int]]:
    """Nodes of one operator, paired in order of both so that most is alike altogether.

    Needleman-Wunsch over all layers, in the orders given; equal parameters count most. Empty
    where the table would be too large.
    """
    left = sorted(range(len(pairing.a)), key=ours.__getitem__)
    right = sorted(range(len(pairing.b)), key=theirs.__getitem__)
    if not left or not right or len(left) * len(right) > _CELLS:
        return []
    return [(left[x], right[y]) for x, y in best_path(_worth(pairing, left, right))]


def _worth(pairing: Pairing, left: Sequence[int], right: Sequence[int]) -> _Table:
    """What each pair is worth; 0 where the two are no counterparts."""
    forms = [pairing.a.forms[i] for i in left], [pairing.b.forms[j] for j in right]
    equal, following, resized = (_same(forms, told) for told in (signature, made, window))
    around = _around(pairing, left, right) + _SETTINGS * _same(forms, _attributes)
    weighted = np.where(equal, _EQUAL, np.where(following, _FOLLOWING, 0))
    held = np.where(weighted > 0, weighted + around, np.where(resized, _RESIZED, 0))
    bare = _same(forms, lambda form: None if form.parameters else form.operator)
    worth: _Table = np.where(bare, _BARE * (_EQUAL + around), held).astype(np.float32)
    return worth


def _around(pairing: Pairing, left: Sequence[int], right: Sequence[int]) -> _Table:
    """What the surroundings of each pair count, as far as they are equal."""
    ours, theirs = _surroundings(pairing.a)[list(left)], _surroundings(pairing.b)[list(right)]
    total = np.zeros((len(left), len(right)), np.float32)
    for one, other in zip(ours.T, theirs.T, strict=True):
        total += one[:, None] == other[None, :]
    return total * np.float32(_AROUND / ours.shape[1])


def _surroundings(side: Side) -> npt.NDArray[np.uint64]:
    """Colours of what is around each node, a row a node, in which no size of an operand counts.

    One layer that makes other channels gives every layer behind it other sizes.
    """
    levels = (side.colours[NAMED], side.colours[TRUNK])
    return np.stack([ball for level in levels for ball in level.balls[1 : _NEAR + 1]], axis=1)


def _attributes(form: Form) -> object:
    return form.attributes


def _same(
    forms: tuple[Sequence[Form], Sequence[Form]], told: Callable[[Form], object]
) -> npt.NDArray[np.bool_]:
    """Which layers of A and of B are told alike; those of which nothing is told are like none."""
    numbers: dict[object, int] = {}
    ours, theirs = (
        np.array([_number(numbers, told(form), unlike) for form in each])
        for each, unlike in zip(forms, (-1, -2), strict=True)
    )
    found: npt.NDArray[np.bool_] = ours[:, None] == theirs[None, :]
    return found


def _number(numbers: dict[object, int], told: object, unlike: int) -> int:
    return unlike if told is None else numbers.setdefault(told, len(numbers))


def best_path(worth: _Table) -> list[tuple[int, int]]:
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


def _traced(best: _Table, ending: _Table) -> list[tuple[int, int]]:
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
