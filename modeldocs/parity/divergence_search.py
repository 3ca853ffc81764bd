"""The search for divergences: groups whose outputs differ although their inputs do not."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from modeldocs.diff import Divergence
from modeldocs.parity import measurements
from modeldocs.parity.attribution import Attribution
from modeldocs.parity.matched_group import GroupSide, MatchedGroup
from modeldocs.parity.measurements import Measurements
from modeldocs.parity.runnable_graph import RunnableGraph


@dataclass
class DivergenceSearch:
    """Goes through the groups in A's order."""

    a: RunnableGraph
    b: RunnableGraph
    groups: list[MatchedGroup]
    measured: Measurements
    attribution: Attribution
    _group_of: tuple[dict[str, int], dict[str, int]] = field(init=False)
    """The number of each layer's group, for A and for B."""

    def __post_init__(self) -> None:
        self._group_of = (
            {name: i for i, group in enumerate(self.groups) for name in group.a.ids},
            {name: i for i, group in enumerate(self.groups) for name in group.b.ids},
        )

    def divergences(self) -> Iterator[Divergence]:
        """Groups that diverge alone, or in their networks though nothing that they read does.

        A group after a divergence reads other values, so that its difference in the network shows
        nothing of its own.
        """
        diverging: set[int] = set()
        for i, group in enumerate(self.groups):
            alone, network = self.measured.alone.get(i), self.measured.network.get(i)
            after = bool(diverging & self._groups_before(group))
            if alone is not None and alone.size() > measurements.tolerance(group):
                change = self.attribution.change_number(group.pair, on_equal_inputs=True)
                yield Divergence(pair=group.pair, error=alone, change=change)
                diverging.add(i)
            elif i in self.measured.substituted:
                continue  # both networks were given the same in its place
            elif network is None or after:
                diverging.add(i)
            elif not network.small:
                change = self.attribution.change_number(group.pair, on_equal_inputs=False)
                yield Divergence(
                    pair=group.pair, error=network, change=change, on_equal_inputs=False
                )
                diverging.add(i)

    def _groups_before(self, group: MatchedGroup) -> set[int]:
        """Numbers of the nearest groups that a group depends on, on both sides."""
        return self._leading_groups(self.a, group.a, 0) | self._leading_groups(self.b, group.b, 1)

    def _leading_groups(self, graph: RunnableGraph, side: GroupSide, index: int) -> set[int]:
        """The same on one side; `index` is 0 for A, 1 for B."""
        groups: set[int] = set()
        waiting = [edge.producer for edges in side.inputs for edge in edges]
        visited = set(waiting)
        while waiting:
            current = waiting.pop()
            if current in self._group_of[index]:
                groups.add(self._group_of[index][current])
                continue
            producers = {edge.producer for edge in graph.edges.get(current, [])} - visited
            visited |= producers
            waiting += producers
        return groups
