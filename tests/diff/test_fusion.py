"""What one port has fused and another in pieces is one fact, told once."""

from __future__ import annotations

from typing import Any

import pytest

from modeldocs.diff import Change, Diff, compare
from modeldocs.ir import Layer, LayerGraph, TensorType

from .graphs import Net, inception, reordered, resnet50


def only(diff: Diff) -> Change:
    assert [c.kind for c in diff.changes] == ["regrouped"], [c.title for c in diff.changes]
    return diff.changes[0]


def block(net: Net, source: str, *, norm: bool, bias: bool) -> str:
    last = net.conv(source, 8, 3, 1, 1, bias=bias)
    return net.relu(net.norm(last) if norm else last)


def convolutions(count: int = 3, *, norm: bool, bias: bool) -> LayerGraph:
    net = Net((1, 8, 14, 14))
    last = "input-1"
    for _ in range(count):
        last = block(net, last, norm=norm, bias=bias)
    return net.graph(last)


def test_a_norm_folded_into_its_convolution_is_one_fact_of_parameters():
    change = only(compare(convolutions(norm=True, bias=False), convolutions(norm=False, bias=True)))
    assert change.consequence == "parameters"
    assert change.title == (
        "Conv + BatchNormalization in A where B has Conv with bias, × 3 (24 parameters fewer in B)"
    )
    assert change.pairs[0] == (("conv-1", "batchnormalization-1"), ("conv-1",))


def test_a_fold_tells_that_there_may_never_have_been_a_norm():
    change = only(compare(convolutions(norm=True, bias=False), convolutions(norm=False, bias=True)))
    assert change.text == (
        "Either B's weights contain the norm of A, folded in for inference, and both are the same"
        " function; or B never had it, and was trained without."
    )


def test_a_convolution_without_a_bias_cannot_hold_what_a_norm_adds():
    norms = convolutions(norm=True, bias=False)
    change = only(compare(norms, convolutions(norm=False, bias=False)))
    assert change.title == (
        "Conv + BatchNormalization in A where B has Conv without bias, × 3"
        " (48 parameters fewer in B)"
    )
    assert change.text.startswith(
        "B's Conv has no bias: its weights can contain the scale of the norm,"
    )


def test_a_match_has_all_the_layers_of_a_group():
    diff = compare(convolutions(1, norm=True, bias=False), convolutions(1, norm=False, bias=True))
    assert [(m.a, m.b) for m in diff.matches] == [
        (("input-1",), ("input-1",)),
        (("conv-1", "batchnormalization-1"), ("conv-1",)),
        (("relu-1",), ("relu-1",)),
    ]


def test_a_norm_taken_out_behind_a_convolution_without_a_bias_is_deleted():
    def net(norms: int) -> LayerGraph:
        network = Net((1, 8, 14, 14))
        last = "input-1"
        for place in range(3):
            last = block(network, last, norm=place < norms, bias=False)
        return network.graph(last)

    assert [c.kind for c in compare(net(3), net(2)).changes] == ["deleted"]


def test_a_whole_network_without_norms_has_them_folded_even_where_no_bias_is_left():
    def bare(graph: LayerGraph) -> LayerGraph:
        net = Net((1, 3, 224, 224))
        for layer in graph.layers:
            kept = [o.value for o in layer.inputs]
            ids = [ends.get(value, value) for value in kept]
            if layer.operator == "BatchNormalization":
                ends[layer.id] = ids[0]
                continue
            weights = {p.role: p.shape for p in layer.parameters}
            shape = layer.outputs[0].shape
            ends[layer.id] = net.add(layer.operator, ids, shape, dict(layer.attributes), weights)
        return net.graph()

    ends: dict[str, str] = {}
    change = only(compare(resnet50(), bare(resnet50())))
    assert len(change.pairs) == 53


@pytest.mark.parametrize("operator", ["Relu", "Tanh"])
def test_an_activation_before_each_branch_or_behind_the_concat(operator):
    def net(*, behind: bool) -> LayerGraph:
        network = Net((1, 8, 14, 14))
        ends = [network.conv("input-1", out, 1, bias=True) for out in (8, 16, 24)]
        ends = ends if behind else [network.same(operator, end) for end in ends]
        joined = network.concat(*ends)
        joined = network.same(operator, joined) if behind else joined
        return network.graph(network.conv(joined, 8, 1))

    change = only(compare(net(behind=False), net(behind=True)))
    assert change.consequence == "spelling"
    assert change.title == f"{operator} before Concat in A, after it in B"
    assert {len(ids) for ids in change.pairs[0]} == {4, 2}


def test_a_branch_without_the_activation_is_no_spelling():
    def net(*, behind: bool) -> LayerGraph:
        network = Net((1, 8, 14, 14))
        ends = [network.conv("input-1", out, 1, bias=True) for out in (8, 16)]
        joined = network.concat(*ends) if behind else network.concat(network.relu(ends[0]), ends[1])
        joined = network.relu(joined) if behind else joined
        return network.graph(network.conv(joined, 8, 1))

    assert compare(net(behind=False), net(behind=True)).verdict == "different"


def test_the_largest_of_activations_is_the_activation_of_the_largest():
    def net(*, behind: bool) -> LayerGraph:
        network = Net((1, 3, 16, 16))
        last = network.conv("input-1", 8, 3, 1, 1)
        last = last if behind else network.relu(last)
        last = network.pool(last, 2, 2)
        return network.graph(network.conv(network.relu(last) if behind else last, 8))

    assert only(compare(net(behind=False), net(behind=True))).consequence == "spelling"


def test_an_activation_that_stands_on_both_sides_of_a_pooling_has_not_moved_past_it():
    def net(*, first: str, between: bool) -> LayerGraph:
        network = Net((1, 3, 16, 16))
        last = network.pool(network.same(first, network.conv("input-1", 8, 3, 1, 1)), 2, 2)
        last = network.conv(last, 8, 3, 1, 1) if between else last
        return network.graph(network.conv(network.relu(last), 4))

    diff = compare(net(first="Relu", between=True), net(first="Sigmoid", between=False))
    assert sorted(change.kind for change in diff.changes) == ["deleted", "operator"]


def activation(build) -> LayerGraph:
    net = Net((1, 8, 14, 14))
    last = net.conv("input-1", 8, 3, 1, 1, bias=True)
    return net.graph(net.conv(build(net, last), 8, 3, 1, 1, bias=True))


def same(operator: str, **attributes):
    return lambda net, x: net.same(operator, x, **attributes)


def times(net: Net, x: str, y: str, operator: str = "Mul") -> str:
    return net.add(operator, [x, y], net.shape(x))


def l2(net: Net, x: str) -> str:
    n, _, h, w = net.shape(x)
    length = net.add("ReduceL2", [x], (n, 1, h, w), {"axes": [1], "keepdims": 1})
    return net.add("Div", [x, net.same("Clip", length, min=1e-10)], net.shape(x))


def gelu(net: Net, x: str) -> str:
    inner = net.same("Erf", net.same("Div", x, B=1.4142135))
    return net.same("Mul", times(net, x, net.same("Add", inner, B=1.0)), B=0.5)


SPELLINGS = {
    "swish": (lambda net, x: times(net, x, net.same("Sigmoid", x)), same("Swish")),
    "hard swish": (
        lambda net, x: times(net, x, net.same("HardSigmoid", x, alpha=1 / 6)),
        same("HardSwish"),
    ),
    "hard swish of a clip": (
        lambda net, x: net.same(
            "Div", times(net, x, net.same("Clip", net.same("Add", x, B=3), min=0, max=6)), B=6
        ),
        same("HardSwish"),
    ),
    "mish": (
        lambda net, x: times(net, x, net.same("Tanh", net.same("Softplus", x))),
        same("Mish"),
    ),
    "relu6": (
        lambda net, x: net.same("Clip", net.relu(x), min=0, max=6),
        same("Clip", min=0, max=6),
    ),
    "log of softmax": (
        lambda net, x: net.same("Log", net.same("Softmax", x, axis=1)),
        same("LogSoftmax", axis=1),
    ),
    "l2 norm": (l2, same("LpNormalization", axis=1, epsilon=1e-10)),
    "gelu": (gelu, same("Gelu", approximate="none")),
    "leaky relu": (
        lambda net, x: times(net, x, net.same("Mul", x, B=0.1), "Max"),
        same("LeakyRelu", alpha=0.1),
    ),
}


@pytest.mark.parametrize("name", SPELLINGS)
def test_pieces_of_an_activation_or_norm_are_the_fused_one(name):
    pieces, fused = (activation(build) for build in SPELLINGS[name])
    assert only(compare(pieces, fused)).consequence == "spelling"
    back = compare(fused, reordered(pieces, 3))
    assert only(back).consequence == "spelling"
    assert len(back.changes[0].pairs[0][1]) > len(back.changes[0].pairs[0][0]) == 1


@pytest.mark.parametrize(
    ("pieces", "fused"),
    [
        (SPELLINGS["hard swish"][0], same("Swish")),
        (SPELLINGS["gelu"][0], same("Gelu", approximate="tanh")),
        (SPELLINGS["log of softmax"][0], same("LogSoftmax", axis=2)),
        (SPELLINGS["l2 norm"][0], same("LpNormalization", axis=2, epsilon=1e-10)),
        (SPELLINGS["relu6"][0], same("Clip", min=-6, max=6)),
        (lambda net, x: times(net, x, net.same("HardSigmoid", x)), same("HardSwish")),
    ],
)
def test_pieces_of_another_function_stay_apart(pieces, fused):
    assert compare(activation(pieces), activation(fused)).verdict == "different"


@pytest.mark.parametrize("before", [True, False])
def test_a_layer_put_in_beside_pieces_is_told_of_and_the_pieces_still_are_the_fused_one(before):
    def net(*, fused: bool) -> LayerGraph:
        network = Net((1, 4, 8, 8))
        last = network.conv("input-1", 8, 3, p=1)
        if fused:
            last = network.same("Gelu", last, approximate="none")
        else:
            last = gelu(network, network.same("Sigmoid", last) if before else last)
            last = last if before else network.same("Sigmoid", last)
        return network.graph(network.conv(last, 4))

    changes = compare(net(fused=True), net(fused=False)).changes
    assert [(x.kind, x.consequence) for x in changes] == [
        ("inserted", "computes"),
        ("regrouped", "spelling"),
    ]


def test_pieces_with_another_constant_are_not_the_fused_one():
    pieces = activation(lambda net, x: times(net, x, net.same("Mul", x, B=0.2), "Max"))
    assert compare(pieces, activation(same("LeakyRelu", alpha=0.1))).verdict == "different"


def test_layer_norm_in_pieces():
    def net(*, fused: bool) -> LayerGraph:
        network = Net((1, 16, 64))
        shape, weights = network.shape("input-1"), {"scale": (64,), "bias": (64,)}
        last = network.linear("input-1", 64)
        if fused:
            attributes = {"axis": -1, "epsilon": 1e-5}
            last = network.add("LayerNormalization", [last], shape, attributes, weights)
        else:
            mean = network.add("ReduceMean", [last], (1, 16, 1), {"axes": [2]})
            centred = network.add("Sub", [last, mean], shape)
            squared = network.same("Pow", centred, B=2)
            variance = network.add("ReduceMean", [squared], (1, 16, 1), {"axes": [2]})
            root = network.same("Sqrt", network.same("Add", variance, B=1e-5))
            divided = network.add("Div", [centred, root], shape)
            scaled = network.add("Mul", [divided], shape, {}, {"B": (64,)})
            last = network.add("Add", [scaled], shape, {}, {"B": (64,)})
        return network.graph(network.linear(last, 64))

    change = only(compare(net(fused=False), net(fused=True)))
    assert change.consequence == "spelling"
    assert change.after == "LayerNormalization"


def test_a_product_and_its_bias_are_one_layer_or_two():
    def net(*, fused: bool) -> LayerGraph:
        network = Net((1, 16, 64))
        shape = network.shape("input-1")
        if fused:
            weights = {"weight": (64, 64), "bias": (64,)}
            last = network.add("Gemm", ["input-1"], shape, {"transB": 1}, weights)
        else:
            last = network.add("MatMul", ["input-1"], shape, {}, {"weight": (64, 64)})
            last = network.add("Add", [last], shape, {}, {"B": (64,)})
        return network.graph(network.same("Gelu", last))

    assert only(compare(net(fused=False), net(fused=True))).consequence == "spelling"


def test_a_convolution_in_groups_or_side_by_side():
    def net(*, fused: bool) -> LayerGraph:
        network = Net((1, 16, 14, 14))
        source = network.relu(network.conv("input-1", 16))
        if fused:
            return network.graph(network.relu(network.conv(source, 32, 3, 1, 1, group=2)))
        half = (1, 8, 14, 14)
        cuts = [
            network.add(
                "Slice", [source], half, {"axes": [1], "starts": [8 * n], "ends": [8 * n + 8]}
            )
            for n in range(2)
        ]
        ends = [network.conv(cut, 16, 3, 1, 1) for cut in cuts]
        return network.graph(network.relu(network.concat(*ends)))

    change = only(compare(net(fused=False), net(fused=True)))
    assert change.consequence == "spelling"
    assert change.title.startswith("2 Conv side by side in A, Conv in 2 groups in B")


def test_queries_keys_and_values_as_three_products_or_one():
    def net(*, fused: bool) -> LayerGraph:
        network = Net((1, 16, 64))
        shape = network.shape("input-1")
        source = network.same("Gelu", network.linear("input-1", 64))
        if fused:
            whole = network.linear(source, 192)
            cut = Layer(
                id="split-1",
                name="split",
                operator="Split",
                inputs=(
                    network.layers[-1]
                    .inputs[0]
                    .__class__(slot=0, value=whole, type=network.types[whole]),
                ),
                outputs=(TensorType(shape=shape, dtype="float32"),) * 3,
                attributes={"axis": 2},
            )
            network.layers.append(cut)
            network.types["split-1"] = cut.outputs[0]
            network.add("Attention", ["split-1"] * 3, shape)
            last = network.layers.pop()
            network.layers.append(_outputs_in_turn(last))
        else:
            network.add("Attention", [network.linear(source, 64) for _ in range(3)], shape)
        return network.graph(network.linear("attention-1", 64))

    change = only(compare(net(fused=False), net(fused=True)))
    assert change.consequence == "spelling"
    assert {len(ids) for ids in change.pairs[0]} == {3, 2}


def _outputs_in_turn(layer: Layer) -> Layer:
    import msgspec

    inputs = tuple(
        msgspec.structs.replace(operand, output=n) for n, operand in enumerate(layer.inputs)
    )
    return msgspec.structs.replace(layer, inputs=inputs)


def test_nested_sums_or_one_of_many():
    def net(*, nested: bool) -> LayerGraph:
        network = Net((1, 8, 14, 14))
        ends = [network.same(name, "input-1") for name in ("Relu", "Tanh", "Sigmoid")]
        shape = network.shape("input-1")
        last = (
            network.join(network.join(ends[0], ends[1]), ends[2])
            if nested
            else network.add("Sum", ends, shape)
        )
        return network.graph(network.conv(last, 8))

    assert only(compare(net(nested=True), net(nested=False))).consequence == "spelling"


def test_zeros_before_a_pooling_are_not_its_padding():
    def net(*, explicit: bool) -> LayerGraph:
        network = Net((1, 3, 16, 16))
        last = network.conv("input-1", 8, 3, 1, 1)
        if explicit:
            pads = {"mode": "constant", "pads": [0, 0, 1, 1, 0, 0, 1, 1]}
            last = network.pool(network.add("Pad", [last], (1, 8, 18, 18), pads), 3, 2)
        else:
            last = network.pool(last, 3, 2, 1)
        return network.graph(network.conv(last, 8))

    change = only(compare(net(explicit=True), net(explicit=False)))
    assert change.consequence == "computes"


def behind_zeros(operator: str, *, explicit: bool, **attributes: Any) -> LayerGraph:
    """A window over a plane with zeros around it: a Pad's, or its own."""
    network = Net((1, 3, 16, 16))
    last = network.relu(network.conv("input-1", 8, 3, 1, 1))
    if explicit:
        pads = {"mode": "constant", "pads": [0, 0, 1, 1, 0, 0, 1, 1]}
        last = network.add("Pad", [last], (1, 8, 18, 18), pads)
    own = 0 if explicit else 1
    if operator == "Conv":
        last = network.conv(last, 16, 3, 2, own)
    else:
        last = network.pool(last, 3, 2, own, operator=operator, **attributes)
    return network.graph(network.relu(last))


def test_zeros_before_a_convolution_are_its_padding():
    pieces, fused = (behind_zeros("Conv", explicit=explicit) for explicit in (True, False))
    change = only(compare(pieces, fused))
    assert change.consequence == "spelling"
    assert change.title == "Pad + Conv in A where B has Conv"


def test_zeros_before_a_mean_are_padding_that_counts():
    pieces = behind_zeros("AveragePool", explicit=True)
    counted = behind_zeros("AveragePool", explicit=False, count_include_pad=1)
    assert only(compare(pieces, counted)).consequence == "spelling"
    bare = behind_zeros("AveragePool", explicit=False)
    assert only(compare(pieces, bare)).consequence == "computes"


def test_a_frozen_norm_is_a_factor_and_a_shift():
    def net(*, frozen: bool) -> LayerGraph:
        network = Net((1, 8, 14, 14))
        last = network.conv("input-1", 8, 3, 1, 1)
        if frozen:
            for operator in ("Mul", "Add"):
                last = network.add(operator, [last], network.shape(last), {}, {"B": (8, 1, 1)})
        else:
            last = network.norm(last)
        return network.graph(network.relu(last))

    change = only(compare(net(frozen=True), net(frozen=False)))
    assert change.title == "Mul + Add in A, BatchNormalization in B"


def test_layers_in_the_place_of_others_are_one_line():
    def net(*names: str) -> LayerGraph:
        network = Net((1, 8, 14, 14))
        last = network.conv("input-1", 8, 3, 1, 1)
        for name in names:
            last = network.same(name, last)
        return network.graph(network.conv(last, 8, 3, 1, 1))

    diff = compare(net("Abs", "Sqrt"), net("Relu"))
    assert [(c.kind, c.consequence) for c in diff.changes] == [("operator", "computes")]
    assert diff.changes[0].title == "Abs + Sqrt in A replaced by Relu in B"


def test_groups_are_the_same_the_other_way_round():
    a, b = convolutions(norm=True, bias=False), convolutions(norm=False, bias=True)
    forth, back = compare(a, b), compare(b, a)
    assert [(m.a, m.b) for m in forth.matches] == [(m.b, m.a) for m in back.matches]
    assert [(y, x) for x, y in forth.changes[0].pairs] == list(back.changes[0].pairs)
    assert back.changes[0].title == (
        "Conv + BatchNormalization in B where A has Conv with bias, × 3 (24 parameters more in B)"
    )


def test_a_network_of_branches_is_still_identical_to_itself():
    assert compare(inception(), reordered(inception(), 4)).changes == ()
