"""Numbers in sets that have none in common."""

from __future__ import annotations

from collections import defaultdict


class Partition:
    """The numbers from 0 on, each in a set of its own until sets are joined."""

    def __init__(self, size: int) -> None:
        self._leader = list(range(size))

    def first(self, number: int) -> int:
        """The least number of the set that a number is in."""
        leader = self._leader
        while leader[number] != number:
            leader[number] = leader[leader[number]]
            number = leader[number]
        return number

    def join(self, one: int, other: int) -> None:
        """Make one set of those that two numbers are in."""
        first, second = sorted((self.first(one), self.first(other)))
        self._leader[second] = first

    def members(self) -> dict[int, list[int]]:
        """The numbers of each set, by its least one."""
        members: dict[int, list[int]] = defaultdict(list)
        for number in range(len(self._leader)):
            members[self.first(number)].append(number)
        return dict(members)
