"""Whether two graphs are different networks, and the layers that they have in common."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Final

from modeldocs.diff.alignment.matching import Matching
from modeldocs.diff.changes.finding import Finding
from modeldocs.diff.function.parameter_shapes import weight_signature
from modeldocs.diff.indexing.indexed_graph import IndexedGraph

LEAST_SHARE: Final = 0.45
"""The share in common below which two graphs are different networks.

Measured on pairs of published networks: ports of one model reach at least 0.57, a model against
its deeper variant (ResNet-18 and -34) 0.6; MobileNet and MobileNetV2 reach 0.2, Inception-BN and
Inception-v3 0.42, a detector and its backbone alone 0.44. With 0.35, 10 more pairs of the
catalog are compared layer by layer, such as GoogLeNet and Inception-BN; with 0.55, 12 fewer, such
as VGG-16 and SSD.
"""

LEAST_LAYERS: Final = 8
"""Layers with weights that the larger graph needs: of fewer, one change is too large a share. With
4, LeNet and CIFAR-10 quick are different networks, with 16 small networks of tests/diff no longer
are."""

_WEIGHTS: Final = frozenset({"weight", "W"})
"""Roles of the parameters by which a layer has weights."""


@dataclass(frozen=True, slots=True)
class InCommon:
    """How much two aligned graphs have in common.

    `equal` are the pairs (node of A, node of B) with weights of the same shape, `weighted` the
    numbers of layers with weights in A and in B. `edges` is the share of edges between layers
    that both have, from 0 to 1.
    """

    equal: tuple[tuple[int, int], ...]
    weighted: tuple[int, int]
    edges: float

    @property
    def share(self) -> float:
        """From 0 to 1: the mean of the shares of layers and of edges in common."""
        return (2 * len(self.equal) / max(sum(self.weighted), 1) + self.edges) / 2

    @property
    def different(self) -> bool:
        """Whether the two are different networks, as far as layers and edges say it."""
        return max(self.weighted) >= LEAST_LAYERS and self.share < LEAST_SHARE


def in_common(matching: Matching) -> InCommon:
    """The weights and edges that two aligned graphs have in common."""
    a, b = matching.a, matching.b
    weighted = _weighted(a), _weighted(b)
    equal = tuple(
        (i, j)
        for i, j in matching.pairs()
        if weighted[0][i]
        and (a.ops[i] is b.ops[j] or weight_signature(a.ops[i]) == weight_signature(b.ops[j]))
    )
    counts = tuple(map(sum, weighted))
    edges = sum(len(sources) for graph in (a, b) for sources in graph.groups.sources)
    return InCommon(equal, (counts[0], counts[1]), 2 * _kept(matching) / max(edges, 1))


def finding(matching: Matching, common: InCommon) -> Finding:
    """The only finding of two different networks; its pairs are the layers in common."""
    ids = tuple(((matching.a.nodes[i].id,), (matching.b.nodes[j].id,)) for i, j in common.equal)
    operators = Counter(matching.a.ops[i].operator for i, _ in common.equal)
    return Finding(
        "network",
        "computes",
        "",
        ids[0] if ids else ((), ()),
        before=common.weighted[0],
        after=common.weighted[1],
        detail=tuple(sorted(operators.items(), key=lambda item: (-item[1], item[0]))),
        other_pairs=ids[1:],
    )


def _weighted(graph: IndexedGraph) -> list[bool]:
    """Whether each node has a weight; those of a recurrent layer are `W` and `R`."""
    return [not _WEIGHTS.isdisjoint(dict(op.parameters or ())) for op in graph.ops]


def _kept(matching: Matching) -> int:
    """Edges between anchor operators of A that their counterparts have too."""
    a, b = matching.a.groups, matching.b.groups
    kept = 0
    for i, j in matching.pairs():
        if not a.sources[i] or not b.sources[j]:
            continue
        left = Counter([node for _, node in b.sources[j]])
        for _, source in a.sources[i]:
            other = matching.to_b[source]
            if other >= 0 and left[other] > 0:
                left[other] -= 1
                kept += 1
    return kept
