"""A change is told in the words of a person who ports models, one fact in one line."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from modeldocs.diff import Change, Diff, compare
from modeldocs.ir import GraphInput, Layer, LayerGraph, Module, Step, TensorType

from ..steps import reshaped, transposed
from .graphs import Net, inception, resnet50


def only(diff: Diff) -> Change:
    assert len(diff.changes) == 1, [change.title for change in diff.changes]
    return diff.changes[0]


def single(operator: str, shape=(1, 8, 8, 8), **attributes: Any) -> LayerGraph:
    net = Net(shape)
    return net.graph(net.same(operator, "input-1", **attributes))


def edited(graph: LayerGraph, key: str, **fields: Any) -> LayerGraph:
    layers = tuple(
        msgspec.structs.replace(layer, **fields) if layer.id == key else layer
        for layer in graph.layers
    )
    return msgspec.structs.replace(graph, layers=layers)


def test_epsilon_tells_how_far_apart_it_leads():
    change = only(compare(resnet50(), resnet50(epsilon=1.001e-5)))
    assert change.text.endswith("5e-9 for a variance of 1, 5e-5 for one of 1e-4.")


def test_the_forms_of_gelu_tell_how_far_apart_they_are():
    diff = compare(single("Gelu", approximate="none"), single("Gelu", approximate="tanh"))
    assert only(diff).title == "approximate none → tanh in one Gelu layer (gelu1)"
    assert "4.7e-4" in only(diff).text


def pooled(**more: Any) -> LayerGraph:
    net = Net((1, 8, 16, 16))
    return net.graph(net.pool("input-1", 3, 2, **more))


def test_padding_on_one_side_alone_is_told_as_such():
    change = only(compare(pooled(pads=1), pooled(pads=(0, 0, 1, 1))))
    assert (
        change.title == "pads 1 → 0,0,1,1 (bottom and right only) in one MaxPool layer (maxpool1)"
    )
    assert change.text.startswith("B's windows are one pixel further down and right")


def test_pads_that_follow_from_a_dilation_move_no_window():
    def dilated(dilation: int) -> LayerGraph:
        net = Net((1, 3, 16, 16))
        return net.graph(net.conv("input-1", 8, 3, p=dilation, dilation=dilation))

    dilations, pads = compare(dilated(2), dilated(1)).changes
    assert dilations.title.startswith("dilations 2 → 1")
    assert pads.title.startswith("pads 2 → 1") and pads.text.startswith("They follow from")


def test_rounding_and_padding_that_come_to_the_same_are_one_line():
    change = only(compare(pooled(ceil=True), pooled(pads=(0, 0, 1, 1))))
    assert change.consequence == "spelling"
    assert change.title.startswith("pads 0 rounded up → 0,0,1,1 (bottom and right only)")


def test_a_strategy_told_otherwise_is_one_line_whatever_the_layers():
    def net(*told: str | None) -> LayerGraph:
        network = Net((1, 3, 16, 16))
        last = "input-1"
        for padding in told:
            last = network.conv(last, 8, 3, 1, 1, padding=padding)
        last = network.pool(last, 2, 2)
        return edited(network.graph(last), "maxpool-1", padding=told[0] and "VALID")

    change = only(compare(net("SAME", "SAME"), net(None, None)))
    assert change.title == (
        "padding written differently (same, valid → numbers) in 3 layers (conv1–conv2, maxpool1),"
        " to the same effect"
    )


def test_rounding_up_is_one_fact_however_its_windows_are_told():
    def net(**more: Any) -> LayerGraph:
        network = Net((1, 8, 33, 33))
        last = network.pool(network.pool("input-1", 2, 2, **more), 3, 2, **more)
        graph = network.graph(network.pool(last, 2, 2, **more, operator="AveragePool"))
        return msgspec.structs.replace(
            graph,
            layers=tuple(msgspec.structs.replace(x, padding="ceil") for x in graph.layers),
        )

    def overhanging(graph: LayerGraph) -> LayerGraph:
        """The same windows with the rows that they hang over by told as pads."""
        for layer in graph.layers:
            told = {k: v for k, v in layer.attributes.items() if k != "ceil_mode"}
            size, network = layer.inputs[0].type.shape[2], layer.outputs[0].shape[2]
            over = max(0, (network - 1) * told["strides"][0] + told["kernel_shape"][0] - size)
            graph = edited(graph, layer.id, attributes={**told, "pads": [0, 0, over, over]})
        return graph

    rounded = net(ceil=True)
    change = only(compare(rounded, overhanging(rounded)))
    assert change.title.startswith("padding written differently (ceil, with other numbers) in 3")


def test_zeros_for_a_bias_are_spelling():
    net = Net((1, 3, 8, 8))
    bare = net.graph(net.conv(net.conv("input-1", 32), 8))
    attributes = {"kernel_shape": [1, 1], "strides": [1, 1], "pads": [0] * 4}
    filled = edited(bare, "conv-1", attributes={**attributes, "bias": 0.0})
    filled = edited(filled, "conv-2", attributes={**attributes, "bias": [0.0] * 8})
    change = only(compare(bare, filled))
    assert change.consequence == "spelling"
    assert change.title == "bias of zeros only in B in both Conv layers"


def test_a_gamma_that_is_fixed_is_one_fact():
    fixed = inception(scale=False)
    fixed = msgspec.structs.replace(
        fixed,
        layers=tuple(
            msgspec.structs.replace(layer, attributes={**layer.attributes, "scale": 1.0})
            if layer.operator == "BatchNormalization"
            else layer
            for layer in fixed.layers
        ),
    )
    change = only(compare(fixed, inception()))
    assert (change.kind, change.consequence, change.attribute) == (
        "parameters",
        "parameters",
        "scale",
    )
    assert "gamma" in change.text


def test_another_width_is_one_line_with_all_that_follows():
    def net(width: int) -> LayerGraph:
        network = Net((1, 3, 16, 16))
        last = network.relu(network.norm(network.conv("input-1", width, 3, 1, 1, bias=True)))
        return network.graph(network.conv(last, 8))

    change = only(compare(net(16), net(24)))
    assert change.title.startswith("16 → 24 outputs in one Conv layer (conv1) (+304 parameters)")
    assert change.consequence == "parameters"
    assert change.followers == 3


def test_another_width_of_the_output_is_one_of_shape():
    def net(classes: int) -> LayerGraph:
        network = Net((1, 64))
        return network.graph(network.dense("input-1", classes))

    assert only(compare(net(1000), net(10))).consequence == "shape"


def test_a_kernel_with_the_pads_that_keep_its_size_is_one_line():
    def net(kernel: int) -> LayerGraph:
        network = Net((1, 3, 16, 16))
        return network.graph(network.conv("input-1", 8, kernel, 1, kernel // 2))

    change = only(compare(net(5), net(3)))
    assert change.title.startswith("kernel_shape 5 → 3 in one Conv layer")
    assert "384 parameters fewer in B" in change.title


def test_a_layer_that_shrinks_what_follows_is_told_alone():
    def net(*, pool: bool) -> LayerGraph:
        network = Net((1, 3, 16, 16))
        last = network.relu(network.conv("input-1", 8, 3, 1, 1))
        last = network.pool(last, 2, 2) if pool else last
        return network.graph(network.relu(network.conv(last, 16, 3, 1, 1)))

    diff = compare(net(pool=False), net(pool=True))
    assert only(diff).kind == "inserted"
    assert only(diff).followers == 2
    assert only(compare(net(pool=True), net(pool=False))).followers == 2


@pytest.mark.parametrize("rank", [3, 4])
def test_an_input_in_another_layout_is_one_line_of_spelling(rank):
    first, last = ((1, 3, 8, 8), (1, 8, 8, 3)) if rank == 4 else ((1, 3, 8), (1, 8, 3))
    turn = transposed(0, 3, 1, 2) if rank == 4 else transposed(0, 2, 1)

    def net(shape: tuple[int, ...], *steps: Step) -> LayerGraph:
        graph = single("Relu", first)
        operand = msgspec.structs.replace(graph.layers[0].inputs[0], steps=steps)
        start = GraphInput(id="input-1", name="x", type=TensorType(shape=shape, dtype="float32"))
        graph = msgspec.structs.replace(graph, inputs=(start,))
        return edited(graph, "relu-1", inputs=(operand,))

    change = only(compare(net(first), net(last, turn)))
    assert change.consequence == "spelling"
    assert change.title.endswith("channels last in B")
    assert change.pairs == ((("input-1",), ("input-1",)), (("relu-1",), ("relu-1",)))


def test_tokens_are_the_same_in_whichever_order_they_are_made():
    def net(*steps: Step) -> LayerGraph:
        network = Net((1, 6, 2, 2))
        graph = network.graph(network.add("Softmax", ["input-1"], (1, 4, 6), {"axis": 2}))
        seen = TensorType(shape=(1, 4, 6), dtype="float32")
        operand = msgspec.structs.replace(graph.layers[0].inputs[0], steps=steps, type=seen)
        return edited(graph, "softmax-1", inputs=(operand,))

    a = net(reshaped((1, 6, 2, 2), (1, 6, 4)), transposed(0, 2, 1))
    b = net(transposed(0, 2, 3, 1), reshaped((1, 2, 2, 6), (1, 4, 6)))
    assert compare(a, b).verdict == "identical"
    c = net(reshaped((1, 6, 2, 2), (1, 4, 6)))
    assert compare(a, c).verdict == "different"


def test_the_same_softmax_of_a_transposed_tensor():
    def net(axis: int, *steps: Step) -> LayerGraph:
        shape = (1, 4, 6) if not steps else (1, 6, 4)
        network = Net((1, 4, 6))
        graph = network.graph(network.add("Softmax", ["input-1"], shape, {"axis": axis}))
        seen = TensorType(shape=shape, dtype="float32")
        operand = msgspec.structs.replace(graph.layers[0].inputs[0], steps=steps, type=seen)
        return edited(graph, "softmax-1", inputs=(operand,))

    change = only(compare(net(2), net(1, transposed(0, 2, 1))))
    assert change.consequence == "spelling"
    assert change.title == ("output 1×4×6 → 1×6×4 of one layer (softmax1): axes in another order")
    assert compare(net(2), net(2, transposed(0, 2, 1))).verdict == "different"


def test_a_dropout_that_stands_elsewhere_has_moved():
    def net(*, before: bool) -> LayerGraph:
        network = Net((1, 64))
        last = "input-1" if not before else network.same("Dropout", "input-1", ratio=0.5)
        last = network.relu(network.dense(last, 64))
        last = last if before else network.same("Dropout", last, ratio=0.5)
        return network.graph(network.dense(last, 10))

    change = only(compare(net(before=True), net(before=False)))
    assert (change.kind, change.consequence) == ("moved", "spelling")


def test_the_place_of_a_change_is_told_by_its_modules():
    def net(epsilon: float) -> LayerGraph:
        network = Net((1, 8, 8, 8))
        last = "input-1"
        for _ in range(4):
            last = network.norm(network.conv(last, 8), epsilon)
        last = network.norm(last)
        graph = network.graph(last)
        names = iter("1234")
        layers = tuple(_in_block(layer, names) for layer in graph.layers)
        return msgspec.structs.replace(graph, layers=layers)

    def _in_block(layer: Layer, names: Any) -> Layer:
        if layer.operator != "BatchNormalization":
            return layer
        block = next(names, "5")
        modules = (Module(path=f"layer{block}"), Module(path=f"layer{block}.norm"))
        return msgspec.structs.replace(layer, modules=modules)

    change = only(compare(net(1e-5), net(1e-3)))
    assert change.title == ("epsilon 1e-5 → 0.001 in 4 BatchNormalization layers (layer1–layer4)")


def test_a_parameter_that_is_learned_on_one_side_alone():
    net = Net((1, 8, 8, 8))
    graph = net.graph(net.norm("input-1"))
    frozen = tuple(
        msgspec.structs.replace(p, trainable=p.trainable and p.role != "scale")
        for p in graph.layers[0].parameters
    )
    change = only(compare(graph, edited(graph, "batchnormalization-1", parameters=frozen)))
    assert change.consequence == "parameters"
    assert change.title.startswith("scale: learned → fixed in one BatchNormalization layer")


def named(graph: LayerGraph, **names: str) -> LayerGraph:
    layers = tuple(
        msgspec.structs.replace(layer, name=names.get(layer.id.replace("-", "_"), layer.name))
        for layer in graph.layers
    )
    return msgspec.structs.replace(graph, layers=layers)


def test_a_layer_of_one_side_is_told_by_the_name_of_what_it_follows():
    def net(*, more: bool) -> LayerGraph:
        network = Net((1, 8, 8, 8))
        last = network.conv("input-1", 8, 3, 1, 1)
        last = network.same("Tanh", last) if more else last
        return named(network.graph(network.conv(last, 8)), conv_1="stem/conv")

    assert only(compare(net(more=False), net(more=True))).title == "Tanh after stem/conv only in B"


def test_outputs_of_one_side_are_told_by_name():
    def net(*, both: bool) -> LayerGraph:
        network = Net((1, 8, 8, 8))
        boxes = network.conv("input-1", 4)
        scores = network.same("Softmax", network.conv("input-1", 2), axis=1)
        graph = network.graph(boxes, scores) if both else network.graph(boxes)
        return named(graph, softmax_1="scores")

    assert only(compare(net(both=False), net(both=True))).title == "output of scores only in B"


def test_a_layer_that_reads_another_is_told_by_their_names():
    def net(skipped: int) -> LayerGraph:
        network = Net((1, 8, 8, 8))
        ends = ["input-1"]
        for operator in ("Relu", "Tanh", "Sigmoid"):
            ends.append(network.same(operator, network.conv(ends[-1], 8, 3, 1, 1)))
        return network.graph(network.join(ends[skipped], ends[-1]))

    change = only(compare(net(1), net(2)))
    assert change.title == "Add add1 reads relu1 in A, tanh1 in B"


def test_joining_the_same_in_another_order_tells_what_to_do_about_it():
    def net(*order: int) -> LayerGraph:
        network = Net((1, 8, 8, 8))
        ends = [network.same(operator, "input-1") for operator in ("Relu", "Tanh", "Sigmoid")]
        return network.graph(network.concat(*(ends[n] for n in order)))

    change = only(compare(net(0, 1, 2), net(0, 2, 1)))
    assert change.title == "operands in another order in one Concat layer (concat1)"
    assert "permute the input channels" in change.text


def test_what_stands_at_the_end_of_one_side_is_left_to_the_caller():
    def net(*, ends: bool) -> LayerGraph:
        network = Net((1, 8))
        last = network.dense("input-1", 10)
        return network.graph(network.same("TopK", last, k=5) if ends else last)

    change = only(compare(net(ends=False), net(ends=True)))
    assert change.text == "A ends before it: the caller has to compute what B does here."


@pytest.mark.parametrize(
    ("count", "place"),
    [(1, "pool"), (3, "pool–pool_2")],
)
def test_layers_that_a_framework_numbers_are_one_run(count, place):
    def net(kernel: int) -> LayerGraph:
        network = Net((1, 8, 64, 64))
        last = "input-1"
        for _ in range(count):
            last = network.pool(last, kernel, 2, kernel // 2)
        names = {f"maxpool_{n}": f"pool_{n - 1}" if n > 1 else "pool" for n in range(1, count + 1)}
        return named(network.graph(network.pool(last, 5, 1)), **names)

    change = compare(net(3), net(5)).changes[0]
    assert f"({place})" in change.title
