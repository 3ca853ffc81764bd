"""Attribution: the change of a diff that explains why layers compute different values."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from modeldocs.diff import CONSEQUENCES, Diff, Pair
from modeldocs.numeric.parity.runnable_graph import RunnableGraph


class LayerChanges:
    """Looks up the changes of a diff by the layers that they name."""

    def __init__(self, a: RunnableGraph, b: RunnableGraph, diff: Diff) -> None:
        self.a, self.b, self.diff = a, b, diff
        self.matched = (
            {one for match in diff.matches for one in match.a},
            {one for match in diff.matches for one in match.b},
        )

    def change_number(self, pair: Pair, acting: Collection[int]) -> int | None:
        """Number (from 1) of the change that explains why a pair differs; None where none does.

        Changes are tried in this order: of the pair itself and of unmatched layers before it, of
        what it reads, of what reads it. Of several, the gravest one counts; those of spelling only
        where there is no other.
        """
        absent = (
            self._unmatched_before(self.a, pair[0], 0),
            self._unmatched_before(self.b, pair[1], 1),
        )
        own = (*pair[0], *absent[0]), (*pair[1], *absent[1])
        before = self._producers(self.a, own[0]), self._producers(self.b, own[1])
        behind = self._readers(self.a, pair[0]), self._readers(self.b, pair[1])
        named = [set(self._changes_of(places)) & set(acting) for places in (own, before, behind)]
        grave = {n for n in acting if self.diff.changes[n - 1].consequence != "spelling"}
        found = (
            self._most_consequential(numbers) for numbers in (*(n & grave for n in named), *named)
        )
        return next((number for number in found if number is not None), None)

    def of_constant(self, pair: Pair, settings: Collection[str]) -> int | None:
        """Number (from 1) of the first change that tells of a constant of some layers."""
        numbered = enumerate(self.diff.changes, start=1)
        return next((n for n, change in numbered if change.says_of(pair, settings)), None)

    def of_layers(self, layers: Collection[str]) -> list[int]:
        """Numbers (from 1) of the changes that tell that some layers of B are in B alone."""
        return [
            number
            for number, change in enumerate(self.diff.changes, start=1)
            if change.lacks(layers)
        ]

    def _readers(self, graph: RunnableGraph, ids: Iterable[str]) -> set[str]:
        """The layers that read some layers."""
        wanted = set(ids)
        return {
            name
            for name, edges in graph.edges.items()
            if any(edge.producer in wanted for edge in edges)
        }

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

    def _most_consequential(self, numbers: Collection[int]) -> int | None:
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
