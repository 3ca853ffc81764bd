"""Colours of nodes by the errors of the rows that they stand for."""

from __future__ import annotations

import pytest

from modeldocs.diff import Parity
from modeldocs.diff.parity import Direction
from modeldocs.numeric.execution.closeness import Difference
from modeldocs.site.pair.alignment import AlignmentCell, AlignmentRow
from modeldocs.site.pair.error_colours import UNKNOWN, colours

CELL = (
    AlignmentCell(id="conv-1", anchor="a-conv-1", name="conv", what="Conv", family="", shape=""),
)
RAN = Direction(outputs=Difference(absolute=0, relative=0))
PARITY = Parity(a_to_b=RAN, b_to_a=RAN)


def paired(error: float | None = None, uncompared: str = "") -> AlignmentRow:
    found = None if error is None else Difference(absolute=1, relative=error)
    return AlignmentRow(a=CELL, b=CELL, error=found, uncompared=uncompared)


@pytest.mark.parametrize(
    ("error", "step"),
    [(3e-5, 1), (1e-3, 2), (0.05, 3), (0.1, 4), (0.5, 5), (7.0, 6)],
)
def test_a_node_has_the_colour_of_its_error(error: float, step: int) -> None:
    assert colours([paired(error)], PARITY, {"conv-1": (0,)})["conv-1"][0] == step


def test_a_group_has_the_colour_of_the_largest_error_in_it() -> None:
    rows = [paired(), paired(0.2), paired(0.004)]
    found = colours(rows, PARITY, {"block": (0, 1, 2), "conv-1": (0,)})
    assert found == {"block": (4, "error 0.2, the largest of 2 layers that differ")}


def test_a_node_without_a_compared_row_says_why() -> None:
    rows = [paired(uncompared="random"), AlignmentRow(a=CELL, b=()), paired()]
    found = colours(rows, PARITY, {"draw": (0,), "extra": (1,), "both": (1, 2)})
    assert found == {"draw": (UNKNOWN, "random"), "extra": (UNKNOWN, "only in A")}


def test_nothing_is_coloured_that_was_not_run() -> None:
    assert colours([paired(0.2)], None, {"conv-1": (0,)}) == {}
