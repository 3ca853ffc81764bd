"""Groups whose values have other sizes in A and in B, and are therefore never given from A to B.

They are decided together with what reads them: a table of sines of one half, or of both, is part of
the same calculation in two forms.
"""

from __future__ import annotations

import time
from collections.abc import Collection, Iterator
from typing import TYPE_CHECKING

from modeldocs.diff.indexing.edges import connected_components

if TYPE_CHECKING:
    from modeldocs.numeric.parity.regions.search import RegionSearch

WIDTH = 32
"""Groups that are tried as one region with what reads them."""


def equal_behind(search: RegionSearch, unlike: set[int], failing: set[int]) -> set[int]:
    """The groups of `unlike` behind which all is equal: what reads those that lead to each other
    is computed from values of B's own.
    """
    return {
        one
        for together, readers in _together(search, unlike - failing)
        if readers and readers.isdisjoint(failing) and _are_equal(search, readers, together)
        for one in together
    }


def _are_equal(search: RegionSearch, readers: set[int], together: set[int]) -> bool:
    """Whether groups are equal that read some which are not cut behind."""
    if all(search.measured[one].unlike for one in together):
        return True  # as they were measured: no value of these could be given
    if len(together) > WIDTH or time.monotonic() > search.until:
        return False
    return search.passing(readers, together) is not None


def join(search: RegionSearch, failing: set[int]) -> None:
    """Join groups of other sizes, and without weights, with what reads them and differs: they are
    a calculation in two forms, whose layers only seem to correspond.

    Not so where a layer makes another size of what both sides read: it has another setting.
    """
    frontiers = search.runs.frontiers
    odd = (failing | search.undecided) - frontiers.ends.keys()
    free = {one for one in odd if not frontiers.has_weights(frontiers.group(one).pair)}
    for together, readers in _together(search, free):
        unlike = {one for one in together if search.measured[one].unlike}
        if not unlike or len(together) > WIDTH or any(_has_setting(search, n) for n in unlike):
            continue
        dropped = together | search.joined.keys()
        results = {one: search.runs.one(one, dropped) for one in sorted(readers)}
        if any(one.difference is None or one.unlike for one in results.values()):
            continue
        apart = {one for one, found in results.items() if not search.is_equal(one, found)}
        if apart and apart.isdisjoint(frontiers.ends):
            search.measured |= results
            search.joined |= dict.fromkeys(together, max(apart))
            search.undecided -= together | readers
            failing -= together | readers
            failing |= apart


def _has_setting(search: RegionSearch, number: int) -> bool:
    """Whether both sides of a group with other sizes read the same values, and nothing else."""
    region = search.runs.frontiers.region(number)
    given = all(not search.measured[one].unlike for one in region.groups if one in search.measured)
    return region.closed and given and not any(region.inner)


def _together(
    search: RegionSearch, numbers: Collection[int]
) -> Iterator[tuple[set[int], set[int]]]:
    """The groups of `numbers` that lead to each other, with those that read them."""
    next_to: dict[int, set[int]] = {number: set() for number in numbers}
    for number in next_to:
        for reader in search.readers.get(number, set()) & next_to.keys():
            next_to[number].add(reader)
            next_to[reader].add(number)
    for members in connected_components(sorted(next_to), next_to.__getitem__):
        together = set(members)
        yield together, search.readers_of(together)
