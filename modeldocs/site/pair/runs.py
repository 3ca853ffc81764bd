"""Runs of equal rows, which a comparison folds into one line: `… 41 equal layers …`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from modeldocs.site.pair.alignment import AlignmentRow

CONTEXT = 2
"""Equal rows that stay open before and after each row that differs."""

SHORTEST = 4
"""Rows of the shortest run that is folded: of fewer, the line would save nothing."""


@dataclass(frozen=True)
class Segment:
    """Consecutive rows; `start` is the position of the first among all rows, from 0.

    `folded` segments are shown as one line until they are opened. `on_page` says that the page
    holds their rows: of a large comparison it holds only how many they are.
    """

    start: int
    rows: tuple[AlignmentRow, ...]
    folded: bool
    on_page: bool = True

    @property
    def noun(self) -> str:
        """What its line says that it folds: `41 equal layers`, `300 layers, 12 of which differ`."""
        count, differing = len(self.rows), sum(row.differs for row in self.rows)
        layers = "layer" if count == 1 else "layers"
        if not differing:
            return f"{count:,} equal {layers}"
        verb = "differs" if differing == 1 else "differ"
        if differing == count:
            return f"{count:,} {layers} that {verb}"
        return f"{count:,} {layers}, {differing:,} of which {verb}"


def segments(rows: Sequence[AlignmentRow]) -> list[Segment]:
    """All rows in order: those that differ with their context, and runs of equal ones between."""
    differing = [number for number, row in enumerate(rows) if row.differs]
    folded = _folded(rows, differing)
    return [
        Segment(numbers.start, tuple(rows[numbers.start : numbers.stop]), one)
        for one, numbers in _stretches(folded)
    ]


def abridged(rows: Sequence[AlignmentRow], most: int) -> list[Segment]:
    """All rows in order, of which a page holds about `most`: the gravest differences.

    Each of them stands with its context, where that fits, too.
    """
    differing = [number for number, row in enumerate(rows) if row.differs]
    gravest = sorted(differing, key=lambda number: rows[number].gravity)[:most]
    folded = _folded(rows, gravest)
    if folded.count(False) > most:
        kept = set(gravest)
        folded = [number not in kept for number in range(len(rows))]
    return [
        Segment(numbers.start, tuple(rows[numbers.start : numbers.stop]), one, on_page=not one)
        for one, numbers in _stretches(folded)
    ]


def _folded(rows: Sequence[AlignmentRow], opened: Sequence[int]) -> list[bool]:
    """Whether each row lies further than the context from the rows that are `opened`, in a run that
    is long enough to be folded.
    """
    folded = [True] * len(rows)
    for number in opened:
        for near in range(max(0, number - CONTEXT), min(len(rows), number + CONTEXT + 1)):
            folded[near] = False
    for run in [numbers for one, numbers in _stretches(folded) if one and len(numbers) < SHORTEST]:
        for number in run:
            folded[number] = False
    return folded


def _stretches(values: Sequence[bool]) -> Iterator[tuple[bool, range]]:
    """Consecutive positions with the same value."""
    start = 0
    for value, group in groupby(values):
        end = start + sum(1 for _ in group)
        yield value, range(start, end)
        start = end
