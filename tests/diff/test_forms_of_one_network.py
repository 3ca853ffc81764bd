"""Networks that ports write in other layers compare as the same network."""

from __future__ import annotations

import pytest

from modeldocs.diff import Diff, compare
from modeldocs.ir import LayerGraph

from .graphs import Net


def spelled(diff: Diff) -> list[str]:
    """The titles of a diff that finds one function written in two ways."""
    assert diff.verdict in ("identical", "equivalent"), [c.title for c in diff.changes]
    return [change.title for change in diff.changes]


def counterparts(diff: Diff) -> dict[str, tuple[str, ...]]:
    return diff.counterpart()


def dense_block(layers: int, *, nested: bool) -> LayerGraph:
    """`x = cat([x, f(x)])` again and again, or `f(cat(features))` over a list of all."""
    net = Net((1, 8, 14, 14))
    features = [net.conv("input-1", 8, 3, 1, 1)]
    joined = features[0]
    for _ in range(layers):
        new = net.conv(net.relu(net.norm(joined)), 4, 3, 1, 1)
        features.append(new)
        joined = net.concat(joined, new) if nested else net.concat(*features)
    return net.graph(net.relu(net.norm(joined)))


@pytest.mark.parametrize("layers", [2, 6, 40])
def test_a_dense_block_with_nested_or_flat_concatenations(layers: int):
    diff = compare(dense_block(layers, nested=True), dense_block(layers, nested=False))
    titles = spelled(diff)
    assert [title.split(",")[0] for title in titles] == ["nested Concat in A"]
    matched = counterparts(diff)
    assert all(matched[f"conv-{n}"] == (f"conv-{n}",) for n in range(1, layers + 2))
    assert all(match.confidence >= 0.9 for match in diff.matches)


def test_nested_joins_that_nothing_else_reads_correspond_together():
    def net(*, nested: bool) -> LayerGraph:
        network = Net((1, 8, 4, 4))
        a, b, c = (network.conv("input-1", 8, k) for k in (1, 1, 1))
        a, b, c = network.relu(a), network.norm(b), network.conv(c, 8)
        whole = network.concat(network.concat(a, b), c) if nested else network.concat(a, b, c)
        return network.graph(network.conv(whole, 4))

    diff = compare(net(nested=True), net(nested=False))
    assert spelled(diff) == ["2 nested Concat in A, one Concat in B"]
    assert counterparts(diff)["concat-1"] == counterparts(diff)["concat-2"] == ("concat-1",)


def test_nested_joins_correspond_one_by_one_though_a_branch_has_a_layer_less():
    def net(*, whole: bool) -> LayerGraph:
        network = Net((1, 8, 4, 4))
        joined = []
        for _ in range(2):
            start = network.conv("input-1", 8, 3, p=1)
            a, b = network.conv(start, 8), network.norm(network.conv(start, 8, 3, p=1))
            joined.append(network.concat(a, network.relu(b) if whole or joined else b))
        return network.graph(network.conv(network.concat(*joined), 4))

    matched = counterparts(compare(net(whole=True), net(whole=False)))
    assert [matched[f"concat-{n}"] for n in (1, 2, 3)] == [
        ("concat-1",),
        ("concat-2",),
        ("concat-3",),
    ]


def test_operands_of_a_concatenation_in_another_order_are_no_spelling():
    def net(*, turned: bool) -> LayerGraph:
        network = Net((1, 8, 4, 4))
        a, b, c = (
            network.conv("input-1", 8),
            network.conv("input-1", 12),
            network.conv("input-1", 16),
        )
        whole = network.concat(network.concat(b, a) if turned else network.concat(a, b), c)
        return network.graph(network.conv(whole, 4))

    diff = compare(net(turned=False), net(turned=True))
    assert [c.kind for c in diff.changes if c.consequence == "computes"] == ["rewired"]


def test_a_sum_in_another_tree_is_the_same_sum():
    def net(*, left: bool) -> LayerGraph:
        network = Net((1, 8, 4, 4))
        a, b, c = network.relu("input-1"), network.norm("input-1"), network.conv("input-1", 8)
        whole = network.join(network.join(a, b), c) if left else network.join(a, network.join(b, c))
        return network.graph(network.relu(whole))

    assert compare(net(left=True), net(left=False)).verdict == "identical"


def attention(how: str, *, order: str = "qkv", blocks: int = 2) -> LayerGraph:
    """Blocks of attention whose projections are three products, or one that is cut."""
    net = Net((1, 16, 64))
    last = "input-1"
    for _ in range(blocks):
        last = net.join(last, _attended(net, last, how, order))
    return net.graph(last)


def _attended(net: Net, source: str, how: str, order: str) -> str:
    if how == "separate":
        parts = {role: net.linear(source, 64) for role in order}
    else:
        whole = net.linear(source, 192)
        parts = {role: _cut(net, whole, place) for place, role in enumerate(order)}
    network = net.add("Attention", [parts[role] for role in "qkv"], (1, 16, 64), {"num_heads": 4})
    return net.linear(network, 64)


def _cut(net: Net, whole: str, place: int) -> str:
    cut = {"axes": 2, "starts": 64 * place, "ends": 64 * (place + 1)}
    return net.add("Slice", [whole], (1, 16, 64), cut)


def test_one_product_for_queries_keys_and_values_or_three():
    diff = compare(attention("separate"), attention("sliced"))
    assert spelled(diff) == ["3 MatMul in A, MatMul + 3 Slice in B, × 2"]
    assert diff.a.parameters == diff.b.parameters
    ours, theirs = next((m.a, m.b) for m in diff.matches if len(m.a) == 3)
    assert theirs == ("matmul-1", "slice-1", "slice-2", "slice-3")
    assert set(ours) == {"matmul-1", "matmul-2", "matmul-3"}


def test_a_product_with_its_parts_in_another_order_is_told():
    diff = compare(attention("sliced"), attention("sliced", order="kqv"))
    (change,) = [c for c in diff.changes if c.consequence == "computes"]
    assert change.kind == "rewired"
    told = "q and k swapped in both Attention layers"
    assert change.title == f"{told} (packed order q, k, v → k, q, v)"


def test_a_pooling_of_single_values_changes_nothing():
    def net(*, pooled: bool) -> LayerGraph:
        network = Net((1, 8, 7, 7))
        last = network.conv("input-1", 8, 7)
        return network.graph(network.relu(network.global_pool(last) if pooled else last))

    diff = compare(net(pooled=False), net(pooled=True))
    assert spelled(diff) == ["GlobalAveragePool only in B"]
