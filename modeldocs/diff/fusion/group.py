"""Groups of layers of one graph that compute together what layers of the other do."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from modeldocs.diff.alignment.matching import Matching
from modeldocs.diff.diff import Match
from modeldocs.diff.fused_group import FusedGroup
from modeldocs.diff.indexing.indexed_graph import IndexedGraph


@dataclass(frozen=True, slots=True)
class FusionGroup:
    """Nodes of A and of B that together compute the same, in order.

    `compositions` describe those of A and those of B.
    """

    a: tuple[int, ...]
    b: tuple[int, ...]
    consequence: str
    compositions: tuple[FusedGroup, FusedGroup]

    def mirrored(self) -> FusionGroup:
        """The same group seen from the other graph."""
        return FusionGroup(self.b, self.a, self.consequence, self.compositions[::-1])


@dataclass
class FusionGroups:
    """The groups of a matching, and the group of each node of A and of B that is in one."""

    groups: list[FusionGroup] = field(default_factory=list)
    of_a: dict[int, FusionGroup] = field(default_factory=dict)
    of_b: dict[int, FusionGroup] = field(default_factory=dict)

    def add(self, group: FusionGroup) -> None:
        """Add a group."""
        self.groups.append(group)
        self.of_a |= dict.fromkeys(group.a, group)
        self.of_b |= dict.fromkeys(group.b, group)

    def matches(self, matching: Matching, *, turned: bool) -> list[Match]:
        """One match a group, with its reason read from B to A where `turned`."""
        return [_match(matching, group, turned=turned) for group in self.groups]


def _match(matching: Matching, group: FusionGroup, *, turned: bool) -> Match:
    ours, theirs = group.compositions[::-1] if turned else group.compositions
    return Match(
        a=ids(matching.a, group.a),
        b=ids(matching.b, group.b),
        reason=f"{ours.text} computes what {theirs.text} does",
        confidence=0.8 if group.consequence == "spelling" else 0.7,
    )


def ids(graph: IndexedGraph, nodes: tuple[int, ...]) -> tuple[str, ...]:
    """The ids of nodes."""
    return tuple(graph.nodes[node].id for node in nodes)


def learned(graph: IndexedGraph, nodes: Iterable[int], but: str = "") -> int:
    """The number of values that nodes learn, without those of the role `but`."""
    return sum(
        parameter.elements
        for node in nodes
        for parameter in getattr(graph.nodes[node], "parameters", ())
        if parameter.trainable and parameter.role != but
    )
