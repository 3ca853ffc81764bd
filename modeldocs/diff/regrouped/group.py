"""Groups: layers of the one side that compute together what others of the other side do."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from modeldocs.diff.alignment.matching import Matching
from modeldocs.diff.composition import Composition
from modeldocs.diff.diff import Match
from modeldocs.diff.indexing.indexed_graph import IndexedGraph


@dataclass(frozen=True, slots=True)
class Group:
    """Nodes of A and of B that compute the same in other pieces, each side's in order.

    `means` is the consequence, `told` what stands there in A and in B.
    """

    a: tuple[int, ...]
    b: tuple[int, ...]
    means: str
    told: tuple[Composition, Composition]

    def mirrored(self) -> Group:
        """The same group seen from the other side."""
        return Group(self.b, self.a, self.means, self.told[::-1])


@dataclass
class Regrouping:
    """The groups of a pairing, with the group of each node of A and of B that is in one."""

    groups: list[Group] = field(default_factory=list)
    of_a: dict[int, Group] = field(default_factory=dict)
    of_b: dict[int, Group] = field(default_factory=dict)

    def add(self, group: Group) -> None:
        """Take up a group."""
        self.groups.append(group)
        self.of_a |= dict.fromkeys(group.a, group)
        self.of_b |= dict.fromkeys(group.b, group)

    def mirrored(self) -> Regrouping:
        """The same groups seen from the other side."""
        turned = Regrouping()
        for group in self.groups:
            turned.add(group.mirrored())
        return turned

    def matches(self, matching: Matching) -> list[Match]:
        """One match a group."""
        return [
            Match(
                a=ids(matching.a, group.a),
                b=ids(matching.b, group.b),
                reason=f"{group.told[0].text} computes what {group.told[1].text} does",
                confidence=0.8 if group.means == "spelling" else 0.7,
            )
            for group in self.groups
        ]


def ids(graph: IndexedGraph, nodes: tuple[int, ...]) -> tuple[str, ...]:
    """The ids of nodes."""
    return tuple(graph.nodes[node].id for node in nodes)


def learned(graph: IndexedGraph, nodes: Iterable[int], but: str = "") -> int:
    """Number of values that nodes learn, those of the role `but` apart."""
    return sum(
        parameter.elements
        for node in nodes
        for parameter in getattr(graph.nodes[node], "parameters", ())
        if parameter.trainable and parameter.role != but
    )
