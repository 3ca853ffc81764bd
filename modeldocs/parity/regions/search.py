"""The search for regions that differ: groups whose values differ although what they read does not.

A group may differ alone and yet be right together with the groups behind it: a convolution whose
norm is folded into it in B. Such groups are tried as one region.
"""

from __future__ import annotations

import time
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field

from modeldocs.numerics.closeness import Difference
from modeldocs.parity import measurements
from modeldocs.parity.regions.measuring import Arrays, Measured, RegionRuns

_DEPTH = 8
"""Groups in a row that are tried as one region."""
_SECONDS = 4.0
"""Time for trying regions of several groups; what is undecided then stays different."""


@dataclass
class RegionSearch:
    """Decides for every group whether its region computes the same.

    `measured` is what the regions compute from A's values, `alone` from values drawn for them.
    `joined` are the groups that are decided as part of the region of another, `undecided` those
    behind a difference of shape, of which nothing is known.
    """

    runs: RegionRuns
    measured: dict[int, Measured]
    alone: Mapping[int, Difference]
    seconds: float = _SECONDS
    joined: dict[int, int] = field(default_factory=dict)
    undecided: set[int] = field(default_factory=set)
    readers: dict[int, set[int]] = field(init=False, default_factory=dict)
    """By group: those whose regions read its values."""

    def __post_init__(self) -> None:
        self._until = time.monotonic() + self.seconds
        for number in self.measured:
            for source in self.runs.frontiers.region(number).groups:
                self.readers.setdefault(source, set()).add(number)

    def differing(self) -> list[int]:
        """Numbers of the groups that differ, in their order, after joining what can be."""
        failing = {number for number in self.measured if self._differs(number)}
        self._remeasure(failing)
        failing = {number for number in failing if self._differs(number)}
        for number in sorted(failing):
            if number not in self.joined and time.monotonic() < self._until:
                self._join_before(number, failing)
        unlike = {number for number in self.measured if self.measured[number].unlike}
        unlike |= {number for number in self.measured if self._is_unshown(number)}
        states = {number: self._is_same(number, failing, unlike) for number in unlike - failing}
        self.undecided = {number for number, same in states.items() if same is None}
        failing |= {number for number, same in states.items() if same is False}
        return sorted(failing)

    def _remeasure(self, failing: set[int]) -> None:
        """Measure what reads values whose order of elements was only found by their numbers."""
        found = {one.number for one in self.runs.exits if one.names[1] in self.runs.orders}
        for number in sorted(failing):
            if not found.isdisjoint(self.runs.frontiers.region(number).groups):
                self.measured[number] = self.runs.one(number, ())

    def differs_on_activations(self, number: int) -> bool:
        """Whether a group differs on the values that the network computes, of any size."""
        return self.measured[number].unlike or self._is_seen_apart(number)

    def _is_unshown(self, number: int) -> bool:
        """Whether a group differs, and reads values that cannot be given from A to B."""
        return self._is_seen_apart(number) and self._reads_unlike(number)

    def _is_seen_apart(self, number: int) -> bool:
        found = self.measured[number].difference
        return found is not None and self._is_apart(number, found)

    def _is_same(self, number: int, failing: set[int], unlike: set[int]) -> bool | None:
        """Whether a group with outputs that cannot be compared computes the same; None if unknown.

        It does where all that reads it is equal, or where it is equal on inputs drawn for it. Else
        the first such group in a row is where the networks part.
        """
        readers = self.readers.get(number, set())
        if readers and readers.isdisjoint(failing | unlike):
            return True
        alone = self._alone(number)
        if alone is not None:
            return not self._is_apart(number, alone)
        is_first = self.runs.frontiers.region(number).groups.isdisjoint(unlike)
        return False if is_first else None

    def _differs(self, number: int) -> bool:
        """Whether a group differs by itself: on A's values, or on those drawn for it.

        What reads values that cannot be given from A to B shows nothing where it differs.
        """
        if self._is_seen_apart(number) and not self._reads_unlike(number):
            return True
        alone = self._alone(number)
        return alone is not None and alone.relative is not None and self._is_apart(number, alone)

    def _alone(self, number: int) -> Difference | None:
        """The difference on values drawn for a group; None where its elements are in an order that
        was found after they were compared.
        """
        exits = self.runs.of_group.get(number, ())
        found = any(one.names[1] in self.runs.orders for one in exits)
        return None if found else self.alone.get(number)

    def _reads_unlike(self, number: int) -> bool:
        sources = self.runs.frontiers.region(number).groups
        return any(self.measured[one].unlike for one in sources if one in self.measured)

    def _is_apart(self, number: int, difference: Difference) -> bool:
        return difference.size() > measurements.tolerance(self.runs.frontiers.group(number))

    def _join_before(self, number: int, failing: set[int]) -> None:
        """Join a group with differing ones before it, where all that reads these is then equal."""
        for dropped in self._growing(number, failing):
            readers = {r for one in dropped for r in self.readers.get(one, ())} - dropped
            results = self.passing(readers | {number}, dropped)
            if results is not None:
                self.measured |= results
                self.joined |= dict.fromkeys(dropped, number)
                failing -= dropped | results.keys()
                return

    def passing(
        self, numbers: Collection[int], dropped: Collection[int], weights: Arrays | None = None
    ) -> dict[int, Measured] | None:
        """The measurements of some groups, if all of them are equal with these weights of B."""
        results: dict[int, Measured] = {}
        for number in sorted(numbers):
            found = self.runs.one(number, {*dropped, *self.joined}, weights=weights)
            if found.difference is None or self._is_apart(number, found.difference):
                return None
            results[number] = found
        return results

    def undone_behind(self, numbers: Collection[int]) -> set[int]:
        """Those of some differing groups of which nothing is left behind what reads them: their
        values are in another order, which matters to no reader.
        """
        found = {number for number in numbers if self.differs_on_activations(number)}
        dropped = set(found)
        for _ in range(_DEPTH):
            readers = {r for one in dropped for r in self.readers.get(one, ())} - dropped
            apart = {r for r in readers if self.passing([r], dropped) is None}
            if not apart:
                return found
            if any(r not in self.readers for r in apart):
                return set()
            dropped |= apart
        return set()

    def _growing(self, number: int, failing: set[int]) -> Iterator[set[int]]:
        """Sets of differing groups that lead to a group, the nearest first."""
        dropped: set[int] = set()
        for _ in range(_DEPTH):
            region = self.runs.frontiers.region(number, {*dropped, *self.joined})
            nearest = (region.groups & failing) - dropped - {number}
            if not nearest:
                return
            dropped = dropped | nearest
            yield dropped
