"""Names given out once."""

from __future__ import annotations


class Names:
    """Names given out so far: no two values, and no two nodes, share one."""

    def __init__(self) -> None:
        self._taken: set[str] = set()
        self._numbers: dict[str, int] = {}

    def free(self, name: str) -> str:
        """The name, with a number where another has it."""
        made = name
        while made in self._taken:
            self._numbers[name] = self._numbers.get(name, 1) + 1
            made = f"{name}_{self._numbers[name]}"
        self._taken.add(made)
        return made
