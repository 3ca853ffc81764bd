"""One function told in two ways is matched, and is no difference but spelling."""

import msgspec
import pytest

from modeldocs.diff import compare
from modeldocs.ir import GraphInput, GraphOutput, Layer, LayerGraph, Operand, Step, TensorType

from ..steps import transposed
from .graphs import Net, kind


def headed(pool: str, **attributes) -> LayerGraph:
    net = Net((1, 3, 14, 14))
    last = net.relu(net.conv("input-1", 8, 3, 2, 1))
    flat = pool == "ReduceMean" and not attributes.get("keepdims", 1)
    last = net.add(pool, [last], (1, 8) if flat else (1, 8, 1, 1), attributes)
    return net.graph(net.dense(last, 10))


WHOLE = {
    "GlobalAveragePool": {},
    "AveragePool": {"kernel_shape": [7, 7]},
    "ReduceMean": {"axes": [-1, -2], "keepdims": 1},
}


@pytest.mark.parametrize("a", WHOLE)
@pytest.mark.parametrize("b", WHOLE)
def test_means_over_the_whole_plane_are_one_function(a, b):
    diff = compare(headed(a, **WHOLE[a]), headed(b, **WHOLE[b]))
    assert diff.verdict == ("identical" if a == b else "equivalent")
    assert len(diff.matches) == 5


def test_a_mean_that_drops_its_axes_makes_ones_that_are_spelling():
    diff = compare(headed("ReduceMean", axes=[2, 3], keepdims=0), headed("ReduceMean", axes=[2, 3]))
    assert diff.verdict == "equivalent"


def test_a_smaller_mean_is_another_function():
    net = Net((1, 8, 7, 7))
    small = net.graph(net.pool("input-1", 5, 5, operator="AveragePool"))
    net = Net((1, 8, 7, 7))
    whole = net.graph(net.global_pool("input-1"))
    assert compare(small, whole).verdict == "different"


def dense(operator: str) -> LayerGraph:
    net = Net((1, 8, 6, 6))
    last = net.relu("input-1")
    if operator == "Conv":
        last = net.conv(net.relu(net.conv(last, 32, 6, bias=True)), 10, bias=True)
    else:
        last = net.dense(net.relu(net.dense(last, 32)), 10)
    return net.graph(last)


def test_convolutions_that_cover_their_input_are_dense():
    diff = compare(dense("Conv"), dense("Gemm"))
    assert diff.verdict == "equivalent"
    assert "Conv written as Gemm in both layers" in [c.title for c in diff.changes]
    assert not any(c.kind == "parameters" for c in diff.changes)


def single(operator: str = "Relu", shape=(1, 8, 8, 8), **attributes) -> LayerGraph:
    net = Net(shape)
    return net.graph(net.same(operator, "input-1", **attributes))


@pytest.mark.parametrize(
    ("operator", "told"),
    [
        ("BatchNormalization", {"epsilon": 1e-5}),
        ("LRN", {"size": 5, "alpha": 1e-4, "beta": 0.75, "bias": 1.0}),
        ("Softmax", {"axis": 3}),
        ("LeakyRelu", {"alpha": 0.01}),
        ("Gelu", {"approximate": "none"}),
    ],
)
def test_defaults_that_are_told_are_defaults(operator, told):
    bare = {"size": 5} if operator == "LRN" else {}
    assert compare(single(operator, **told), single(operator, **bare)).verdict == "identical"


def test_a_convolution_without_attributes_has_the_defaults():
    def conv(**attributes) -> LayerGraph:
        net = Net((1, 3, 8, 8))
        weight = {"weight": (8, 3, 3, 3)}
        return net.graph(net.add("Conv", ["input-1"], (1, 8, 6, 6), attributes, weight))

    told = {
        "kernel_shape": [3, 3],
        "strides": [1, 1],
        "pads": [0] * 4,
        "dilations": [1, 1],
        "group": 1,
        "auto_pad": "NOTSET",
    }
    assert compare(conv(), conv(**told)).verdict == "identical"


def pooled(operator="MaxPool", size=8, **more) -> LayerGraph:
    net = Net((1, 8, size, size))
    return net.graph(net.pool("input-1", 3, 2, operator=operator, **more))


def test_rounding_up_and_padding_the_end_make_the_same_windows():
    diff = compare(pooled(ceil=True), pooled(pads=(0, 0, 1, 1)))
    assert diff.verdict == "equivalent"
    assert [c.attribute for c in diff.changes] == ["pads"]


def test_rounding_up_where_nothing_is_left_over_is_spelling():
    assert compare(pooled(size=9, ceil=True), pooled(size=9)).verdict == "equivalent"


def test_rounding_up_where_something_is_left_over_is_not():
    diff = compare(pooled(ceil=True), pooled())
    assert diff.verdict == "different"
    assert [c.attribute for c in diff.changes] == ["ceil_mode"]


def test_a_mean_that_counts_pads_counts_those_at_the_end_too():
    mean = {"operator": "AveragePool", "count_include_pad": 1}
    assert compare(pooled(**mean, ceil=True), pooled(**mean, pads=(0, 0, 1, 1))).verdict == (
        "different"
    )


def test_counting_pads_where_there_are_none_is_spelling():
    mean = {"operator": "AveragePool", "size": 9}
    diff = compare(pooled(**mean, count_include_pad=1), pooled(**mean))
    assert diff.verdict == "equivalent"


def test_padding_before_is_not_padding_after():
    diff = compare(pooled(pads=(0, 0, 1, 1)), pooled(pads=(1, 1, 1, 1)))
    assert [(c.attribute, c.consequence) for c in diff.changes] == [("pads", "computes")]


def test_padding_strategy_told_differently_while_pads_are_equal():
    def conv(padding: str | None) -> LayerGraph:
        net = Net((1, 3, 8, 8))
        return net.graph(net.conv("input-1", 8, 3, 1, 1, padding=padding))

    assert compare(conv("SAME"), conv("same")).verdict == "identical"
    diff = compare(conv("SAME"), conv(None))
    assert [(c.attribute, c.consequence) for c in diff.changes] == [("padding", "spelling")]


def test_sums_may_be_told_in_any_order():
    def added(*order: int) -> LayerGraph:
        net = Net((1, 8, 8, 8))
        ends = [net.relu("input-1"), net.same("Tanh", "input-1")]
        return net.graph(net.join(*(ends[n] for n in order)))

    assert compare(added(0, 1), added(1, 0)).verdict == "identical"


def test_joined_channels_may_not():
    def joined(*order: int) -> LayerGraph:
        net = Net((1, 8, 8, 8))
        ends = [net.relu("input-1"), net.same("Tanh", "input-1")]
        return net.graph(net.concat(*(ends[n] for n in order)))

    diff = compare(joined(0, 1), joined(1, 0))
    assert diff.verdict == "different"
    assert {c.kind for c in diff.changes} == {"rewired"}


def test_training_settings_are_spelling():
    assert (
        compare(
            single("BatchNormalization", momentum=0.99), single("BatchNormalization", momentum=0.9)
        ).verdict
        == "equivalent"
    )


def attention(*steps: Step, seen: tuple[int, ...] = (1, 4, 8, 2)) -> LayerGraph:
    return LayerGraph(
        name="net",
        inputs=(GraphInput(id="input-1", name="x", type=kind((1, 2, 4, 8))),),
        layers=(
            single("Softmax")
            .layers[0]
            .__class__(
                id="softmax-1",
                name="s",
                operator="Softmax",
                outputs=(kind(seen),),
                inputs=(Operand(slot=0, value="input-1", type=kind(seen), steps=steps),),
            ),
        ),
        outputs=(GraphOutput(name="o", source=Operand(slot=0, value="softmax-1", type=kind(()))),),
    )


def test_transpositions_count_by_what_they_come_to():
    twice = attention(transposed(0, 2, 1, 3), transposed(0, 1, 3, 2))
    assert compare(twice, attention(transposed(0, 2, 3, 1))).verdict == "identical"
    assert compare(twice, attention(seen=(1, 2, 4, 8))).verdict == "different"


def test_an_input_in_another_layout_is_told_in_other_words():
    def net(shape: tuple[int, ...], *steps: Step) -> LayerGraph:
        start = GraphInput(id="input-1", name="x", type=TensorType(shape=shape, dtype="float32"))
        seen = TensorType(shape=(1, 3, 8, 8), dtype="float32")
        operand = Operand(slot=0, value="input-1", type=seen, steps=steps)
        relu = Layer(id="relu-1", name="r", operator="Relu", inputs=(operand,), outputs=(seen,))
        return LayerGraph(name="n", inputs=(start,), layers=(relu,))

    def means(other: LayerGraph) -> list[str]:
        changes = compare(net((1, 3, 8, 8)), other).changes
        told = ("order of axes", "layout")
        return [one.consequence for one in changes if one.attribute in told]

    assert means(net((1, 8, 8, 3), transposed(0, 3, 1, 2))) == ["spelling"]
    assert means(net((1, 3, 8, 8), transposed(0, 1, 3, 2))) == ["computes"]


def test_names_of_dimensions_are_not_compared():
    def named(dim: str) -> LayerGraph:
        return LayerGraph(
            name="n",
            inputs=(
                GraphInput(id="i", name="i", type=TensorType(shape=(dim, 8), dtype="float32")),
            ),
        )

    assert compare(named("batch"), named("N")).verdict == "identical"


def separable(*, first: str = "depthwise", bias: bool = False, padding: str | None = None):
    """A depthwise convolution and the 1x1 one that mixes its channels, as one layer has them."""
    net = Net((1, 8, 14, 14))
    last = net.relu(net.conv("input-1", 8, 3, 1, 1))
    for step in (first, "pointwise" if first == "depthwise" else "depthwise"):
        if step == "depthwise":
            last = net.conv(last, 8, 3, 1, 1, group=8, bias=bias, padding=padding)
        else:
            last = net.conv(last, 16 if first == "depthwise" else 8, 1, bias=True, padding=padding)
    return net.graph(net.relu(last))


def test_a_separable_convolution_is_the_two_that_it_is_made_of():
    diff = compare(separable(padding="same"), separable())
    assert diff.verdict == "equivalent"
    assert [c.attribute for c in diff.changes] == ["padding"]
    assert [(m.a, m.b) for m in diff.matches if m.a[0].startswith("conv")] == [
        ((f"conv-{n}",), (f"conv-{n}",)) for n in (1, 2, 3)
    ]


def test_a_bias_between_the_two_is_a_difference():
    diff = compare(separable(), separable(bias=True))
    assert [(c.consequence, c.attribute) for c in diff.changes] == [("parameters", "bias")]


def test_mixing_channels_before_they_are_filtered_is_another_function():
    assert compare(separable(), separable(first="pointwise")).verdict == "different"


def classifier(operator: str) -> LayerGraph:
    """The head of a network that is all convolutions, or ends in a dense layer."""
    net = Net((1, 3, 14, 14))
    last = net.global_pool(net.relu(net.conv("input-1", 8, 3, 1, 1)))
    last = net.conv(last, 10, bias=True) if operator == "Conv" else net.dense(last, 10)
    return net.graph(net.same("Softmax", last, axis=1))


def test_a_dense_layer_is_a_convolution_of_a_single_pixel():
    diff = compare(classifier("Conv"), classifier("Gemm"))
    assert diff.verdict == "equivalent"
    assert "Conv written as Gemm in one layer (conv2)" in [c.title for c in diff.changes]


def channels_last(*, last: bool) -> LayerGraph:
    """A network of one convolution that is fed and read in one layout or the other."""
    net = Net((1, 3, 8, 8))
    graph = net.graph(net.conv("input-1", 5, 3, 1, 1))
    if not last:
        return graph
    start, layer, end = graph.inputs[0], graph.layers[0], graph.outputs[0]
    fed = msgspec.structs.replace(layer.inputs[0], steps=(transposed(0, 3, 1, 2),))
    read = msgspec.structs.replace(
        end.source, steps=(transposed(0, 2, 3, 1),), type=kind((1, 8, 8, 5))
    )
    return msgspec.structs.replace(
        graph,
        inputs=(msgspec.structs.replace(start, type=kind((1, 8, 8, 3))),),
        layers=(msgspec.structs.replace(layer, inputs=(fed,)),),
        outputs=(msgspec.structs.replace(end, source=read),),
    )


def test_a_network_in_another_layout_tells_what_goes_in_and_what_comes_out():
    diff = compare(channels_last(last=False), channels_last(last=True))
    assert diff.verdict == "equivalent"
    assert [c.title for c in diff.changes] == [
        "input 1×3×8×8 → 1×8×8×3: channels last in B",
        "output 1×5×8×8 → 1×8×8×5: channels last in B",
    ]
    back = compare(channels_last(last=True), channels_last(last=False))
    assert [c.title for c in back.changes] == [
        "input 1×8×8×3 → 1×3×8×8: channels last in A",
        "output 1×8×8×5 → 1×5×8×8: channels last in A",
    ]


def test_branches_that_are_built_in_another_order_are_the_same():
    def net(*order: int) -> LayerGraph:
        network = Net((1, 8, 14, 14))
        ends = {n: network.relu(network.conv("input-1", 8, 2 * n + 1, 1, n)) for n in order}
        return network.graph(network.concat(*(ends[n] for n in sorted(ends))))

    assert compare(net(0, 1, 2), net(2, 0, 1)).verdict == "identical"


def mixing(*, dense: bool, turned: tuple[Step, ...] = (transposed(0, 3, 1, 2),)) -> LayerGraph:
    """ConvNeXt's block: each pixel's channels are mixed twice, as one port or the other has it."""
    net = Net((1, 8, 14, 14))
    last = net.conv("input-1", 8, 7, 1, 3, group=8, bias=True)
    if not dense:
        last = net.conv(net.same("Gelu", net.conv(last, 32, bias=True)), 8, bias=True)
        return net.graph(net.relu(net.join(last, "input-1")))
    net.types[last] = kind((1, 14, 14, 8))
    last = net.linear(net.same("Gelu", net.linear(last, 32)), 8)
    net.types[last] = kind((1, 8, 14, 14))
    graph = net.graph(net.relu(net.join(last, "input-1")))
    layers = [_noted(layer, "conv-1", (transposed(0, 2, 3, 1),)) for layer in graph.layers]
    layers = [_noted(layer, "matmul-2", turned) for layer in layers]
    return msgspec.structs.replace(graph, layers=tuple(layers))


def _noted(layer: Layer, source: str, steps: tuple[Step, ...]) -> Layer:
    inputs = (
        msgspec.structs.replace(operand, steps=steps if operand.value == source else operand.steps)
        for operand in layer.inputs
    )
    return msgspec.structs.replace(layer, inputs=tuple(inputs))


def test_dense_layers_of_each_pixel_are_convolutions_of_single_pixels():
    diff = compare(mixing(dense=True), mixing(dense=False))
    assert diff.verdict == "equivalent", [c.title for c in diff.changes]
    assert [c.title for c in diff.changes] == [
        "MatMul written as Conv in 2 layers (matmul1–matmul2)"
    ]
    assert len(diff.matches) == 7
    assert compare(mixing(dense=False), mixing(dense=True)).verdict == "equivalent"


def test_dense_layers_whose_pixels_are_turned_back_otherwise_are_not():
    other = mixing(dense=True, turned=(transposed(0, 3, 2, 1),))
    assert compare(other, mixing(dense=False)).verdict == "different"


def projection(*biases: int) -> LayerGraph:
    """A projection to queries, keys and values, with one bias of all or one of each."""
    net = Net((1, 7, 32))
    graph = net.graph(net.dense("input-1", 96))
    weight, bias = graph.layers[0].parameters
    parts = [
        msgspec.structs.replace(bias, name=f"bias{part}", shape=(size,))
        for part, size in enumerate(biases)
    ]
    layer = msgspec.structs.replace(graph.layers[0], parameters=(weight, *parts))
    return msgspec.structs.replace(graph, layers=(layer,))


def test_a_projection_without_a_bias_for_its_keys_is_one_difference():
    (change,) = compare(projection(96), projection(32, 32)).changes
    assert change.title == "bias: 96 → 32 + 32 in one Gemm layer (gemm1) (-32 parameters)"


def test_biases_in_parts_are_no_difference():
    assert not compare(projection(96), projection(32, 32, 32)).changes
