"""What differs in one row of two networks side by side, in a few words: `pads 0,0,1,1 → 1`."""

from __future__ import annotations

from modeldocs.diff import KINDS, Change
from modeldocs.diff.reporting.kinds import one_sided
from modeldocs.diff.reporting.rows import Nodes
from modeldocs.struct import Struct


class RowDifference(Struct, frozen=True):
    """One difference of a row, and the number of the change that it is part of.

    The number is 0 where the row differs only because of a change in other rows.
    """

    change: int
    text: str


def describe(change: Change, a: Nodes, b: Nodes) -> str:
    """A change as it shows in one of its rows, whose nodes are `a` and `b`."""
    row = KINDS[change.kind].row if a and b else one_sided.row
    return row(change, a, b)
