"""Layers of one side that stand together: a block, and how often it is there."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from modeldocs.diff.alignment.matching import operator_of
from modeldocs.diff.function.canonical_op import INPUT
from modeldocs.diff.indexing.edges import connected_components
from modeldocs.diff.indexing.indexed_graph import IndexedGraph

LEAST: Final = 3
"""Layers that make a block; fewer are told one by one."""

_LARGE: Final = 9
"""Layers without parameters that make a block; fewer are told by operator."""

_LONGEST: Final = 100
"""Layers beyond which a block is told by itself."""

Nodes = tuple[int, ...]


def find(graph: IndexedGraph, free: Sequence[int]) -> Iterator[Nodes]:
    """Sets of at least `LEAST` of the `free` nodes that hang together, each in order.

    They are of several operators, and have parameters or are many; a set that is one block again
    and again is given block by block.
    """
    inside = {node for node in free if graph.ops[node].operator != INPUT}
    for held in connected_components(inside, graph.neighbours):
        members = sorted(held, key=graph.postorder.__getitem__)
        if _is_block(graph, members):
            yield from _repeats(graph, members)


def operators(graph: IndexedGraph, nodes: Nodes) -> tuple[str, ...]:
    """The operators of a block in order."""
    return tuple(operator_of(graph, node) for node in nodes)


def _is_block(graph: IndexedGraph, members: list[int]) -> bool:
    """Whether a set is worth a line of its own: of several operators, and with weights or large."""
    several = len({graph.ops[node].operator for node in members}) > 1
    weighted = any(graph.ops[node].parameters for node in members)
    return several and len(members) >= (LEAST if weighted else _LARGE)


def cycle(graph: IndexedGraph, nodes: Nodes) -> tuple[str, ...]:
    """The operators of a block, from whichever of its layers on that sorts first.

    Where one of several equal blocks is gone, it may be seen to begin at any of its layers.
    """
    told = tuple(operator_of(graph, node) for node in nodes)
    if len(told) > _LONGEST:
        return told
    return min(told[at:] + told[:at] for at in range(len(told)))


def _repeats(graph: IndexedGraph, nodes: list[int]) -> Iterator[Nodes]:
    """The shortest block that the nodes are a repetition of, as often as they have it."""
    told = [(graph.ops[node].operator, len(graph.sources[node])) for node in nodes]
    count = len(nodes)
    lengths = (n for n in range(LEAST, min(count, _LONGEST) + 1) if count % n == 0)
    length = next((n for n in lengths if told == told[:n] * (count // n)), count)
    yield from (tuple(nodes[at : at + length]) for at in range(0, count, length))
