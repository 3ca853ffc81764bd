"""Nodes in sets that hang together."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator


def components(
    nodes: Collection[int], beside: Callable[[int], Iterable[int]]
) -> Iterator[list[int]]:
    """The nodes in sets, each in order, of those that lead to one another.

    `beside` gives what a node leads to, which counts where it is one of `nodes`.
    """
    inside = set(nodes)
    seen: set[int] = set()
    for start in sorted(inside):
        if start in seen:
            continue
        seen.add(start)
        members = [start]
        for node in members:
            for other in beside(node):
                if other in inside and other not in seen:
                    seen.add(other)
                    members.append(other)
        yield sorted(members)
