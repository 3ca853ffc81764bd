"""What is run of one network: all of it, and its groups apart. Both directions run the same."""

from __future__ import annotations

from collections.abc import Mapping

from modeldocs.numerics.runtime import Runner
from modeldocs.parity import extraction, lowering
from modeldocs.parity.matched_group import GroupSide
from modeldocs.parity.runnable_graph import RunnableGraph


class Programs:
    """The runners of a network, made when they are first needed."""

    def __init__(self, graph: RunnableGraph) -> None:
        self.graph = graph
        self._whole: Runner | None = None
        self._apart: dict[object, Runner] = {}

    def whole(self) -> Runner:
        """The whole network."""
        if self._whole is None:
            self._whole = Runner(lowering.lowered_copy(self.graph.model))
        return self._whole

    def apart(self, sides: Mapping[int, GroupSide]) -> Runner:
        """These groups, by number, each by itself: see `extraction.extract`."""
        key = tuple((number, side.ids) for number, side in sides.items())
        if key not in self._apart:
            self._apart[key] = Runner(extraction.extract(self.graph, sides))
        return self._apart[key]
