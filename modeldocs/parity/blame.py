"""Which line of a diff explains that layers give other numbers."""

from __future__ import annotations

from collections.abc import Iterable

from modeldocs.diff import CONSEQUENCES, Diff, Pair
from modeldocs.diff.changes.part_orders import PARTS
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

        What diverged alone is explained by a line that names it, or by one that gives what it
        reads another shape. What diverged in its network has read something else: layers before
        it that one side lacks come first, then its own lines, then those of layers before it that
        stand elsewhere on the other side.
        """
        own = self._named([*self._lines(pair), *self._of_order(pair)])
        if alone:
            return own or self._named(self._of_shape(self._before(pair)))
        absent = self._unmatched(self.a, pair[0], 0), self._unmatched(self.b, pair[1], 1)
        moved = [n for n in self._lines(self._before(pair)) if self._elsewhere(n)]
        before = self._named(self._lines(absent)) or own or self._named(moved)
        return before or self._named(self._along(pair))

    def _elsewhere(self, number: int) -> bool:
        """Whether a line tells of layers that stand, or read, elsewhere."""
        change = self.diff.changes[number - 1]
        return change.kind in ("moved", "rewired", "inserted", "deleted")

    def _of_shape(self, before: tuple[set[str], set[str]]) -> list[int]:
        """Lines on what lies before that give other shapes: their own, or to what follows."""
        changes = self.diff.changes
        return [
            number
            for number in self._lines(before)
            if changes[number - 1].consequence == "shape" or changes[number - 1].followers
        ]

    def _of_order(self, pair: Pair) -> list[int]:
        """Lines on what reads a pair that tell of the order of its parts."""
        changes = self.diff.changes
        read_by = self._behind(self.a, pair[0]), self._behind(self.b, pair[1])
        return [n for n in self._lines(read_by) if changes[n - 1].attribute == PARTS]

    def _along(self, pair: Pair) -> list[int]:
        """Lines on moved layers that read the same as a pair: it stands elsewhere with them."""
        ours = self._makers(self.a, pair[0]), self._makers(self.b, pair[1])
        read_by = self._behind(self.a, ours[0]), self._behind(self.b, ours[1])
        return [n for n in self._lines(read_by) if self.diff.changes[n - 1].kind == "moved"]

    def _behind(self, side: Side, ids: Iterable[str]) -> set[str]:
        """The layers that read some layers."""
        wanted = set(ids)
        return {
            name
            for name, edges in side.edges.items()
            if any(edge.maker in wanted for edge in edges)
        }

    def _before(self, pair: Pair) -> tuple[set[str], set[str]]:
        """The layers that a pair reads, and those that they read, as far as they have no match."""
        sides = zip((self.a, self.b), pair, (0, 1), strict=True)
        ours, theirs = (
            self._makers(side, {*ids, *self._unmatched(side, ids, place)})
            for side, ids, place in sides
        )
        return ours, theirs

    def _makers(self, side: Side, ids: Iterable[str]) -> set[str]:
        return {edge.maker for one in ids for edge in side.edges.get(one, [])}

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
