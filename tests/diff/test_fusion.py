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


def test_zeros_before_a_root_of_powers_are_its_padding():
    pieces, fused = (behind_zeros("LpPool", explicit=explicit) for explicit in (True, False))
    change = only(compare(pieces, fused))
    assert change.consequence == "spelling"
    assert change.title == "Pad + LpPool in A where B has LpPool"


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
