"""One side with its layers in pieces, faced with the side that may have them fused."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from functools import cached_property

from modeldocs.diff.alignment.matching import Matching
from modeldocs.diff.alignment.similarity import same_operator
from modeldocs.diff.composition import Composition
from modeldocs.diff.indexing.indexed_graph import IndexedGraph
from modeldocs.diff.regrouped.group import Group, Regrouping, learned

Nodes = tuple[int, ...]


@dataclass
class Facing:
    """The pieces on `many`, what is fused on `few`; `turned` where `many` is B.

    `to_few` and `to_many` are the counterparts of nodes, -1 where there is none.
    """

    matching: Matching
    regrouping: Regrouping
    turned: bool

    def __post_init__(self) -> None:
        """Name the sides by their part."""
        matching, held = self.matching, self.regrouping
        sides = [(matching.a, matching.to_b, held.of_a), (matching.b, matching.to_a, held.of_b)]
        ours, theirs = sides[::-1] if self.turned else sides
        self.many, self.to_few, self._taken_many = ours
        self.few, self.to_many, self._taken_few = theirs

    def free(self) -> list[int]:
        """Nodes of the side in pieces without a counterpart or a group."""
        return [x for x, y in enumerate(self.to_few) if y < 0 and x not in self._taken_many]

    def free_few(self) -> list[int]:
        """Nodes of the fused side without a counterpart or a group."""
        return [y for y, x in enumerate(self.to_many) if x < 0 and y not in self._taken_few]

    @cached_property
    def operators(self) -> set[str]:
        """Operators of all nodes of the fused side."""
        return {op.operator for op in self.few.ops}

    def untaken(self, many: Collection[int], few: Collection[int]) -> bool:
        """Whether none of the nodes is in a group."""
        return self._taken_many.keys().isdisjoint(many) and self._taken_few.keys().isdisjoint(few)

    def closed(self, many: Collection[int], few: Collection[int]) -> bool:
        """Whether no node of either set has its counterpart elsewhere."""
        return all(self.to_few[x] in few for x in many if self.to_few[x] >= 0) and all(
            self.to_many[y] in many for y in few if self.to_many[y] >= 0
        )

    def even(self, many: Collection[int], few: Collection[int], but: str = "") -> bool:
        """Whether both learn the same number of values, those of the role `but` apart."""
        return learned(self.many, many, but) == learned(self.few, few, but)

    def group(
        self,
        many: Nodes,
        few: Nodes,
        told: tuple[Composition, Composition],
        means: str,
        *,
        loose: Collection[int] = (),
    ) -> None:
        """Hold the nodes to compute the same.

        Pairs of other operators are undone, those with nodes outside, and those of the `loose`
        nodes of the side in pieces.
        """
        held = Group(many, few, means, told)
        held = held.mirrored() if self.turned else held
        for x in loose:
            if self.to_few[x] >= 0:
                self.matching.unmatch(self.to_few[x] if self.turned else x)
        self._loosen(held)
        self.regrouping.add(held)

    def _loosen(self, group: Group) -> None:
        matching = self.matching
        for i in group.a:
            j = matching.to_b[i]
            if j >= 0 and not (
                j in group.b and same_operator(matching, i, j) and _whole(matching, i, j)
            ):
                matching.unmatch(i)
        for j in group.b:
            i = matching.to_a[j]
            if i >= 0 and i not in group.a:
                matching.unmatch(i)
        matching.moved.difference_update(group.a)


def _whole(matching: Matching, i: int, j: int) -> bool:
    """Whether the weights of two layers of a group are those of one layer, not of parts of it."""
    ours, theirs = dict(matching.a.ops[i].parameters), dict(matching.b.ops[j].parameters)
    before, after = ours.get("weight"), theirs.get("weight")
    return before is None or after is None or before[:1] == after[:1]


def readers(graph: IndexedGraph, node: int) -> list[int]:
    """The nodes that read a node, each once; the network's output counts as -1."""
    found = list(dict.fromkeys(user for _, user in graph.users[node]))
    return [*found, -1] if node in graph.output_nodes else found


def read(graph: IndexedGraph, node: int) -> list[int]:
    """The nodes that a node reads, in order of slot."""
    return [source for _, source in graph.sources[node]]
