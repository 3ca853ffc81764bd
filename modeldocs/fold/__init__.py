"""Folds: a graph as nested groups, so that one screen shows the whole of it."""

from __future__ import annotations

from modeldocs.fold.dataflow import ROOT, Dataflow
from modeldocs.fold.epilogues import Epilogues
from modeldocs.fold.group import Group, Variation
from modeldocs.fold.hubs import dominator_tree, hub_edges
from modeldocs.fold.idioms import block_title, instance_title, join_separable
from modeldocs.fold.levels import LIMIT, Levels
from modeldocs.fold.regions import CyclicOrderError, Item, Part, Regions
from modeldocs.fold.repeats import fold_repeats
from modeldocs.fold.signature import Signatures
from modeldocs.ir import Layer, LayerGraph

__all__ = ["Group", "Variation", "fold"]


class Folder:
    """The steps of folding one graph."""

    def __init__(self, graph: LayerGraph) -> None:
        self.graph = graph
        self.flow = Dataflow.of(graph)
        self.layer_of: list[Layer | None] = [None] * self.flow.inputs + list(graph.layers)
        self.exact = Signatures(graph, self.flow, exact=True)
        self.similar = Signatures(graph, self.flow, exact=False)

    def sequence(self) -> list[Item]:
        tree = dominator_tree(self.flow, hub_edges(self.flow))
        try:
            return Regions(self.flow, tree).sequence(ROOT)
        except CyclicOrderError:
            return list(range(len(self.flow)))

    def named(self, items: list[Item]) -> list[Item]:
        """Items with blocks titled and equal neighbours folded, at every depth."""
        inner: list[Item] = []
        for item in items:
            if isinstance(item, Part) and item.kind != "fused":
                item = self._titled(Part(item.kind, self.named(item.members)))
            inner.append(item)
        folded = fold_repeats(join_separable(inner, self.layer_of), self.exact)
        if len(folded) > LIMIT:
            folded = fold_repeats(folded, self.similar)
        return [self._instances(item) for item in folded]

    def _titled(self, part: Part) -> Part:
        nodes = part.nodes()
        layers = [layer for node in nodes if (layer := self.layer_of[node]) is not None]
        if part.kind == "block" and len(layers) <= 60:
            part.title = block_title(layers)
        return part

    def _instances(self, item: Item) -> Item:
        if not isinstance(item, Part) or item.kind != "repeat":
            return item
        for one in item.members:
            if isinstance(one, Part) and one.kind == "block" and not one.title:
                one.title = instance_title([p.title for p in one.members if isinstance(p, Part)])
        first = item.members[0]
        item.title = first.title if isinstance(first, Part) else ""
        return item


def fold(graph: LayerGraph) -> Group:
    """The fold of a graph: `unfolded`, its groups are exactly the layers of the graph."""
    folder = Folder(graph)
    items = Epilogues(graph, folder.flow).fuse(folder.sequence())
    items = Levels(folder.layer_of).fit(folder.named(items))
    ids = folder.flow.ids
    inputs = folder.flow.inputs

    def group(part: Part) -> Group:
        members = [
            group(m) if isinstance(m, Part) else ids[m]
            for m in part.members
            if isinstance(m, Part) or m >= inputs
        ]
        return Group(kind=part.kind, members=tuple(members), title=part.title)

    return group(Part("network", items))
