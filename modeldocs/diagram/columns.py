"""Columns: a long level is drawn in several columns, so that it fits a screen without scrolling."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import accumulate

from modeldocs.diagram.level import Arrow, Box, Level

MAX_HEIGHT = 880
"""Points of the tallest column: what a screen of 1,080 px shows beside a page's head."""
GAP = 20
"""Points between two boxes."""
MAX_COLUMNS = 4


def column_breaks(level: Level, height: Callable[[Box], float]) -> set[str]:
    """Ids of the boxes with which a new column begins; none where one column is short enough.

    A column ends only where a single value leads on, so that one arrow leads to the next.
    """
    members = [member for member in level.members if isinstance(member, Box)]
    if len(members) < len(level.members):  # a frame is as wide as several columns
        return set()
    ends = list(accumulate(height(member) + GAP for member in members))
    places = _places(members, level.edges)
    count = min(MAX_COLUMNS, -(-int(ends[-1]) // MAX_HEIGHT))
    result: set[str] = set()
    for column in range(1, count):
        wanted = ends[-1] * column / count
        near = min(places, key=lambda place: abs(ends[place - 1] - wanted), default=None)
        if near is not None and abs(ends[near - 1] - wanted) < 0.4 * ends[-1] / count:
            result.add(members[near].id)
    return result


def _places(members: Sequence[Box], edges: Sequence[Arrow]) -> list[int]:
    """Numbers of the members before which exactly one value leads on, to one box."""
    number = {member.id: index for index, member in enumerate(members)}
    across: list[set[tuple[str, str]]] = [set() for _ in range(len(members) + 1)]
    for edge in edges:
        for place in range(number[edge.start] + 1, number[edge.end] + 1):
            across[place].add((edge.start, edge.end))
    return [place for place in range(1, len(members)) if len(across[place]) == 1]
