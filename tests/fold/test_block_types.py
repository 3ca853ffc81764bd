"""What networks look like folded: idioms by name, repeats with what varies, hubs left aside."""

from __future__ import annotations

import pytest

from modeldocs.fold import Group, fold
from modeldocs.ir import LayerGraph
from tests.diff import graphs
from tests.diff.graphs import Net

from .networks import blocks


def outline(group: Group) -> list[str]:
    """The titles of a level's groups, with how often they are repeated."""
    groups = [one for one in group.members if isinstance(one, Group) and one.kind != "fused"]
    counts = [f"{len(one.members)} × " if one.kind == "repeat" else "" for one in groups]
    return [f"{count}{one.title}" for count, one in zip(counts, groups, strict=True)]


def only_repeat(graph: LayerGraph) -> Group:
    (repeat,) = [group for group in fold(graph).groups() if group.kind == "repeat"]
    return repeat


def test_resnet50_is_stages_of_bottlenecks() -> None:
    stages = [name for n in (2, 3, 5, 2) for name in ("Bottleneck", f"{n} × Bottleneck")]
    assert outline(fold(graphs.resnet50())) == stages


def test_a_transformer_is_one_repeat_of_attention_and_mlp() -> None:
    network = fold(graphs.transformer(12))
    assert outline(network) == ["12 × Transformer block"]
    assert {"Attention", "MLP"} < {group.title for group in network.groups()}


def residual(net: Net, source: str, width: int) -> str:
    last = net.relu(net.norm(net.conv(source, width, 3, 1, 1)))
    return net.relu(net.join(net.norm(net.conv(last, width, 3, 1, 1)), source))


def test_two_blocks_of_convolutions_are_told_from_bottlenecks() -> None:
    net = Net((1, 16, 32, 32))
    last = "input-1"
    for _ in range(4):
        last = residual(net, last, 16)
    assert only_repeat(net.graph(last)).title == "Residual block"


def dense_layers(net: Net, source: str, count: int) -> str:
    for _ in range(count):
        source = net.concat(source, net.conv(net.relu(net.norm(source)), 8, 3, 1, 1))
    return source


def test_dense_layers_are_a_repeat_that_tells_how_their_channels_grow() -> None:
    net = Net((1, 16, 32, 32))
    dense = only_repeat(net.graph(net.conv(dense_layers(net, "input-1", 30), 16)))
    assert (dense.title, len(dense.members)) == ("Dense layer", 30)
    channels = next(one for one in dense.varies if one.name == "channels")
    assert (channels.values[0], channels.values[-1]) == ("24", "256")


def test_equal_stages_are_a_repeat_of_repeats() -> None:
    net = Net((1, 16, 32, 32))
    last = "input-1"
    for _ in range(4):
        last = net.conv(dense_layers(net, last, 6), 16)
    repeats = [group for group in fold(net.graph(last)).groups() if group.kind == "repeat"]
    assert [len(group.members) for group in repeats] == [4]


def squeeze(net: Net, source: str) -> str:
    pooled = net.global_pool(source)
    small = net.same("Relu", net.linear(pooled, 4))
    gate = net.same("Sigmoid", net.linear(small, net.shape(source)[1]))
    return net.add("Mul", [source, gate], net.shape(source))


def test_squeeze_and_excitation() -> None:
    net = Net((1, 16, 8, 8))
    graph = net.graph(net.conv(squeeze(net, net.conv("input-1", 16, 3, 1, 1)), 16))
    assert "Squeeze-and-excitation" in {group.title for group in fold(graph).groups()}


@pytest.mark.parametrize("hub", [False, True])
def test_a_hub_does_not_hide_the_blocks_that_read_it(hub: bool) -> None:
    groups = [group for group in fold(blocks(200, 3, hub=hub)).groups() if group.kind == "repeat"]
    assert groups


def test_an_encoder_that_all_blocks_of_a_decoder_read() -> None:
    net = Net((1, 16, 64), (1, 16, 64))
    memory = "input-1"
    for _ in range(6):
        memory = net.join(net.linear(net.same("Gelu", net.linear(memory, 256)), 64), memory)
    last = "input-2"
    for _ in range(6):
        query = net.linear(last, 64)
        keys, values = net.linear(memory, 64), net.linear(memory, 64)
        mixed = net.add("Attention", [query, keys, values], (1, 16, 64))
        last = net.join(net.linear(mixed, 64), last)
        last = net.join(net.linear(net.same("Gelu", net.linear(last, 256)), 64), last)
    network = fold(net.graph(last))
    assert [len(group.members) for group in network.groups() if group.kind == "repeat"] == [6, 6]


def test_queries_keys_and_values_are_not_a_repeat() -> None:
    net = Net((1, 16, 64))
    query, keys, values = (net.linear("input-1", 64) for _ in range(3))
    graph = net.graph(net.add("Attention", [query, keys, values], (1, 16, 64)))
    assert not [group for group in fold(graph).groups() if group.kind == "repeat"]


def test_equal_layers_that_are_wired_otherwise_are_no_repeat() -> None:
    net = Net((1, 16, 64))
    values = ["input-1"]
    for index in range(6):
        left, right = values[-1], values[max(0, len(values) - 1 - index)]
        values.append(net.add("Mul", [left, net.same("Tanh", right)], (1, 16, 64)))
    groups = [group for group in fold(net.graph(values[-1])).groups() if group.kind == "repeat"]
    assert all(len(group.members) < 6 for group in groups)
