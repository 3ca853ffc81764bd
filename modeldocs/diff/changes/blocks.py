"""Blocks of connected unmatched layers, and how often each is repeated."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from modeldocs.diff.alignment.matching import operator_of
from modeldocs.diff.function.canonical_op import INPUT
from modeldocs.diff.indexing.edges import connected_components
from modeldocs.diff.indexing.indexed_graph import IndexedGraph

LEAST: Final = 3
"""Layers of a block at least; fewer are reported one by one. With 2, 28 diffs of the catalog
change, with 4 two."""

_LARGE: Final = 9
"""Layers of a block without parameters at least; fewer are reported by operator. With 5, 2 diffs of
the catalog change, with 18 none."""

_LONGEST: Final = 100
"""Layers beyond which a block is not compared with others."""

Nodes = tuple[int, ...]


def find(graph: IndexedGraph, free: Sequence[int]) -> Iterator[Nodes]:
    """Connected sets of at least `LEAST` of the `free` nodes, each in order.

    The sets have several operators, and parameters or many layers. Yields a set that repeats one
    block block by block.
    """
    inside = {node for node in free if graph.ops[node].operator != INPUT}
    for component in connected_components(inside, graph.neighbours):
        members = sorted(component, key=graph.postorder.__getitem__)
        if _is_block(graph, members):
            yield from _repeats(graph, members)


def operators(graph: IndexedGraph, nodes: Nodes) -> tuple[str, ...]:
    """The operators of a block in order."""
    return tuple(operator_of(graph, node) for node in nodes)


def _is_block(graph: IndexedGraph, members: list[int]) -> bool:
    """Whether a set has several operators, and parameters or many layers."""
    several = len({graph.ops[node].operator for node in members}) > 1
    weighted = any(graph.ops[node].parameters for node in members)
    return several and len(members) >= (LEAST if weighted else _LARGE)


def cycle(graph: IndexedGraph, nodes: Nodes) -> tuple[str, ...]:
    """The rotation of a block's operators that sorts first.

    Where one of several equal blocks is missing, it may seem to begin at any of its layers.
    """
    sequence = tuple(operator_of(graph, node) for node in nodes)
    if len(sequence) > _LONGEST:
        return sequence
    return min(sequence[at:] + sequence[:at] for at in range(len(sequence)))


def _repeats(graph: IndexedGraph, nodes: list[int]) -> Iterator[Nodes]:
    """The nodes in blocks of the shortest sequence that they repeat."""
    sequence = [(graph.ops[node].operator, len(graph.sources[node])) for node in nodes]
    count = len(nodes)
    lengths = (n for n in range(LEAST, min(count, _LONGEST) + 1) if count % n == 0)
    length = next((n for n in lengths if sequence == sequence[:n] * (count // n)), count)
    yield from (tuple(nodes[at : at + length]) for at in range(0, count, length))
