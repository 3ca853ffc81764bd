"""The inputs and layers of a graph as numbered nodes with edges, as folding sees them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from modeldocs.ir import LayerGraph

ROOT = -1
"""The node before all graph inputs."""


@dataclass(frozen=True)
class Dataflow:
    """Graph inputs and layers by number, in topological order: inputs first, then layers.

    `before[n]` are the nodes that node n reads, each once, in the order of its operands; `after[n]`
    are the nodes that read it.
    """

    ids: tuple[str, ...]
    inputs: int
    """How many of the nodes are graph inputs."""
    before: tuple[tuple[int, ...], ...]
    after: tuple[tuple[int, ...], ...]
    depth: tuple[int, ...]
    """Length of the longest path from an input to each node."""
    rank: tuple[int, ...]
    """Place in the depth-first order from the outputs, operands in order: a topological order that
    does not depend on the one that the graph has."""

    def __len__(self) -> int:
        return len(self.ids)

    @classmethod
    def of(cls, graph: LayerGraph) -> Dataflow:
        """The data flow of a graph, whose layers are in topological order."""
        ids = [source.id for source in graph.inputs]
        before: list[tuple[int, ...]] = [(ROOT,) for _ in ids]
        number = {identity: index for index, identity in enumerate(ids)}
        for layer in graph.layers:
            number[layer.id] = len(ids)
            ids.append(layer.id)
            before.append(tuple(dict.fromkeys(number[operand.value] for operand in layer.inputs)))
        after: list[list[int]] = [[] for _ in ids]
        depth: list[int] = []
        for node, read in enumerate(before):
            depth.append(1 + max((depth[other] for other in read if other != ROOT), default=0))
            for other in read:
                if other != ROOT:
                    after[other].append(node)
        ends = [number[output.source.value] for output in graph.outputs]
        return cls(
            ids=tuple(ids),
            inputs=len(graph.inputs),
            before=tuple(before),
            after=tuple(map(tuple, after)),
            depth=tuple(depth),
            rank=_ranks(before, ends),
        )


def _ranks(before: Sequence[Sequence[int]], ends: Sequence[int]) -> tuple[int, ...]:
    ranks: dict[int, int] = {}
    unused = [node for node in range(len(before)) if node not in ends]
    for end in [*ends, *reversed(unused)]:
        stack = [(end, iter(before[end]))]
        while stack:
            node, operands = stack[-1]
            following = next((n for n in operands if n != ROOT and n not in ranks), None)
            if following is not None:
                stack.append((following, iter(before[following])))
            else:
                stack.pop()
                ranks.setdefault(node, len(ranks))
    return tuple(ranks[node] for node in range(len(before)))
