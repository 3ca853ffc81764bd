"""Epilogues: a normalisation or activation is drawn with the layer that it alone follows."""

from __future__ import annotations

from modeldocs.fold.dataflow import Dataflow
from modeldocs.fold.regions import FoldPart, Item, nodes_of
from modeldocs.ir import LayerGraph
from modeldocs.ir.operators import family

FOLLOWERS = ("normalization", "activation")
ANCHORS = ("convolution", "linear", "normalization", "elementwise", "other", "recurrent")


class Epilogues:
    """Layers of a graph that are drawn in one box with what they follow."""

    def __init__(self, graph: LayerGraph, flow: Dataflow) -> None:
        self._flow = flow
        self._families = ["input"] * flow.inputs + [
            family(layer.operator) for layer in graph.layers
        ]
        self._has_steps = [False] * flow.inputs + [
            any(operand.steps for operand in layer.inputs) for layer in graph.layers
        ]
        number = {identity: node for node, identity in enumerate(flow.ids)}
        self._outputs = {number[output.source.value] for output in graph.outputs}

    def fuse(self, items: list[Item]) -> list[Item]:
        """A sequence with the epilogues of its anchors and blocks, at every depth."""
        result: list[Item] = []
        for item in items:
            if isinstance(item, FoldPart):
                result.append(FoldPart(item.kind, self.fuse(item.members), item.title))
            elif result and self._follows(item, result[-1]):
                result[-1] = _joined(result[-1], item)
            else:
                result.append(item)
        return result

    def _follows(self, node: int, item: Item) -> bool:
        last = nodes_of(item)[-1]
        if isinstance(item, FoldPart) and item.kind == "block":
            is_anchor = self._families[node] == "activation"
        elif isinstance(item, FoldPart):
            is_anchor = item.kind == "fused"
        else:
            is_anchor = self._families[last] in ANCHORS
        return (
            is_anchor
            and self._families[node] in FOLLOWERS
            and self._flow.before[node] == (last,)
            and self._flow.after[last] == (node,)
            and last not in self._outputs
            and not self._has_steps[node]
        )


def _joined(item: Item, node: int) -> FoldPart:
    if isinstance(item, FoldPart):
        return FoldPart(item.kind, [*item.members, node], item.title)
    return FoldPart("fused", [item, node])
