"""The search for regions that differ: groups whose values differ although what they read does not.

A group may differ alone and yet be right together with the groups behind it: a convolution whose
norm is folded into it in B. Such groups are tried as one region.
"""

from __future__ import annotations

import time
from collections.abc import Collection, Iterator, Mapping, Set
from dataclasses import dataclass, field

from modeldocs.ir import operators
from modeldocs.numeric.execution.closeness import Difference
from modeldocs.numeric.parity import measurements
from modeldocs.numeric.parity.regions import other_sizes
from modeldocs.numeric.parity.regions.measuring import Arrays, MeasuredRegion, RegionRuns

_DEPTH = 8
"""Groups in a row that are tried as one region."""


@dataclass
class RegionSearch:
    """Decides for every group whether its region computes the same.

    `measured` is what the regions compute from A's values, `alone` from values drawn for them,
    `seconds` the time for trying regions of several groups.
    `joined` are the groups that are decided as part of the region of another, `undecided` those
    behind a difference of shape, of which nothing is known.
    """

    runs: RegionRuns
    measured: dict[int, MeasuredRegion]
    alone: Mapping[int, Difference]
    seconds: float
    joined: dict[int, int] = field(default_factory=dict)
    undecided: set[int] = field(default_factory=set)
    readers: dict[int, set[int]] = field(init=False, default_factory=dict)
    """By group: those whose regions read its values."""

    def __post_init__(self) -> None:
        self.until = time.monotonic() + self.seconds
        for number in self.measured:
            for source in self.runs.frontiers.region(number).groups:
                self.readers.setdefault(source, set()).add(number)

    def differing(self) -> list[int]:
        """Numbers of the groups that differ, in their order, after joining what can be."""
        self._remeasure()
        failing = {number for number in self.measured if self._differs(number)}
        for number in sorted(failing):
            if number not in self.joined and time.monotonic() < self.until:
                self._join_before(number, failing)
        for number in sorted(failing):
            if number in failing and self._is_seen_apart(number):
                self._join_behind({number}, failing)
        seen = {number for number in failing if self._is_seen_apart(number)}
        if len(seen) > 1:
            self._join_behind(seen, failing)
        unlike = self.unlike() - self.joined.keys()
        behind = other_sizes.equal_behind(self, unlike, failing)
        states = {number: self._is_same(number, behind, unlike) for number in unlike - failing}
        self.undecided = {number for number, same in states.items() if same is None}
        failing |= {number for number, same in states.items() if same is False}
        other_sizes.join(self, failing)
        return sorted(failing)

    def unlike(self) -> set[int]:
        """Groups whose outputs cannot be compared, or that differ on values of B's own."""
        return {
            number
            for number in self.measured
            if self.measured[number].unlike or self._is_unshown(number)
        }

    def readers_of(self, numbers: Set[int]) -> set[int]:
        """The groups whose regions read values of some others, without these."""
        return {r for one in numbers for r in self.readers.get(one, ())} - numbers

    def _remeasure(self) -> None:
        """Measure what reads values whose order of elements was only found by their numbers.

        Where nothing that reads them makes up for the order, it is no other form of the same: the
        layer that puts them into it differs.
        """
        for source in sorted(self.runs.reordered()):
            readers = sorted(self.readers.get(source, ()))
            found = {number: self.runs.one(number, ()) for number in readers}
            before, after = (
                {number for number in readers if self.is_equal(number, of[number])}
                for of in (self.measured, found)
            )
            if after < before:
                self.measured[source] = self.runs.in_order(source)
            else:
                self.measured |= found

    def differs_on_activations(self, number: int) -> bool:
        """Whether a group differs on the values that the network computes, of any size."""
        return self.measured[number].unlike or self._is_seen_apart(number)

    def _is_unshown(self, number: int) -> bool:
        """Whether a group differs, and reads values that cannot be given from A to B."""
        return self._is_seen_apart(number) and self._reads_unlike(number)

    def _is_seen_apart(self, number: int) -> bool:
        found = self.measured[number].difference
        return found is not None and self._is_apart(number, found)

    def _is_same(self, number: int, behind: set[int], unlike: set[int]) -> bool | None:
        """Whether a group with outputs that cannot be compared computes the same; None if unknown.

        It does where all `behind` it is equal, or where it is equal on inputs drawn for it. Else
        the first such group in a row is where the networks part.
        """
        if number in behind:
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
        sources = self.runs.frontiers.region(number).reads[1]
        found = (self.measured.get(one) for one in sources if isinstance(one, int))
        return any(one is not None and one.unlike for one in found)

    def _is_apart(self, number: int, difference: Difference) -> bool:
        return difference.size() > measurements.tolerance(self.runs.frontiers.group(number))

    def _join_before(self, number: int, failing: set[int]) -> None:
        """Join a group with differing ones before it, where all that reads these is then equal."""
        for dropped in self._growing(number, failing):
            if self._has_steps(dropped | {number}):
                return
            readers = self.readers_of(dropped)
            results = self.passing(readers | {number}, dropped)
            if results is not None:
                self.measured |= results
                self.joined |= dict.fromkeys(dropped, number)
                failing -= dropped | results.keys()
                return

    def _join_behind(self, start: set[int], failing: set[int]) -> None:
        """Join differing groups with what reads them, where all that reads these is equal: they are
        parts of one calculation in two forms, and correspond at its end only.

        What differs on other inputs alone is not joined: that what reads it is equal shows nothing.
        """
        odd = failing | self.unlike()
        dropped, is_ahead = set(start), True
        while len(dropped) <= other_sizes.WIDTH and time.monotonic() < self.until:
            readers = self.readers_of(dropped)
            before = {
                one
                for reader in readers
                for one in self.runs.frontiers.region(reader, {*dropped, *self.joined}).groups
                if one in odd
            }
            if not before <= dropped:
                dropped |= before
                continue
            results = {one: self.runs.one(one, {*dropped, *self.joined}) for one in sorted(readers)}
            apart = {one for one, found in results.items() if not self.is_equal(one, found)}
            if not apart.isdisjoint(self.runs.frontiers.ends):
                return
            if any(not self._is_seen_apart(one) and one in failing for one in dropped):
                return
            if not apart:
                if results and not self._has_steps(dropped):
                    self.measured |= results
                    self.joined |= dict.fromkeys(dropped, max(results))
                    failing -= dropped | results.keys()
                return
            dropped |= apart
            was_ahead, is_ahead = is_ahead, self._leads_to(odd - dropped, dropped)
            if not (was_ahead or is_ahead):
                return  # nothing ahead makes up for the difference

    def _leads_to(self, wanted: set[int], start: set[int]) -> bool:
        """Whether what some groups compute is read, by others in between or not, by wanted ones."""
        waiting, seen = list(start), set[int]()
        while waiting:
            for reader in self.readers.get(waiting.pop(), ()):
                if reader in wanted:
                    return True
                if reader not in seen:
                    seen.add(reader)
                    waiting.append(reader)
        return False

    def _has_steps(self, numbers: set[int]) -> bool:
        """Whether layers of some groups jump from one value to another; outputs are no layers.

        Drawn numbers seldom meet where they jump: that two forms of one are equal on those shows
        little.
        """
        graphs = self.runs.frontiers.graphs
        groups = [self.runs.frontiers.group(number) for number in numbers]
        ids = [(name, side) for one in groups for side, of in enumerate(one.pair) for name in of]
        nodes = (graphs[side].nodes.get(name) for name, side in ids)
        return any(node is not None and operators.of(node.op_type).stepwise for node in nodes)

    def is_equal(self, number: int, found: MeasuredRegion) -> bool:
        """Whether a group is equal, in numbers that would show where it were not."""
        if found.difference is None or found.unlike or found.coarse:
            return False
        return not self._is_apart(number, found.difference)

    def passing(
        self, numbers: Collection[int], dropped: Collection[int], weights: Arrays | None = None
    ) -> dict[int, MeasuredRegion] | None:
        """The measurements of some groups, if all of them are equal with these weights of B."""
        results: dict[int, MeasuredRegion] = {}
        for number in sorted(numbers):
            found = self.runs.one(number, {*dropped, *self.joined}, weights=weights)
            if found.difference is None or self._is_apart(number, found.difference):
                return None
            results[number] = found
        return results

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


@dataclass(frozen=True)
class SearchState:
    """B as it is so far, its regions as they were decided, and those that differ."""

    runs: RegionRuns
    search: RegionSearch
    differing: list[int]

    @property
    def not_equal(self) -> set[int]:
        """The groups that differ, and those of which it is not known.

        A change after which less can be run makes nothing equal.
        """
        measured = self.search.measured.items()
        not_run = {number for number, one in measured if one.difference is None and not one.unlike}
        return {*self.differing, *self.search.undecided, *not_run}
