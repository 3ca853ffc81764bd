"""Layers of one side that stand where others do on the other side."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from modeldocs.diff.alignment.components import components
from modeldocs.diff.alignment.pairing import Pairing
from modeldocs.diff.alignment.sides import Side
from modeldocs.diff.function.forms import INPUT

_MOST: Final = 12
"""Layers of one side beyond which a replacement is told layer by layer."""

Nodes = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class _Part:
    """Free nodes that hang together, and the matched ones they read and feed."""

    nodes: Nodes
    reads: frozenset[int]
    feeds: frozenset[int]
    ends: bool


def find(
    pairing: Pairing, ours: Sequence[int], theirs: Sequence[int]
) -> Iterator[tuple[Nodes, Nodes]]:
    """Sets of nodes, of A and of B, that feed the same and read some of the same, or nothing."""
    if not ours or not theirs:
        return
    waiting: dict[tuple[frozenset[int], bool], list[_Part]] = defaultdict(list)
    for part in _parts(pairing.b, theirs):
        waiting[part.feeds, part.ends].append(part)
    for part in _parts(pairing.a, ours):
        feeds = frozenset(pairing.to_b[node] for node in part.feeds)
        reads = {pairing.to_b[node] for node in part.reads}
        others = waiting[feeds, part.ends]
        same = [
            other for other in others if not reads.isdisjoint(other.reads) or reads == other.reads
        ]
        if same and -1 not in feeds and len(part.nodes) <= _MOST >= len(same[0].nodes):
            others.remove(same[0])
            yield part.nodes, same[0].nodes


def _parts(side: Side, nodes: Sequence[int]) -> list[_Part]:
    free = {node for node in nodes if side.forms[node].operator != INPUT}
    return [_part(side, set(members)) for members in components(free, side.beside)]


def _part(side: Side, members: set[int]) -> _Part:
    reads = {source for node in members for _, source in side.sources[node]} - members
    feeds = {user for node in members for _, user in side.users[node]} - members
    ends = not side.ends.isdisjoint(members)
    return _Part(tuple(sorted(members)), frozenset(reads), frozenset(feeds), ends)
