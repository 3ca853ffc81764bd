"""Anchor operators, each with its epilogue.

An anchor is a convolution, a pooling, a sum …; its epilogue are the layers (activations, norms)
that work on its output element by element. Ports differ in the places of activations and norms, and
in whether there are any; the anchors and the edges between them are the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from modeldocs.diff.indexing.edges import Edge
from modeldocs.diff.indexing.node_kinds import NodeKind


@dataclass(slots=True)
class AnchorGroups:
    """`anchor_of[i]` is the anchor in whose epilogue node i is, i itself for an anchor.

    `sources` and `users` are the edges between anchors, all of code 0: which operand is which is
    decided between the layers themselves. `depths[i]` counts the anchors above that of i.
    """

    anchor_of: list[int]
    depths: list[int]
    sources: list[list[Edge]]
    users: list[list[Edge]]

    def epilogue_digests(self, digests: Sequence[int]) -> list[int]:
        """A digest of each anchor's epilogue in any order, of one `digests` gives each node."""
        epilogues: dict[int, list[int]] = {}
        for node, anchor in enumerate(self.anchor_of):
            if anchor != node:
                epilogues.setdefault(anchor, []).append(digests[node])
        nodes = range(len(self.anchor_of))
        return [hash(tuple(sorted(epilogues.get(node, ())))) for node in nodes]

    def is_anchor(self, node: int) -> bool:
        """Whether a node is an anchor."""
        return self.anchor_of[node] == node

    def anchors(self) -> list[int]:
        """The anchors, in order."""
        return [node for node, anchor in enumerate(self.anchor_of) if anchor == node]


def anchor_groups(kinds: Sequence[NodeKind], sources: list[list[Edge]]) -> AnchorGroups:
    """The groups of a graph whose nodes come in topological order."""
    size = len(kinds)
    groups = AnchorGroups(list(range(size)), [0] * size, [[]] * size, [[]] * size)
    anchor_of, depths = groups.anchor_of, groups.depths
    for node, edges in enumerate(sources):
        if len(edges) == 1 and kinds[node].is_epilogue:
            anchor_of[node] = anchor_of[edges[0][1]]
            depths[node] = depths[anchor_of[node]]
        else:
            read = [anchor_of[source] for _, source in edges]
            groups.sources[node] = [(0, other) for other in read]
            groups.users[node] = []
            for other in read:
                groups.users[other].append((0, node))
            depths[node] = max([depths[other] + 1 for other in read], default=0)
    return groups
