"""Connected sets of unmatched layers: each counts as one edit."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from modeldocs.diff.alignment.matching import unmatched_nodes
from modeldocs.diff.indexing.edges import connected_components, unless_hub
from modeldocs.diff.indexing.indexed_graph import IndexedGraph


@dataclass(slots=True)
class UnmatchedSet:
    """How many layers there are, how many with parameters, and the matched nodes around them.

    `read` are the matched nodes that the layers read, `fed` those that read the layers.
    """

    layers: int
    weighted: int
    read: set[int]
    fed: set[int]


def unmatched_sets(
    graph: IndexedGraph, other: IndexedGraph, counterpart: list[int]
) -> Iterator[UnmatchedSet]:
    """Sets of unmatched layers that read or feed each other, or read one value."""
    unmatched = [
        node
        for node in unmatched_nodes(counterpart)
        if not _is_merged(graph, other, counterpart, node)
    ]

    def neighbours(node: int) -> Iterator[int]:
        yield from graph.neighbours(node)
        for _, x in graph.sources[node]:
            yield from (user for _, user in unless_hub(graph.users[x]))

    for nodes in connected_components(unmatched, neighbours):
        read = {x for node in nodes for _, x in graph.sources[node] if counterpart[x] >= 0}
        fed = {x for node in nodes for _, x in graph.users[node] if counterpart[x] >= 0}
        weighted = sum(bool(graph.ops[node].parameters) for node in nodes)
        yield UnmatchedSet(len(nodes), weighted, read, fed)


def _is_merged(graph: IndexedGraph, other: IndexedGraph, counterpart: list[int], node: int) -> bool:
    """Whether a node is a norm or a bias that the other graph has in the layer before it."""
    roles = dict(graph.ops[node].parameters)
    if not roles or "weight" in roles or len(graph.sources[node]) != 1:
        return False
    before = graph.sources[node][0][1]
    there = counterpart[before]
    return there >= 0 and len(graph.ops[before].parameters) < len(other.ops[there].parameters)
