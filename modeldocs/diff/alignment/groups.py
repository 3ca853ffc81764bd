"""Groups: a principal layer (convolution, pooling, sum …) and the layers that hang on it alone.

Ports differ in where an activation or a norm stands, and in whether it is there at all; the
principal layers and the ways between them are what stays.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from modeldocs.diff.alignment.digests import Edge
from modeldocs.diff.alignment.kinds import Kind


@dataclass(slots=True)
class Groups:
    """`head[i]` is the principal that node i hangs on, itself for a principal.

    `sources` and `users` are the edges between principals, all of one code: which operand is
    which is left to the layers themselves. `depths[i]` counts the principals before i's.
    """

    head: list[int]
    depths: list[int]
    sources: list[list[Edge]]
    users: list[list[Edge]]

    def followers(self, told: Sequence[int]) -> list[int]:
        """A digest of what follows each principal, as `told` tells each node."""
        found: dict[int, list[int]] = {}
        for node, head in enumerate(self.head):
            if head != node:
                found.setdefault(head, []).append(told[node])
        return [hash(tuple(sorted(found.get(node, ())))) for node in range(len(self.head))]

    def leads(self, node: int) -> bool:
        """Whether a node is a principal."""
        return self.head[node] == node

    def principals(self) -> list[int]:
        """The nodes that lead a group, in order."""
        return [node for node, head in enumerate(self.head) if head == node]


def grouped(kinds: Sequence[Kind], sources: list[list[Edge]]) -> Groups:
    """The groups of a graph whose nodes come in order."""
    size = len(kinds)
    found = Groups(list(range(size)), [0] * size, [[]] * size, [[]] * size)
    head, depths = found.head, found.depths
    for node, edges in enumerate(sources):
        if len(edges) == 1 and kinds[node].follows:
            head[node] = head[edges[0][1]]
            depths[node] = depths[head[node]]
        else:
            heads = [head[source] for _, source in edges]
            found.sources[node] = [(0, other) for other in heads]
            found.users[node] = []
            for other in heads:
                found.users[other].append((0, node))
            depths[node] = max([depths[other] + 1 for other in heads], default=0)
    return found
