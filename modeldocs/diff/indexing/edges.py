"""Edges between numbered nodes, and what follows from them alone."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from typing import Final

Edge = tuple[int, int]
"""(code, node at the other end): the code has the operand's slot and the output that it reads."""

Edges = Sequence[Sequence[Edge]]
"""The edges of each node, by its number."""

HUB_DEGREE: Final = 64
"""Edges beyond which a node is a hub: a matched hub says little about any one of its neighbours,
and comparing its edges with those of many nodes would take quadratic time. With 16 or 256 no
diff of tests/diff or of the catalog changes."""


def unless_hub(edges: list[Edge]) -> list[Edge]:
    """The edges of a node, none of a hub."""
    return edges if len(edges) <= HUB_DEGREE else []


def readers(sources: Iterable[list[Edge]], size: int) -> list[list[Edge]]:
    """The edges in the other direction, sorted by code and then by the node that reads."""
    users: list[list[Edge]] = [[] for _ in range(size)]
    for node, edges in enumerate(sources):
        for code, source in edges:
            users[source].append((code, node))
    for edges in users:
        if len(edges) > 1:
            edges.sort()
    return users


def postorder(sources: Edges, users: Edges) -> list[int]:
    """The place of each node in a depth-first walk from the outputs up, operands first.

    Operands are walked in the order of their slots, each branch up to its start before the next
    is begun. So branches lie apart, in the order in which they are read.
    """
    places = [-1] * len(sources)
    count = 0
    stack = [(node, iter(sources[node])) for node in range(len(sources)) if not users[node]][::-1]
    opened = {node for node, _ in stack}
    while stack:
        node, rest = stack[-1]
        for _, other in rest:
            if other not in opened:
                opened.add(other)
                stack.append((other, iter(sources[other])))
                break
        else:
            stack.pop()
            places[node], count = count, count + 1
    return places


def connected_components(
    nodes: Collection[int], neighbours: Callable[[int], Iterable[int]]
) -> Iterator[list[int]]:
    """The connected components of some nodes, each sorted.

    `neighbours` gives the nodes next to one; those that are not among `nodes` do not count.
    """
    inside = set(nodes)
    seen: set[int] = set()
    for start in sorted(inside):
        if start in seen:
            continue
        seen.add(start)
        members = [start]
        for node in members:
            for other in neighbours(node):
                if other in inside and other not in seen:
                    seen.add(other)
                    members.append(other)
        yield sorted(members)
