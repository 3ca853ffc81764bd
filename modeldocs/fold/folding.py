"""Folding: from a graph to its groups, step by step."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from modeldocs.cache_last import remembered
from modeldocs.fold.block_types import block_title, instance_title, join_separable
from modeldocs.fold.dataflow import ROOT, Dataflow
from modeldocs.fold.group import Group
from modeldocs.fold.levels import LIMIT, FoldLevels
from modeldocs.fold.naming import source_name
from modeldocs.fold.regions import FoldPart, Item, NestingError, Regions, nodes_of
from modeldocs.fold.repeats import fold_repeats
from modeldocs.fold.shared_values import dominator_tree, hub_edges, main_reads
from modeldocs.fold.signature import Signatures
from modeldocs.fold.trailing_ops import Epilogues
from modeldocs.fold.variation import shares_weights, variations
from modeldocs.ir import Layer, LayerGraph

MAX_IDIOM = 60
"""Layers of the largest block that has a title: what is larger is a network of several idioms."""


@remembered
def fold(graph: LayerGraph) -> Group:
    """The fold of a graph whose layers are in topological order.

    Opened at every depth, its groups hold exactly the layers of the graph, each once, in
    topological order; no level has more than `levels.LIMIT` members but for repeats, whose members
    are alike and drawn once. It does not depend on names, nor on which topological order the
    graph is in.
    """
    folding = _FoldState(graph)
    return folding.group(FoldPart("network", folding.levels()))


class _FoldState:
    def __init__(self, graph: LayerGraph) -> None:
        self.graph = graph
        self.flow = Dataflow.of(graph)
        self.layers: list[Layer | None] = [None] * self.flow.inputs + list(graph.layers)
        self.exact = Signatures(graph, self.flow, exact=True)
        self.similar = Signatures(graph, self.flow, exact=False)

    def levels(self) -> list[Item]:
        """Regions, then what is drawn in one box, then idioms and repeats, then levels."""
        layers = self._without_inputs(self._sequence())
        fused = Epilogues(self.graph, self.flow).fuse(layers)
        return FoldLevels(self.layers).fit(self._folded(fused))

    def _sequence(self) -> list[Item]:
        tree = dominator_tree(self.flow, main_reads(self.flow, hub_edges(self.flow)))
        try:
            return Regions(self.flow, tree).sequence(ROOT)
        except NestingError:
            places = sorted((rank, node) for node, rank in enumerate(self.flow.rank))
            return [node for _, node in places]

    def _without_inputs(self, items: Sequence[Item]) -> list[Item]:
        """Items without the graph's inputs, which are drawn on every level that reads them."""
        result: list[Item] = []
        for item in items:
            if isinstance(item, FoldPart):
                members = self._without_inputs(item.members)
                result += (
                    members if len(members) < 2 else [FoldPart(item.kind, members, item.title)]
                )
            elif item >= self.flow.inputs:
                result.append(item)
        return result

    def _folded(self, items: Sequence[Item]) -> list[Item]:
        """Items with their blocks titled and their repeats folded, inner ones first."""
        inner = [self._titled(item) for item in items]
        folded = fold_repeats(join_separable(inner, self.layers), self.exact)
        if len(folded) > LIMIT:
            folded = fold_repeats(folded, self.similar)
        for item in folded:
            if isinstance(item, FoldPart) and item.kind == "repeat":
                _title_instances(item)
        return folded

    def _titled(self, item: Item) -> Item:
        if not isinstance(item, FoldPart) or item.kind == "fused":
            return item
        layers = self._layers(item)
        is_idiom = item.kind == "block" and len(layers) <= MAX_IDIOM
        title = block_title(layers) if is_idiom else ""
        members = self._folded(item.members)
        return members[0] if len(members) == 1 else FoldPart(item.kind, members, title)

    def _layers(self, item: Item) -> list[Layer]:
        return [layer for node in nodes_of(item) if (layer := self.layers[node]) is not None]

    def group(self, part: FoldPart) -> Group:
        """A part as plain data."""
        members: list[str | Group] = []
        for item in part.members:
            members.append(self.group(item) if isinstance(item, FoldPart) else self.flow.ids[item])
        whole = Group(kind=part.kind, members=tuple(members), title=part.title)
        if part.kind == "network":
            return whole
        name = source_name(self._layers(part))
        if part.kind != "repeat":
            return msgspec.structs.replace(whole, name=name)
        instances = [self._layers(item) for item in part.members]
        return msgspec.structs.replace(
            whole,
            name=name,
            varies=variations(instances),
            shares_weights=shares_weights(instances),
        )


def _title_instances(repeat: FoldPart) -> None:
    """Titles for the instances of a repeat that are several items, and for the repeat."""
    for instance in repeat.members:
        if isinstance(instance, FoldPart) and instance.kind == "block" and not instance.title:
            parts = [item for item in instance.members if isinstance(item, FoldPart)]
            titles = [item.title for item in parts if item.kind != "fused"]
            instance.title = instance_title(titles)
    first = repeat.members[0]
    repeat.title = first.title if isinstance(first, FoldPart) else ""
