"""Branches that are matched to each other's counterparts are rematched whole."""

import pytest

from modeldocs.diff.alignment.matching import Matching
from modeldocs.diff.indexing.indexed_graph import index_graph
from modeldocs.diff.indexing.node_kinds import NodeKinds
from modeldocs.diff.refinement.local_search import reduce_edits
from modeldocs.ir import LayerGraph

from .graphs import Net


def rotated(net: Net, source: str) -> str:
    """Rotary position embedding: the halves of a projection change places, one is negated."""
    shape = net.shape(source)
    half = (*shape[:-1], shape[-1] // 2)
    first = net.add("Slice", [source], half, {"starts": 0})
    second = net.add("Slice", [source], half, {"starts": half[-1]})
    turned = net.add("Concat", [net.same("Neg", second), first], shape, {"axis": -1})
    scaled = [net.same("Mul", source, B="cos"), net.same("Mul", turned, B="sin")]
    return net.add("Add", scaled, shape)


def attention(epsilon: float, *, query: bool) -> tuple[LayerGraph, list[str], list[str]]:
    """Grouped-query attention, with or without the projection of its queries.

    Also the layers of its queries and those of its keys.
    """
    net = Net((1, 48, 64))
    norm = net.norm("input-1", epsilon)
    before = len(net.layers)
    rotated_query = rotated(net, net.linear(norm, 64) if query else norm)
    between = len(net.layers)
    rotated_key = rotated(net, net.linear(norm, 16))
    after = len(net.layers)
    joined = net.add("Attention", [rotated_query, rotated_key, net.linear(norm, 16)], (1, 48, 64))
    ids = [layer.id for layer in net.layers]
    graph = net.graph(net.linear(joined, 64))
    return graph, ids[before:between], ids[between:after]


@pytest.mark.parametrize("epsilon", [1e-5, 1e-4, 1e-3, 1e-2])
def test_a_branch_of_split_halves_is_rematched_with_each_half_in_its_place(epsilon):
    """Numbers of nodes, and so the order of a split's halves, follow from what is above them."""
    a, queries_a, keys_a = attention(1e-6, query=True)
    b, queries_b, keys_b = attention(epsilon, query=False)
    right = dict(zip(queries_a[1:] + keys_a, queries_b + keys_b, strict=True))
    others_a = [layer.id for layer in a.layers if layer.id not in queries_a + keys_a]
    others_b = [layer.id for layer in b.layers if layer.id not in queries_b + keys_b]
    right |= dict(zip(["input-1", *others_a], ["input-1", *others_b], strict=True))
    crossed = right | dict(zip(queries_a, keys_b, strict=True))
    crossed |= dict(zip(keys_a[1:], queries_b, strict=True))
    first, second = (one for one in queries_a if one.startswith("slice"))
    crossed[first], crossed[second] = crossed[second], crossed[first]
    del crossed[keys_a[0]]

    kinds = NodeKinds()
    ours, theirs = index_graph(a, kinds), index_graph(b, kinds)
    number_a = {node.id: i for i, node in enumerate(ours.nodes)}
    number_b = {node.id: j for j, node in enumerate(theirs.nodes)}
    matching = Matching(ours, theirs)
    for one, other in crossed.items():
        matching.match(number_a[one], number_b[other], "as given", 0.5)
    reduce_edits(matching)
    assert {ours.nodes[i].id: theirs.nodes[j].id for i, j in matching.pairs()} == right
