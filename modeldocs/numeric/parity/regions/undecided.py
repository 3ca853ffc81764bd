"""Changes of parts of two networks that could not be run on the same values."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection

from modeldocs.diff import MEASURED, Diff
from modeldocs.diff.indexing.edges import connected_components
from modeldocs.numeric.parity.regions.change_regions import Touched
from modeldocs.numeric.parity.regions.frontier import Frontiers


def undecided(
    diff: Diff, frontiers: Frontiers, touched: Touched, unknown: Collection[int]
) -> tuple[tuple[int, ...], ...]:
    """The numbers, from 1, of changes that touch the groups `unknown`, those of one part together.

    Groups are one part where one reads the other, or one layer is in the regions of both.
    """
    inside = set(unknown)
    next_to: dict[int, set[int]] = defaultdict(set)
    changes: dict[int, set[int]] = defaultdict(set)
    for number in inside:
        for source in frontiers.region(number).groups & inside:
            next_to[number].add(source)
            next_to[source].add(number)
    for number, change in enumerate(diff.changes, start=1):
        for pair in change.pairs if change.consequence in MEASURED else ():
            together = touched.by_pair(pair) & inside
            for one in together:
                next_to[one] |= together
                changes[one].add(number)
    parts = (
        {number for one in members for number in changes[one]}
        for members in connected_components(sorted(inside), next_to.__getitem__)
    )
    return tuple(tuple(sorted(part)) for part in parts if part)
