"""Attribution: the change of a diff that explains why layers compute different values."""

from __future__ import annotations

from collections.abc import Iterable

from modeldocs.diff import CONSEQUENCES, Diff, Pair
from modeldocs.diff.changes.part_orders import PARTS
from modeldocs.parity.runnable_graph import RunnableGraph


class Attribution:
    """Looks up the changes of a diff by the layers that they name."""

    def __init__(self, a: RunnableGraph, b: RunnableGraph, diff: Diff) -> None:
        self.a, self.b, self.diff = a, b, diff
        self.matched = (
            {one for match in diff.matches for one in match.a},
            {one for match in diff.matches for one in match.b},
        )

    def change_number(self, pair: Pair, *, on_equal_inputs: bool) -> int | None:
        """Number (from 1) of the change that explains why a pair diverges; None where none does.

        Where the pair diverges alone, it is a change of the pair itself, or one that changes the
        shape of what it reads. Where it diverges only in the networks, changes are tried in this
        order: of unmatched layers before it, of the pair itself, of displaced layers before it.
        """
        own = self._most_consequential([*self._changes_of(pair), *self._order_changes(pair)])
        if on_equal_inputs:
            return own or self._most_consequential(
                self._shape_changes(self._producers_before(pair))
            )
        absent = (
            self._unmatched_before(self.a, pair[0], 0),
            self._unmatched_before(self.b, pair[1], 1),
        )
        moved = [n for n in self._changes_of(self._producers_before(pair)) if self._is_displaced(n)]
        before = (
            self._most_consequential(self._changes_of(absent))
            or own
            or self._most_consequential(moved)
        )
        return before or self._most_consequential(self._moved_beside(pair))

    def _is_displaced(self, number: int) -> bool:
        """Whether a change moves, rewires, inserts or deletes layers."""
        change = self.diff.changes[number - 1]
        return change.kind in ("moved", "rewired", "inserted", "deleted")

    def _shape_changes(self, before: tuple[set[str], set[str]]) -> list[int]:
        """Changes of producers that change shapes: their own, or of what follows."""
        changes = self.diff.changes
        return [
            number
            for number in self._changes_of(before)
            if changes[number - 1].consequence == "shape" or changes[number - 1].followers
        ]

    def _order_changes(self, pair: Pair) -> list[int]:
        """Changes of the order in which the readers of a pair join their operands."""
        changes = self.diff.changes
        read_by = self._readers(self.a, pair[0]), self._readers(self.b, pair[1])
        return [n for n in self._changes_of(read_by) if changes[n - 1].attribute == PARTS]

    def _moved_beside(self, pair: Pair) -> list[int]:
        """Changes of moved layers that read the same as a pair: it moved with them."""
        ours = self._producers(self.a, pair[0]), self._producers(self.b, pair[1])
        read_by = self._readers(self.a, ours[0]), self._readers(self.b, ours[1])
        return [n for n in self._changes_of(read_by) if self.diff.changes[n - 1].kind == "moved"]

    def _readers(self, graph: RunnableGraph, ids: Iterable[str]) -> set[str]:
        """The layers that read some layers."""
        wanted = set(ids)
        return {
            name
            for name, edges in graph.edges.items()
            if any(edge.producer in wanted for edge in edges)
        }

    def _producers_before(self, pair: Pair) -> tuple[set[str], set[str]]:
        """The layers that a pair reads, directly or through unmatched layers."""
        sides = zip((self.a, self.b), pair, (0, 1), strict=True)
        ours, theirs = (
            self._producers(graph, {*ids, *self._unmatched_before(graph, ids, index)})
            for graph, ids, index in sides
        )
        return ours, theirs

    def _producers(self, graph: RunnableGraph, ids: Iterable[str]) -> set[str]:
        """The layers that some layers read."""
        return {edge.producer for one in ids for edge in graph.edges.get(one, [])}

    def _changes_of(self, pair: tuple[Iterable[str], Iterable[str]]) -> list[int]:
        """Numbers of the changes that name a layer of A, or one of B."""
        ours, theirs = set(pair[0]), set(pair[1])
        return [
            number
            for number, change in enumerate(self.diff.changes, start=1)
            if any(ours & set(left) or theirs & set(right) for left, right in change.pairs)
        ]

    def _most_consequential(self, numbers: list[int]) -> int | None:
        """The change with the gravest consequence, of those the first."""
        changes = self.diff.changes
        return min(
            numbers,
            key=lambda number: (CONSEQUENCES.index(changes[number - 1].consequence), number),
            default=None,
        )

    def _unmatched_before(self, graph: RunnableGraph, ids: Iterable[str], index: int) -> set[str]:
        """The unmatched layers that lead to some layers without a matched one between."""
        unmatched: set[str] = set()
        waiting = list(ids)
        while waiting:
            for edge in graph.edges.get(waiting.pop(), []):
                if edge.producer not in self.matched[index] and edge.producer not in unmatched:
                    unmatched.add(edge.producer)
                    waiting.append(edge.producer)
        return unmatched
