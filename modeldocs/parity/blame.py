"""Which line of a diff explains that layers give other numbers."""

from __future__ import annotations

from collections.abc import Iterable

from modeldocs.diff import CONSEQUENCES, Diff, Pair
from modeldocs.parity.side import Side


class Blame:
    """The lines of a diff by the layers that they name."""

    def __init__(self, a: Side, b: Side, diff: Diff) -> None:
        self.a, self.b, self.diff = a, b, diff
        self.matched = (
            {one for match in diff.matches for one in match.a},
            {one for match in diff.matches for one in match.b},
        )

    def of(self, pair: Pair, *, alone: bool) -> int | None:
        """Number of the line, from 1, that explains why a pair diverges; None where none does.

        What diverged alone is explained by a line that names it. What diverged in its network has
        read something else: layers before it that one side lacks come first, then its own lines.
        """
        own = self._named(self._lines(pair))
        if alone:
            return own
        before = self._unmatched(self.a, pair[0], 0), self._unmatched(self.b, pair[1], 1)
        return self._named(self._lines(before)) or own

    def _lines(self, pair: tuple[Iterable[str], Iterable[str]]) -> list[int]:
        ours, theirs = set(pair[0]), set(pair[1])
        return [
            number
            for number, change in enumerate(self.diff.changes, start=1)
            if any(ours & set(left) or theirs & set(right) for left, right in change.pairs)
        ]

    def _named(self, lines: list[int]) -> int | None:
        """The most consequential of some lines, of those the first."""
        changes = self.diff.changes
        return min(
            lines,
            key=lambda number: (CONSEQUENCES.index(changes[number - 1].consequence), number),
            default=None,
        )

    def _unmatched(self, side: Side, ids: Iterable[str], place: int) -> set[str]:
        """The layers without a counterpart that lie just before some layers."""
        found: set[str] = set()
        waiting = list(ids)
        while waiting:
            for edge in side.edges.get(waiting.pop(), []):
                if edge.maker not in self.matched[place] and edge.maker not in found:
                    found.add(edge.maker)
                    waiting.append(edge.maker)
        return found
