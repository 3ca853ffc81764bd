"""Colours of two diagrams by the error of each layer: one scale for both, the same on all pages."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from modeldocs.diff import Parity
from modeldocs.numeric.execution.closeness import Difference
from modeldocs.site.pair.alignment import AlignmentRow
from modeldocs.verdict.sentences import apart

BOUNDS: Final = (0.0, 1e-3, 1e-2, 0.1, 0.3, 1.0)
"""Relative errors above which a node has the next colour: below the first stands what is equal."""

UNKNOWN: Final = -1
"""The step of a node of which nothing was compared."""

Colour = tuple[int, str]
"""The step of a node's colour, from 0 for equal, and what its tooltip says."""

EQUAL: Final[Colour] = (0, "equal results")


def colours(
    rows: Sequence[AlignmentRow], parity: Parity | None, covered: Mapping[str, Sequence[int]]
) -> dict[str, Colour]:
    """The colours of the nodes that are not `EQUAL`; empty where the networks were not run.

    `covered` are the numbers of the rows that each node stands for. A layer is compared on equal
    inputs, so its error is its own; that of a group is the largest in it.
    """
    if parity is None or parity.verdict == "not run":
        return {}
    found = {node: _colour([rows[one] for one in numbers]) for node, numbers in covered.items()}
    return {node: colour for node, colour in found.items() if colour != EQUAL}


def _colour(rows: Sequence[AlignmentRow]) -> Colour:
    errors = [row.error for row in rows if row.error is not None]
    if errors:
        largest = max(errors, key=Difference.size)
        of = f", the largest of {len(errors):,} layers that differ" if len(errors) > 1 else ""
        return _step(largest.size()), _told(largest) + of
    skipped = [row for row in rows if not _compared(row)]
    if len(skipped) < len(rows):
        return EQUAL
    return UNKNOWN, "; ".join(_reasons(skipped)) or "not compared"


def _step(error: float) -> int:
    """The step of a layer that differs; one of rounding's size still differs."""
    return max(1, bisect_right(BOUNDS, error))


def _told(error: Difference) -> str:
    return f"error {apart(error.relative)}" if error.relative is not None else "cannot be compared"


def _compared(row: AlignmentRow) -> bool:
    return bool(row.a and row.b) and not row.uncompared


def _reasons(rows: Iterable[AlignmentRow]) -> list[str]:
    reasons = (row.uncompared or f"only in {'A' if row.a else 'B'}" for row in rows)
    return list(dict.fromkeys(reasons))[:2]
