"""Immediate dominators of a directed acyclic graph: common ancestors in the tree built so far."""

from __future__ import annotations

from collections.abc import Iterable

from modeldocs.fold.dataflow import ROOT


class DominatorTree:
    """A tree of nodes in which each node's parent is its immediate dominator.

    Every path from `ROOT` to a node passes its dominators. Each node has a pointer to a far
    ancestor besides its parent, so that ancestors are found in logarithmic time.
    """

    def __init__(self) -> None:
        self.parent: dict[int, int] = {ROOT: ROOT}
        self.depth: dict[int, int] = {ROOT: 0}
        self._far: dict[int, int] = {ROOT: ROOT}

    def add(self, node: int, parent: int) -> None:
        """Make `node` a child of `parent`."""
        far = self._far[parent]
        farther = self._far[far]
        is_even = self.depth[parent] - self.depth[far] == self.depth[far] - self.depth[farther]
        self.parent[node] = parent
        self.depth[node] = self.depth[parent] + 1
        self._far[node] = farther if is_even else parent

    def common_ancestor(self, nodes: Iterable[int]) -> int:
        """The lowest node that is an ancestor of all of them, or one of them; `ROOT` for none."""
        result: int | None = None
        for node in nodes:
            result = node if result is None else self._meet(result, node)
        return ROOT if result is None else result

    def ancestor_at(self, node: int, depth: int) -> int:
        """The ancestor of a node, or the node itself, at a depth."""
        while self.depth[node] > depth:
            far = self._far[node]
            node = far if self.depth[far] >= depth else self.parent[node]
        return node

    def _meet(self, a: int, b: int) -> int:
        depth = min(self.depth[a], self.depth[b])
        a, b = self.ancestor_at(a, depth), self.ancestor_at(b, depth)
        while a != b:
            if self._far[a] != self._far[b]:
                a, b = self._far[a], self._far[b]
            else:
                a, b = self.parent[a], self.parent[b]
        return a
