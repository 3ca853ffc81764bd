"""Of two ways to match, the one that tells fewer edits: blocks, widths and joins that mislead."""

import pytest
from msgspec.structs import replace

from modeldocs.diff import Diff, compare
from modeldocs.diff.prepared_pair import align_graphs
from modeldocs.diff.refinement.edit_cost import EditCost
from modeldocs.ir import LayerGraph

from .graphs import Net, resnet50, transformer, twins


def told(diff: Diff) -> list[tuple[str, str]]:
    """The lines that are no consequence of others, by kind and operator."""
    return sorted((x.kind, x.operator or "") for x in diff.changes if x.consequence != "spelling")


def counterparts(diff: Diff) -> dict[str, str]:
    return {match.a[0]: match.b[0] for match in diff.matches}


def cost(a: LayerGraph, b: LayerGraph) -> float:
    matching = align_graphs(a, b).matching
    return EditCost(matching).cost(range(len(matching.a)))


def stages(*depths: int) -> LayerGraph:
    """Residual blocks in stages, each twice as wide as the one before it."""
    net = Net((1, 8, 32, 32))
    last = "input-1"
    for place, depth in enumerate(depths):
        width = 8 << place
        last = net.norm(net.conv(last, width, 2, 2))
        for _ in range(depth):
            inner = net.norm(net.conv(last, width, 7, p=3, group=width))
            inner = net.conv(net.same("Gelu", net.conv(inner, 4 * width)), width)
            last = net.join(last, inner)
    return net.graph(net.global_pool(last))


def dense(layers: int, *, wide: int = -1, behind: int = -1) -> LayerGraph:
    """A block that joins all that it made; one layer twice as wide, or one more behind a join."""
    net = Net((1, 16, 8, 8))
    last = net.conv("input-1", 16, 3, p=1)
    for place in range(layers):
        inner = net.conv(net.relu(net.norm(last)), 16)
        out = 16 if place == wide else 8
        last = net.concat(last, net.conv(net.relu(net.norm(inner)), out, 3, p=1))
        if place == behind:
            last = net.same("Sigmoid", last)
    return net.graph(net.global_pool(last))


def attention(*, normed: bool = False) -> LayerGraph:
    """Queries, keys and values of one product that is cut, perhaps behind a norm."""
    net = Net((1, 16, 64))
    start = net.same("Tanh", "input-1")
    whole = net.linear(start, 192)
    if normed:
        scale = {"scale": net.shape(whole)[-1:]}
        whole = net.add("RMSNormalization", [whole], net.shape(whole), {"axis": -1}, scale)
    cut = net.add("Split", [whole], (1, 16, 64), {"axis": -1, "num_outputs": 3})
    net.layers[-1] = replace(net.layers[-1], outputs=net.layers[-1].outputs * 3)
    mixed = net.add("Attention", [cut] * 3, (1, 16, 64))
    parts = (replace(one, output=place) for place, one in enumerate(net.layers[-1].inputs))
    net.layers[-1] = replace(net.layers[-1], inputs=tuple(parts))
    return net.graph(net.linear(mixed, 64))


def grouped(*, rotated: str = "Add") -> LayerGraph:
    """Attention of four queries and one key, each turned before they meet."""
    net = Net((1, 16, 64))
    start = net.same("Tanh", "input-1")
    q, k, v = (net.linear(start, width) for width in (64, 16, 16))
    turned = []
    for value, operator in ((q, rotated), (k, "Add")):
        half = net.same("Neg", value)
        turned.append(net.add(operator, [net.same("Cos", value), half], net.shape(value)))
    return net.graph(net.add("Attention", [*turned, v], (1, 16, 64)))


def test_a_matching_of_a_graph_with_itself_tells_nothing():
    assert [cost(net, net) for net in (resnet50(), transformer(), twins())] == [0, 0, 0]


def test_as_much_is_told_from_either_side():
    pairs = [
        (stages(2, 3, 2), stages(1, 4, 2)),
        (dense(8), dense(8, wide=2)),
        (attention(), attention(normed=True)),
    ]
    assert [cost(a, b) for a, b in pairs] == [cost(b, a) for a, b in pairs]


def test_a_block_less_in_one_stage_and_one_more_in_the_next_are_two_lines():
    diff = compare(stages(2, 3, 2), stages(1, 4, 2))
    assert told(diff) == [("deleted", ""), ("inserted", "")]
    assert all(len(change.pairs[0][0]) in (0, 6) for change in diff.changes)


def test_a_layer_wider_by_as_much_as_the_next_makes_shifts_no_other():
    a, b = dense(12), dense(12, wide=3)
    assert all(ours == theirs for ours, theirs in counterparts(compare(a, b)).items())
    assert {change.kind for change in compare(a, b).changes} == {"parameters"}


def test_a_layer_behind_a_join_leaves_what_is_joined_later_alone():
    assert told(compare(dense(8), dense(8, behind=3))) == [("inserted", "Sigmoid")]


def test_a_norm_between_a_product_and_its_split_is_one_line():
    diff = compare(attention(), attention(normed=True))
    assert told(diff) == [("inserted", "RMSNormalization")]
    assert counterparts(diff)["matmul-1"] == "matmul-1"


def test_queries_keep_to_queries_though_one_of_their_layers_is_another():
    diff = compare(grouped(), grouped(rotated="Mul"))
    assert [(change.kind, change.before, change.after) for change in diff.changes] == [
        ("operator", "Add", "Mul")
    ]
    assert counterparts(diff)["matmul-1"] == "matmul-1"


def chain_of(*layers: tuple[str, dict[str, int]]) -> LayerGraph:
    """Layers one behind the other, between two that have weights of their own."""
    net = Net((1, 4, 16, 16))
    last = net.relu(net.conv("input-1", 8, 5, p=2))
    for operator, told in layers:
        if operator == "Conv":
            k = told.get("k", 1)
            last = net.conv(last, told["out"], k, p=k // 2, group=told.get("group", 1))
        elif operator in ("LayerNormalization", "RMSNormalization"):
            last = net.add(operator, [last], net.shape(last), {"axis": -1}, {"scale": (16,)})
        else:
            last = net.norm(last) if operator == "BatchNormalization" else net.same(operator, last)
    return net.graph(net.dense(net.global_pool(last), 10))


def conv(out: int, **told: int) -> tuple[str, dict[str, int]]:
    return "Conv", {"out": out, **told}


def plain(*operators: str) -> list[tuple[str, dict[str, int]]]:
    return [(operator, {}) for operator in operators]


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ([conv(8, k=3)], [conv(8, k=5), conv(8)], ["attribute Conv", "inserted Conv"]),
        ([conv(8, k=3)], [conv(8), conv(8, k=5)], ["attribute Conv", "inserted Conv"]),
        ([conv(64)], [conv(64, k=3), conv(64)], ["attribute Conv", "inserted Conv"]),
        ([conv(64)], [conv(64, group=4), conv(64)], ["attribute Conv", "inserted Conv"]),
        (
            [conv(8), *plain("LayerNormalization")],
            [conv(8), *plain("BatchNormalization", "RMSNormalization")],
            ["operator", "regrouped"],
        ),
    ],
    ids=["1x1 behind", "1x1 before", "1x1 behind a 1x1", "grouped", "norm"],
)
def test_of_a_layer_that_changed_and_one_beside_it_the_nearer_one_is_it(before, after, expected):
    diff = compare(chain_of(*before), chain_of(*after))
    assert [f"{kind} {operator}".strip() for kind, operator in told(diff)] == expected


def test_heads_stay_with_their_features_though_the_features_are_told_apart_by_nothing():
    def net(*, short: bool) -> LayerGraph:
        network = Net((1, 8, 32, 32))
        last, heads = network.conv("input-1", 8, 3, 2, 1), []
        for place in range(4):
            last = network.relu(network.conv(last, 4))
            last = last if short and place == 1 else network.conv(last, 8, 3, p=1)
            last = network.relu(last)
            head = network.conv(last, 6, 3, p=1) if not (short and place == 1) else None
            heads.append(head or network.conv(last, 6, 3, p=1))
        return network.graph(network.concat(*heads))

    a, b = net(short=False), net(short=True)
    heads = [layer.id for layer in a.layers if layer.id in {x.value for x in a.layers[-1].inputs}]
    there = [x.value for x in b.layers[-1].inputs]
    matched = counterparts(compare(a, b))
    assert [matched[head] for head in heads] == there


def test_a_path_whose_product_is_gone_is_still_that_path():
    def net(*, whole: bool) -> LayerGraph:
        network = Net((1, 16, 64))
        start = network.same("Tanh", "input-1")
        turned = []
        for value in (network.linear(start, 64) if whole else start, network.linear(start, 64)):
            half = network.same("Neg", network.same("Sin", value))
            turned.append(
                network.add("Add", [network.same("Cos", value), half], network.shape(value))
            )
        mixed = turned if whole else turned[::-1]
        return network.graph(
            network.add("Attention", [*mixed, network.linear(start, 64)], (1, 16, 64))
        )

    a, b = net(whole=True), net(whole=False)
    mirrored = compare(b, a)
    assert cost(a, b) == cost(b, a)
    assert len(told(compare(a, b))) == len(told(mirrored)) <= 2
