"""Unmatched layers of one graph that replace unmatched layers of the other."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from modeldocs.diff.alignment.matching import Matching
from modeldocs.diff.function.canonical_op import INPUT
from modeldocs.diff.indexing.edges import connected_components
from modeldocs.diff.indexing.indexed_graph import IndexedGraph

_MOST: Final = 12
"""Layers beyond which a replacement is reported layer by layer. With 6 or 24 no diff of
tests/diff or of the catalog changes."""

Nodes = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class _UnmatchedPart:
    """Connected unmatched nodes, and the matched ones that they read and feed."""

    nodes: Nodes
    reads: frozenset[int]
    feeds: frozenset[int]
    ends: bool


def find(
    matching: Matching, ours: Sequence[int], theirs: Sequence[int]
) -> Iterator[tuple[Nodes, Nodes]]:
    """Sets of nodes of A and of B that feed the same, and read some of the same or nothing."""
    if not ours or not theirs:
        return
    waiting: dict[tuple[frozenset[int], bool], list[_UnmatchedPart]] = defaultdict(list)
    for part in _parts(matching.b, theirs):
        waiting[part.feeds, part.ends].append(part)
    for part in _parts(matching.a, ours):
        feeds = frozenset(matching.to_b[node] for node in part.feeds)
        reads = {matching.to_b[node] for node in part.reads}
        others = waiting[feeds, part.ends]
        same = [
            other for other in others if not reads.isdisjoint(other.reads) or reads == other.reads
        ]
        if same and -1 not in feeds and len(part.nodes) <= _MOST >= len(same[0].nodes):
            others.remove(same[0])
            yield part.nodes, same[0].nodes


def _parts(graph: IndexedGraph, nodes: Sequence[int]) -> list[_UnmatchedPart]:
    free = {node for node in nodes if graph.ops[node].operator != INPUT}
    return [_part(graph, set(members)) for members in connected_components(free, graph.neighbours)]


def _part(graph: IndexedGraph, members: set[int]) -> _UnmatchedPart:
    reads = {source for node in members for _, source in graph.sources[node]} - members
    feeds = {user for node in members for _, user in graph.users[node]} - members
    ends = not graph.output_nodes.isdisjoint(members)
    return _UnmatchedPart(tuple(sorted(members)), frozenset(reads), frozenset(feeds), ends)
