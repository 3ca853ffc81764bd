"""Layers of one side that the other lacks, in sets that are told of together."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from modeldocs.diff.alignment.components import components
from modeldocs.diff.alignment.facing_edges import few
from modeldocs.diff.alignment.pairing import left_over
from modeldocs.diff.alignment.sides import Side


@dataclass(slots=True)
class Lacked:
    """Layers of a side without counterpart that hang together: what they read, what reads them.

    `weighted` of them have parameters.
    """

    layers: int
    weighted: int
    read: set[int]
    fed: set[int]


def lacked(side: Side, other: Side, counterpart: list[int]) -> Iterator[Lacked]:
    """Sets of layers without counterpart that read or feed each other, or read one value."""
    free = [node for node in left_over(counterpart) if not _folded(side, other, counterpart, node)]

    def beside(node: int) -> Iterator[int]:
        yield from side.beside(node)
        for _, x in side.sources[node]:
            yield from (user for _, user in few(side.users[x]))

    for nodes in components(free, beside):
        read = {x for node in nodes for _, x in side.sources[node] if counterpart[x] >= 0}
        fed = {x for node in nodes for _, x in side.users[node] if counterpart[x] >= 0}
        weighted = sum(bool(side.forms[node].parameters) for node in nodes)
        yield Lacked(len(nodes), weighted, read, fed)


def _folded(side: Side, other: Side, counterpart: list[int], node: int) -> bool:
    """Whether a node is a norm or a bias that the other side has in the layer before it."""
    roles = dict(side.forms[node].parameters)
    if not roles or "weight" in roles or len(side.sources[node]) != 1:
        return False
    before = side.sources[node][0][1]
    there = counterpart[before]
    return there >= 0 and len(side.forms[before].parameters) < len(other.forms[there].parameters)
