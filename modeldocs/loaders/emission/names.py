"""Names of nodes and values: each given once, and listed in messages."""

from __future__ import annotations

from collections.abc import Sequence


def first_of(names: Sequence[str], most: int) -> str:
    """The first of some names, at `most` so many, and how many more there are."""
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more


class UniqueNames:
    """The names given so far, in as many spaces as asked for.

    Where a name is given already, `first` is the number that the next one gets.
    """

    def __init__(self, first: int = 2) -> None:
        self._given: dict[tuple[str, str], int] = {}
        self._before = first - 1

    def __contains__(self, name: str) -> bool:
        return ("", name) in self._given

    def unique(self, name: str, space: str = "") -> str:
        """`name`, or with the first number that no other has in this space."""
        result = name
        while (space, result) in self._given:
            self._given[space, name] += 1
            result = f"{name}_{self._given[space, name]}"
        self._given[space, result] = self._before
        return result
