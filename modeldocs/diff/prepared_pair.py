"""Two graphs as they are compared: rewritten, indexed and matched."""

from __future__ import annotations

from dataclasses import dataclass

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
    """Both graphs with their projections split, then with joins flattened, and their matching."""

    split: tuple[SplitGraph, SplitGraph]
    flat: tuple[FlattenedJoins, FlattenedJoins]
    matching: Matching


def align_graphs(a: LayerGraph, b: LayerGraph) -> PreparedPair:
    """Rewrite two graphs and match their nodes.

    A first matching shows which projections should stay fused; there is a second one only if some
    should.

    Raises:
        ModeldocsError: a graph is not one: an id is there twice, an operand reads an id that is
            not there, or layers read each other in a circle.
    """
    aligned = _align_graphs(a, b, _NONE, _NONE)
    matching = aligned.matching
    ids_a, ids_b = matching.a.nodes, matching.b.nodes
    to_b = {ids_a[i].id: ids_b[j].id for i, j in matching.pairs()}
    ours = keep_fused(*aligned.split, to_b)
    theirs = keep_fused(*aligned.split[::-1], {there: here for here, there in to_b.items()})
    return _align_graphs(a, b, ours, theirs) if ours or theirs else aligned


def _align_graphs(
    a: LayerGraph, b: LayerGraph, fused_a: frozenset[str], fused_b: frozenset[str]
) -> PreparedPair:
    split = split_projections(a, fused_a), split_projections(b, fused_b)
    flat = flatten(split[0].graph), flatten(split[1].graph)
    kinds = NodeKinds()
    indexed = (
        index_graph(rewritten.graph, kinds, parts.ranks)
        for rewritten, parts in zip(flat, split, strict=True)
    )
    return PreparedPair(split, flat, align(*indexed))


def align(a: IndexedGraph, b: IndexedGraph) -> Matching:
    """The matching of two indexed graphs, by structure alone.

    Aligning B and A gives the mirror image: the graphs are first put in an order that does not
    depend on which is A.
    """
    if (a.fingerprint, a.ordered_fingerprint) > (b.fingerprint, b.ordered_fingerprint):
        return _aligned(b, a).mirrored()
    return _aligned(a, b)


def _aligned(a: IndexedGraph, b: IndexedGraph) -> Matching:
    matching = Matching(a, b)
    if a.ordered_fingerprint == b.ordered_fingerprint:
        for node in range(len(a)):
            matching.match(node, node, "the same structure, layer by layer", 1.0)
        return matching
    complete(matching)
    refine(matching)
    return matching
