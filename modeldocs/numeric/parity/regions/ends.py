"""The ends of two networks: pairs of their outputs, as the last groups that regions lead to."""

from __future__ import annotations

from collections.abc import Iterable

from modeldocs.diff import Returned
from modeldocs.numeric.parity.edge_path import path_to
from modeldocs.numeric.parity.matched_group import GroupSide, MatchedGroup
from modeldocs.numeric.parity.runnable_graph import RunnableEdge, RunnableGraph


def ends(
    a: RunnableGraph, b: RunnableGraph, returned: Iterable[Returned], first: int
) -> dict[int, MatchedGroup]:
    """The outputs that both networks return, by numbers from `first`."""
    both = [one.places for one in returned if min(one.places) >= 0]
    return {
        number: MatchedGroup(_side(a, ours), _side(b, theirs), (), ((0, 0),), (None,))
        for number, (ours, theirs) in enumerate(both, start=first)
    }


def _side(graph: RunnableGraph, place: int) -> GroupSide:
    """An output of a network by its place, which reads the layer that computes it."""
    value = graph.model.graph.outputs[place]
    path = path_to(value)
    producer = graph.output_layers.get(str(path.root.name))
    name = f"output {place}"
    edges = (RunnableEdge(name, 0, producer, path),) if producer is not None else ()
    return GroupSide((name,), (edges,) if edges else (), (value,))
