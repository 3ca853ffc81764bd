"""All layers of two graphs aligned as sequences: the best alignment of all, in one order."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Final

import numpy as np
import numpy.typing as npt

from modeldocs.diff.alignment.best_path import Stretch, Table, best_path
from modeldocs.diff.alignment.labels import NAMED, TRUNK
from modeldocs.diff.alignment.pairing import Pairing
from modeldocs.diff.alignment.sides import Side
from modeldocs.diff.alignment.sizes import made, signature, window
from modeldocs.diff.function.forms import Form

_CELLS: Final = 4_000_000
"""Cells of an alignment table: beyond, layers are only held against those of about their place."""

_MOST: Final = 20_000
"""Layers of a side beyond which no sequence is proposed: the bound on its time."""

_ROWS: Final = 256
"""Layers of A that have one range of places in B."""

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

_NEAR: Final = 2
"""Radius up to which the surroundings are looked at."""

Order = Sequence[int]
"""A place for each node of a side."""

_Told = Callable[[Form], object]

_Codes = npt.NDArray[np.int64]


def aligned(pairing: Pairing, ours: Order, theirs: Order) -> list[tuple[int, int]]:
    """Nodes of one operator, paired in order of both so that most is alike altogether.

    Needleman-Wunsch over all layers, in the orders given; equal parameters count most. Of large
    graphs each layer is held against those that stand near its place. Empty for very large ones.
    """
    left = sorted(range(len(pairing.a)), key=ours.__getitem__)
    right = sorted(range(len(pairing.b)), key=theirs.__getitem__)
    if not left or not right or max(len(left), len(right)) > _MOST:
        return []
    comparison = _Comparison(pairing, left, right)
    return [(left[x], right[y]) for x, y in best_path(_stretches(comparison))]


def _stretches(comparison: _Comparison) -> Iterator[Stretch]:
    """What pairs are worth, a range of A's layers at a time."""
    rows, columns = comparison.rows, comparison.columns
    around = columns if rows * columns <= _CELLS else _CELLS // rows // 2
    for start in range(0, rows, _ROWS):
        end = min(start + _ROWS, rows)
        low = max(start * columns // rows - around, 0)
        high = columns if end == rows else min(-(-end * columns // rows) + around, columns)
        yield Stretch(low, comparison.worth(slice(start, end), slice(low, high)))


class _Comparison:
    """Layers of A and of B in an order of each, and what pairs of them are worth."""

    def __init__(self, pairing: Pairing, left: Sequence[int], right: Sequence[int]) -> None:
        self.rows, self.columns = len(left), len(right)
        forms = [pairing.a.forms[i] for i in left], [pairing.b.forms[j] for j in right]
        told: tuple[_Told, ...] = (signature, made, window, _attributes, _bare)
        self.codes = {one: _numbered(forms, one) for one in told}
        self.around = _surroundings(pairing.a)[list(left)], _surroundings(pairing.b)[list(right)]

    def worth(self, rows: slice, columns: slice) -> Table:
        """What each pair of some rows and columns is worth; 0 where the two are no counterparts."""

        def same(told: _Told) -> npt.NDArray[np.bool_]:
            ours, theirs = self.codes[told]
            found: npt.NDArray[np.bool_] = ours[rows, None] == theirs[None, columns]
            return found

        weighted = np.where(same(signature), _EQUAL, np.where(same(made), _FOLLOWING, 0))
        around = self._around(rows, columns) + _SETTINGS * same(_attributes)
        held = np.where(weighted > 0, weighted + around, np.where(same(window), _RESIZED, 0))
        worth: Table = np.where(same(_bare), _BARE * (_EQUAL + around), held).astype(np.float32)
        return worth

    def _around(self, rows: slice, columns: slice) -> Table:
        """What the surroundings of each pair count, as far as they are equal."""
        ours, theirs = self.around[0][rows], self.around[1][columns]
        total = np.zeros((len(ours), len(theirs)), np.float32)
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


def _bare(form: Form) -> object:
    """The operator of a layer without parameters."""
    return None if form.parameters else form.operator


def _numbered(forms: tuple[Sequence[Form], Sequence[Form]], told: _Told) -> tuple[_Codes, _Codes]:
    """A number a layer, equal for those that are told alike; of which nothing is told, for none."""
    numbers: dict[object, int] = {}
    ours, theirs = (
        np.array([_number(numbers, told(form), unlike) for form in each])
        for each, unlike in zip(forms, (-1, -2), strict=True)
    )
    return ours, theirs


def _number(numbers: dict[object, int], told: object, unlike: int) -> int:
    return unlike if told is None else numbers.setdefault(told, len(numbers))
