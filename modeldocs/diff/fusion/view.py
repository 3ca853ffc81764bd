"""Two matched graphs as a fusion sees them: one may be decomposed, the other fused."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from functools import cached_property

from modeldocs.diff.alignment.matching import Matching
from modeldocs.diff.alignment.similarity import same_operator
from modeldocs.diff.fused_group import FusedGroup
from modeldocs.diff.fusion.group import FusionGroup, FusionGroups, learned
from modeldocs.diff.indexing.indexed_graph import IndexedGraph

Nodes = tuple[int, ...]


@dataclass
class FusionView:
    """Decompositions are looked for in `decomposed`, their fusions in `fused_graph`.

    `decomposed` is A, or B if `mirrored`. `to_fused` and `to_decomposed` are the counterparts of
    nodes, -1 where there is none.
    """

    matching: Matching
    groups: FusionGroups
    mirrored: bool

    def __post_init__(self) -> None:
        """Name the graphs by their part."""
        matching, groups = self.matching, self.groups
        a = matching.a, matching.to_b, groups.of_a
        b = matching.b, matching.to_a, groups.of_b
        ours, theirs = (b, a) if self.mirrored else (a, b)
        self.decomposed, self.to_fused, self._grouped_decomposed = ours
        self.fused_graph, self.to_decomposed, self._grouped_fused = theirs

    def unmatched_decomposed(self) -> list[int]:
        """Nodes of the decomposed graph without a counterpart or a group."""
        return [
            x for x, y in enumerate(self.to_fused) if y < 0 and x not in self._grouped_decomposed
        ]

    def unmatched_fused(self) -> list[int]:
        """Nodes of the fused graph without a counterpart or a group."""
        return [
            y for y, x in enumerate(self.to_decomposed) if x < 0 and y not in self._grouped_fused
        ]

    @cached_property
    def operators(self) -> set[str]:
        """The operators of all nodes of the fused graph."""
        return {op.operator for op in self.fused_graph.ops}

    def are_ungrouped(self, parts: Collection[int], fused: Collection[int]) -> bool:
        """Whether none of these nodes of the two graphs is in a group."""
        if not self._grouped_decomposed.keys().isdisjoint(parts):
            return False
        return self._grouped_fused.keys().isdisjoint(fused)

    def are_closed(self, parts: Collection[int], fused: Collection[int]) -> bool:
        """Whether no node of either set has its counterpart elsewhere."""
        to_fused, to_decomposed = self.to_fused, self.to_decomposed
        return all(to_fused[x] in fused for x in parts if to_fused[x] >= 0) and all(
            to_decomposed[y] in parts for y in fused if to_decomposed[y] >= 0
        )

    def learn_equally(self, parts: Collection[int], fused: Collection[int], but: str = "") -> bool:
        """Whether both learn the same number of values, without those of the role `but`."""
        return learned(self.decomposed, parts, but) == learned(self.fused_graph, fused, but)

    def group(
        self,
        parts: Nodes,
        fused: Nodes,
        compositions: tuple[FusedGroup, FusedGroup],
        consequence: str,
        *,
        loose: Collection[int] = (),
    ) -> None:
        """Add the group of nodes that compute the same.

        Unmatched are pairs of different operators, pairs with nodes outside the group, and the
        `loose` nodes of the decomposed graph.
        """
        group = FusionGroup(parts, fused, consequence, compositions)
        group = group.mirrored() if self.mirrored else group
        for x in loose:
            if self.to_fused[x] >= 0:
                self.matching.unmatch(self.to_fused[x] if self.mirrored else x)
        self._unmatch_others(group)
        self.groups.add(group)

    def _unmatch_others(self, group: FusionGroup) -> None:
        matching = self.matching
        for i in group.a:
            j = matching.to_b[i]
            if j >= 0 and not (
                j in group.b and same_operator(matching, i, j) and _same_outputs(matching, i, j)
            ):
                matching.unmatch(i)
        for j in group.b:
            i = matching.to_a[j]
            if i >= 0 and i not in group.a:
                matching.unmatch(i)
        matching.moved.difference_update(group.a)


def _same_outputs(matching: Matching, i: int, j: int) -> bool:
    """Whether two layers of a group have weights to the same outputs: neither is part of one."""
    ours, theirs = dict(matching.a.ops[i].parameters), dict(matching.b.ops[j].parameters)
    before, after = ours.get("weight"), theirs.get("weight")
    return before is None or after is None or before[:1] == after[:1]


def readers(graph: IndexedGraph, node: int) -> list[int]:
    """The nodes that read a node, each once; -1 stands for an output of the network."""
    users = list(dict.fromkeys(user for _, user in graph.users[node]))
    return [*users, -1] if node in graph.output_nodes else users


def read(graph: IndexedGraph, node: int) -> list[int]:
    """The nodes that a node reads, in order of slot."""
    return [source for _, source in graph.sources[node]]
