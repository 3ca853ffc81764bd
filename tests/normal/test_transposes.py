"""Transposes of channels-last frameworks cancel; what is left is told on the edge it stands on."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from modeldocs.ir import Origin, Transpose, origin
from modeldocs.normal import normalise

from ..steps import reshaped, transposed
from .nets import Net

TO_FIRST, TO_LAST = "perm = [0,3,1,2]", "perm = [0,2,3,1]"
f32 = np.float32


class Keras:
    """Writes nets as loaders of channels-last frameworks do: there and back around operators."""

    def __init__(self):
        self.lines, self.count, self.weights = [], 0, {}

    def name(self):
        self.count += 1
        return f"n{self.count}"

    def add(self, call, *operands):
        name = self.name()
        self.lines.append(f"{name} = {call} ({', '.join(operands)})")
        return name

    def first(self, call, source, *more):
        """An operator of channels first on a value of channels last."""
        there = self.add(f"Transpose <{TO_FIRST}>", source)
        return self.add(f"Transpose <{TO_LAST}>", self.add(call, there, *more))

    def weight(self, shape):
        name = f"w{len(self.weights)}"
        self.weights[name] = shape
        return name

    def constant(self, array):
        name = f"c{len(self.weights)}"
        self.weights[name] = np.asarray(array)
        return name

    def conv(self, source, given, made):
        kernel = self.add("Transpose <perm = [3,2,0,1]>", self.weight((3, 3, given, made)))
        return self.first('Conv <auto_pad = "SAME_UPPER">', source, kernel)

    def net(self, shape, results):
        outputs = ", ".join(f"float[{dims}] {name}" for name, dims in results.items())
        body = "\n".join(self.lines)
        return Net(f"net (float[{shape}] x) => ({outputs}) {{ {body} }}", 18, **self.weights)


def steps_of(graph):
    return [step for layer in graph.layers for held in layer.inputs for step in held.steps]


def test_only_those_at_the_ends_of_the_graph_are_left():
    k = Keras()
    a = k.add("Relu", k.add("Add", k.conv("x", 3, 8), k.weight((8,))))
    b = k.first("MaxPool <kernel_shape = [2,2], strides = [2,2]>", a)
    c = k.add("Add", k.conv(b, 8, 8), b)
    held = k.net("1,8,8,3", {c: "1,4,4,8"})
    assert held.layers() == ["Conv", "Relu", "MaxPool", "Conv", "Add"]
    graph = held.graph()
    assert steps_of(graph) == [transposed(0, 3, 1, 2)]
    assert graph.outputs[0].source.steps == (transposed(0, 2, 3, 1),)
    assert graph.layers[0].outputs[0].shape == (1, 8, 8, 8)
    assert [(p.role, p.shape, p.permutation) for p in graph.layers[0].parameters] == [
        ("weight", (8, 3, 3, 3), (3, 2, 0, 1)), ("bias", (8,), ()),
    ]  # fmt: skip


def test_the_one_before_a_flatten_stays():
    k = Keras()
    a = k.add("Dropout", k.add("Relu", k.conv("x", 3, 8)))
    b = k.add("Reshape", a, k.constant([1, 128]))
    c = k.add("MatMul", b, k.weight((128, 10)))
    held = k.net("1,4,4,3", {c: "1,10"})
    assert held.layers() == ["Conv", "Relu", "Dropout", "Gemm"]
    gemm = held.graph().layers[-1]
    assert gemm.inputs[0].steps == (transposed(0, 2, 3, 1), reshaped((1, 4, 4, 8), (1, 128)))


def test_a_pad_of_channels_last_is_absorbed():
    k = Keras()
    a = k.add("Pad", "x", k.constant([0, 1, 2, 0, 0, 1, 2, 0]))
    kernel = k.add("Transpose <perm = [3,2,0,1]>", k.weight((3, 5, 3, 4)))
    held = k.net("1,8,8,3", {k.first("Conv", a, kernel): "1,8,8,4"})
    assert held.layers() == ["Conv"]
    assert held.graph().layers[0].attributes["pads"] == [1, 2, 1, 2]


@pytest.mark.parametrize(
    ("call", "constants", "dims", "operator"),
    [
        ("Concat <axis = 3>", None, "1,8,8,16", "Concat"),
        ("Concat <axis = -2>", None, "1,8,16,8", "Concat"),
        ("Softmax <axis = -1>", (), "1,8,8,8", "Softmax"),
        ("ReduceMean", ([1, 2],), "1,1,1,8", "GlobalAveragePool"),
        ("ReduceMean <keepdims = 0>", ([1, 2],), "1,8", "GlobalAveragePool"),
        ("ReduceMax <keepdims = 0>", ([3],), "1,8,8", "ReduceMax"),
        ("ReduceSum", ([-1],), "1,8,8,1", "ReduceSum"),
        ("ArgMax <axis = 3, keepdims = 0>", (), None, "ArgMax"),
        ("Slice", ([1, 2], [5, 6], [1, 3]), "1,4,8,4", "Slice"),
        ("Slice", ([0, 2], [1, 7]), "1,5,8,8", "Slice"),
        ("Tile", ([1, 2, 1, 1],), "1,16,8,8", "Tile"),
        ("PRelu", ("slope",), "1,8,8,8", "PRelu"),
        ("Asinh", (), "1,8,8,8", "Asinh"),
        ("Mul", ("map",), "1,8,8,8", "Mul"),
    ],
)
def test_operators_of_any_order_move(call, constants, dims, operator):
    k = Keras()
    a = k.conv("x", 3, 8)
    if constants is None:
        more = [k.add("Relu", a)]
    else:
        shapes = {"slope": (1, 1, 8), "map": (8, 8, 1)}
        more = [k.weight(shapes[c]) if isinstance(c, str) else k.constant(c) for c in constants]
    b = k.add(call, a, *more)
    if dims is None:
        b, dims = k.add("Cast <to = 1>", b), "1,8,8"
    held = k.net("1,8,8,3", {b: dims})
    assert operator in held.layers()
    assert sum(isinstance(step, Transpose) for step in steps_of(held.graph())) <= 1


def test_a_resize_moves_with_its_scales():
    k = Keras()
    a = k.conv("x", 3, 8)
    b = k.add('Resize <mode = "nearest">', a, "", k.constant(np.array([1, 2, 2, 1], f32)))
    held = k.net("1,4,4,3", {k.conv(b, 8, 4): "1,8,8,4"})
    assert held.layers() == ["Conv", "Resize", "Conv"]
    assert held.graph().layers[1].attributes["scales"] == [1.0, 1.0, 2.0, 2.0]


def test_a_gate_of_one_number_a_channel_needs_none():
    """Squeeze and excitation: pooled, reshaped to N x 1 x 1 x C, and multiplied."""
    k = Keras()
    a = k.conv("x", 3, 8)
    pooled = k.add("ReduceMean <keepdims = 0>", a, k.constant([1, 2]))
    gate = k.add("Sigmoid", k.add("MatMul", pooled, k.weight((8, 8))))
    wide = k.add("Reshape", gate, k.constant([-1, 1, 1, 8]))
    held = k.net("1,8,8,3", {k.conv(k.add("Mul", a, wide), 8, 4): "1,8,8,4"})
    assert held.layers() == ["Conv", "GlobalAveragePool", "Gemm", "Sigmoid", "Mul", "Conv"]
    told = steps_of(held.graph())
    assert sum(isinstance(step, Transpose) for step in told) == 1
    assert reshaped((1, 8), (1, 8, 1, 1)) in told


def test_a_split_moves_with_its_parts():
    k = Keras()
    a = k.conv("x", 3, 8)
    k.lines.append(f"p, q = Split <axis = 3, num_outputs = 2> ({a})")
    b = k.add("Concat <axis = 3>", "q", "p")
    held = k.net("1,8,8,3", {k.conv(b, 8, 4): "1,8,8,4"})
    assert held.layers() == ["Conv", "Split", "Concat", "Conv"]
    assert len(steps_of(held.graph())) == 1


def test_one_and_three_axes():
    for rank in (3, 5):
        spatial = range(1, rank - 1)
        there = ",".join(map(str, (0, rank - 1, *spatial)))
        back = ",".join(map(str, (0, *range(2, rank), 1)))
        kernel = ",".join(map(str, (rank - 1, rank - 2, *range(rank - 2))))
        text = f"""net (float[1{",6" * (rank - 2)},3] x) => (y) {{
            a = Transpose <perm = [{there}]> (x) k = Transpose <perm = [{kernel}]> (w)
            b = Conv (a, k) c = Transpose <perm = [{back}]> (b) d = Add (c, bias) e = Relu (d)
            f = Transpose <perm = [{there}]> (e) g = Conv (f, u) y = Transpose <perm = [{back}]> (g)
        }}"""
        inner = (2,) * (rank - 2)
        held = Net(text, 18, w=(*inner, 3, 4), bias=(4,), u=(4, 4, *inner))
        assert held.layers() == ["Conv", "Relu", "Conv"]
        assert len(steps_of(held.graph())) == 1


def test_a_value_of_two_orders_stays():
    text = """net (float[1,4,4,4] x) => (float[1,4,4,4] y) {
        t = Transpose <perm = [0,2,3,1]> (x) a = Add (x, t) y = Relu (a)
    }"""
    assert Net(text).layers() == ["Add", "Relu"]


def test_heads_of_attention_are_left_alone():
    text = """net (float[1,5,12] x) => (float[1,5,12] y) {
        r = Reshape (x, apart) t = Transpose <perm = [0,2,1,3]> (r) m = Mul (t, half)
        k = Transpose <perm = [0,2,3,1]> (r) s = MatMul (m, k) w = MatMul (s, t)
        o = Transpose <perm = [0,2,1,3]> (w) y = Reshape (o, joined)
    }"""
    held = Net(
        text, apart=np.array([1, 5, 3, 4]), joined=np.array([1, 5, 12]), half=f32(0.5),
    )  # fmt: skip
    assert held.layers() == ["Mul", "MatMul", "MatMul"]
    assert transposed(0, 2, 1, 3) in held.graph().layers[0].inputs[0].steps


def test_what_the_source_said_stays_with_its_layer():
    k = Keras()
    a = k.add("Relu", k.add("Add", k.conv("x", 3, 8), k.weight((8,))))
    held = k.net("1,4,4,3", {k.conv(a, 8, 8): "1,4,4,8"})
    model = held.model()
    for node in model.graph:
        said = Origin(operator=f"keras.{node.op_type}", name=str(node.outputs[0].name))
        origin.attach(node, origin.Provenance(origins=(said,), name=said.name, padding="same"))
    conv, relu, _ = normalise(model).layers
    assert [held.operator for held in conv.origins] == ["keras.Conv", "keras.Add"]
    assert [held.operator for held in relu.origins] == ["keras.Relu"]
    assert (relu.name, conv.padding) == (relu.origins[0].name, "same")


STEPS = st.sampled_from(
    ["conv", "relu", "bias", "scale", "pool", "add", "concat", "pad", "norm", "map", "slice"]
)


@settings(
    max_examples=20, deadline=None, suppress_health_check=[HealthCheck.too_slow], derandomize=True
)
@given(st.lists(st.tuples(STEPS, st.integers(0, 5)), min_size=1, max_size=9), st.booleans())
def test_any_net_computes_the_same(steps, flat):
    k, channels = Keras(), 4
    made = [k.conv("x", 3, channels)]
    for step, which in steps:
        source = made[which % len(made)]
        made.append(_step(k, step, source, made[-1], channels))
    results = {made[-1]: "1,6,6,4"}
    if flat:
        results[k.add("Reshape", made[-1], k.constant([1, 144]))] = "1,144"
    held = k.net("1,6,6,3", results)
    held.layers()
    inside = [s for s in steps_of(held.graph()) if isinstance(s, Transpose)]
    assert len(inside) <= 1


def _step(k, step, source, last, channels):
    match step:
        case "conv":
            return k.conv(source, channels, channels)
        case "relu":
            return k.add("Relu", source)
        case "bias":
            return k.add("Add", source, k.weight((channels,)))
        case "scale":
            return k.add("Mul", k.constant(f32(0.5)), source)
        case "pool":
            pool = "MaxPool <kernel_shape = [3,3], pads = [1,1,1,1]>"
            return k.first(pool, source)
        case "add":
            return k.add("Add", source, last)
        case "concat":
            both = k.add("Concat <axis = -1>", source, last)
            return k.conv(both, 2 * channels, channels)
        case "pad":
            wide = k.add("Pad", source, k.constant([0, 1, 1, 0, 0, 1, 1, 0]))
            return k.first("AveragePool <kernel_shape = [3,3]>", wide)
        case "norm":
            given = [k.weight((channels,)) for _ in range(3)]
            k.weights[f"v{len(k.weights)}"] = (channels,)
            return k.first("BatchNormalization", source, *given, f"v{len(k.weights) - 1}")
        case "map":
            return k.add("Mul", source, k.weight((6, 6, 1)))
    two = k.constant([0]), k.constant([3]), k.constant([2])
    left = k.add("Slice", source, *two)
    return k.add("Concat <axis = 2>", left, left)
