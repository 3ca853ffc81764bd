"""Two graphs as they are compared: in an order of their own, rewritten, indexed and matched."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from modeldocs.diff.alignment.matching import Matching
from modeldocs.diff.alignment.stages import complete
from modeldocs.diff.indexing.indexed_graph import IndexedGraph, index_graph
from modeldocs.diff.indexing.node_kinds import NodeKinds
from modeldocs.diff.refinement import refine
from modeldocs.diff.rewriting.fused_projections import keep_fused
from modeldocs.diff.rewriting.joins import FlattenedJoins, flatten
from modeldocs.diff.rewriting.splitting import SplitGraph, split_projections
from modeldocs.ir import LayerGraph

_NONE: frozenset[str] = frozenset()


@dataclass(frozen=True)
class PreparedPair:
    """Both graphs with their projections split, then with joins flattened, and their matching.

    The first is A, or B if `turned`: that does not depend on which of the two is called A, so that
    comparing B and A gives the mirror image.
    """

    split: tuple[SplitGraph, SplitGraph]
    flat: tuple[FlattenedJoins, FlattenedJoins]
    matching: Matching
    turned: bool


def align_graphs(a: LayerGraph, b: LayerGraph) -> PreparedPair:
    """Rewrite two graphs and match their nodes.

    A first matching shows which projections should stay fused; there is a second one only if some
    should.

    Raises:
        ModeldocsError: a graph is not one: an id is there twice, an operand reads an id that is
            not there, or layers read each other in a circle.
    """
    prepared = _prepared((a, b), (_NONE, _NONE))
    matching = prepared.matching
    ids_a, ids_b = matching.a.nodes, matching.b.nodes
    to_b = {ids_a[i].id: ids_b[j].id for i, j in matching.pairs()}
    fused = (
        keep_fused(*prepared.split, to_b),
        keep_fused(*prepared.split[::-1], {there: here for here, there in to_b.items()}),
    )
    if not any(fused):
        return prepared
    return _prepared((a, b), fused[::-1] if prepared.turned else fused)


def _prepared(
    graphs: tuple[LayerGraph, LayerGraph], fused: tuple[frozenset[str], frozenset[str]]
) -> PreparedPair:
    """The graphs with all projections split but those of `fused`."""
    kinds = NodeKinds()
    both = [_indexed(*one, kinds) for one in zip(graphs, fused, strict=True)]
    turned = both[0].indexed.rank > both[1].indexed.rank
    one, other = both[::-1] if turned else both
    return PreparedPair(
        (one.split, other.split),
        (one.flat, other.flat),
        _matched(one.indexed, other.indexed),
        turned,
    )


class _RewrittenGraph(NamedTuple):
    split: SplitGraph
    flat: FlattenedJoins
    indexed: IndexedGraph


def _indexed(graph: LayerGraph, fused: frozenset[str], kinds: NodeKinds) -> _RewrittenGraph:
    split = split_projections(graph, fused)
    flat = flatten(split.graph)
    return _RewrittenGraph(split, flat, index_graph(flat.graph, kinds, split.ranks))


def _matched(a: IndexedGraph, b: IndexedGraph) -> Matching:
    """The matching of two indexed graphs, by structure alone."""
    matching = Matching(a, b)
    if a.ordered_fingerprint == b.ordered_fingerprint:
        for node in range(len(a)):
            matching.match(node, node, "the same structure, layer by layer", 1.0)
        return matching
    complete(matching)
    refine(matching)
    return matching
