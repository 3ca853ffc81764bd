"""Names that are given once."""

from __future__ import annotations


class Names:
    """The names given so far, in as many spaces as asked for."""

    def __init__(self) -> None:
        self._given: dict[str, int] = {}

    def __contains__(self, name: str) -> bool:
        return name in self._given

    def unique(self, name: str, space: str = "") -> str:
        """`name`, or with the first number that no other has in this space."""
        made = name
        while space + made in self._given:
            self._given[space + name] += 1
            made = f"{name}_{self._given[space + name]}"
        self._given[space + made] = 1
        return made
