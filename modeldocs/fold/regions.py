"""Regions: a graph as nested sequences, by dominators.

Along the spine of a network each node dominates the rest. Where it divides, the branches and the
join behind them are one block: nothing but its entry leads into it.
"""

from __future__ import annotations

import functools
import heapq
from dataclasses import dataclass, field

from modeldocs.fold.dataflow import ROOT, Dataflow
from modeldocs.fold.dominators import DominatorTree


@dataclass
class FoldPart:
    """A group of nodes while a fold is made; its members stay as they are."""

    kind: str
    members: list[int | FoldPart] = field(default_factory=list)
    title: str = ""

    @functools.cached_property
    def nodes(self) -> list[int]:
        """All nodes in it, in order."""
        result: list[int] = []
        stack: list[int | FoldPart] = [self]
        while stack:
            item = stack.pop()
            if isinstance(item, FoldPart):
                stack.extend(reversed(item.members))
            else:
                result.append(item)
        return result


Item = int | FoldPart


def nodes_of(item: Item) -> list[int]:
    """All nodes of a part in order, or the one that an item is."""
    return item.nodes if isinstance(item, FoldPart) else [item]


MAX_NESTING = 100
"""Regions nested deeper than this are one flat sequence."""


class NestingError(Exception):
    """Regions are nested too deep, or have no order: they read each other through hubs."""


class Regions:
    """The sequences of a graph, by its dominator tree."""

    def __init__(self, flow: Dataflow, tree: DominatorTree) -> None:
        self.flow = flow
        self.tree = tree
        self.children: dict[int, list[int]] = {}
        self.size: dict[int, int] = dict.fromkeys(tree.parent, 1)
        for node in sorted(range(len(flow)), key=lambda node: -tree.depth[node]):
            self.size[tree.parent[node]] += self.size[node]
            self.children.setdefault(tree.parent[node], []).append(node)
        self._edges: dict[int, set[tuple[int, int]]] = {}
        self._lift_edges()
        for parent in self.children:
            self.children[parent] = self._ordered(parent)

    def _lift_edges(self) -> None:
        """Each edge as one between siblings: the subtrees of one node that hold its two ends."""
        tree = self.tree
        for node, read in enumerate(self.flow.before):
            for other in read:
                if other == ROOT:
                    continue
                top = tree.common_ancestor((other, node))
                if top in (other, node):
                    continue
                depth = tree.depth[top] + 1
                ends = (tree.ancestor_at(other, depth), tree.ancestor_at(node, depth))
                self._edges.setdefault(top, set()).add(ends)

    def _ordered(self, parent: int) -> list[int]:
        """The children of a node in topological order, the largest as late as it can be."""
        rank = self.flow.rank
        children = self.children[parent]
        if len(children) == 1:
            return children
        largest = max(children, key=lambda node: (self.size[node], rank[node]))
        waits: dict[int, int] = dict.fromkeys(children, 0)
        readers: dict[int, list[int]] = {}
        for start, end in self._edges.get(parent, ()):
            waits[end] += 1
            readers.setdefault(start, []).append(end)
        ready = [(node == largest, rank[node], node) for node in children if not waits[node]]
        heapq.heapify(ready)
        order: list[int] = []
        while ready:
            *_, node = heapq.heappop(ready)
            order.append(node)
            for reader in readers.get(node, ()):
                waits[reader] -= 1
                if not waits[reader]:
                    heapq.heappush(ready, (reader == largest, rank[reader], reader))
        if len(order) < len(children):
            raise NestingError
        return order

    def sequence(self, start: int, nesting: int = 0) -> list[Item]:
        """The subtree of a node as a sequence: nodes, blocks, and branches that lead elsewhere.

        Raises:
            NestingError: there is no order of whole regions, or they are nested too deep.
        """
        if nesting > MAX_NESTING:
            raise NestingError
        items: list[Item] = [] if start == ROOT else [start]
        while children := self.children.get(start):
            *branches, last = children
            joined = {tail for tail, head in self._edges.get(start, ()) if head == last}
            inside = [self.branch(node, nesting + 1) for node in branches]
            if not branches:
                items.append(last)
            elif joined:
                members = [item for branch in inside for item in branch]
                items.append(FoldPart("block", [*members, last]))
            else:
                items += [item for branch in inside for item in branch]
                items.append(last)
            start = last
        return items

    def branch(self, node: int, nesting: int) -> list[Item]:
        """One branch of a region: its only item, or a group of its items."""
        items = self.sequence(node, nesting)
        return items if len(items) == 1 else [FoldPart("branch", items)]
