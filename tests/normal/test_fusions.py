"""Idioms that frameworks spell in many nodes, put back together, and what only looks like them."""

from __future__ import annotations

import numpy as np
import onnx_ir as ir
import pytest

from modeldocs.loaders.caffe import CaffeLoader
from modeldocs.normal import normalise

from ..loaders.ports import graph_of, operators, write
from ..onnxes import graph, parse
from .nets import Net

f32 = np.float32


def one(found):
    (layer,) = found.layers
    return layer


class TestLayerNormalization:
    TEXT = """net (float[2,5,6] x) => (y) {{
        m = ReduceMean <axes = [{axis}]> (x)
        d = Sub (x, m)
        q = {square}
        v = ReduceMean <axes = [{axis}]> (q)
        e = Add (v, eps)
        r = Sqrt (e)
        n = Div (d, r)
        s = Mul (n, gamma)
        y = Add (s, beta)
    }}"""

    def load(self, folder, axis="-1", square="Pow (d, two)", text=None, **weights):
        given = {"gamma": (6,), "beta": (6,), "eps": f32(1e-12), "two": f32(2)} | weights
        text = (text or self.TEXT).format(axis=axis, square=square)
        return graph(folder, text, opset=13, **given)

    @pytest.mark.parametrize("square", ["Pow (d, two)", "Mul (d, d)"])
    @pytest.mark.parametrize("axis", ["-1", "2"])
    def test_it_is_recognised_with_its_epsilon(self, tmp_path, square, axis):
        norm = one(self.load(tmp_path, axis, square))
        assert norm.operator == "LayerNormalization"
        assert norm.attributes == {"axis": -1, "epsilon": 1e-12}
        assert [(p.role, p.name) for p in norm.parameters] == [("scale", "gamma"), ("bias", "beta")]
        expected = {"ReduceMean", "Sub", "Pow", "Mul", "Add", "Sqrt", "Div"}
        assert {o.operator for o in norm.origins} == expected - (
            {"Pow"} if "Mul" in square else set()
        )

    def test_over_two_axes(self, tmp_path):
        norm = one(self.load(tmp_path, "1, 2", gamma=(5, 6), beta=(5, 6)))
        assert norm.attributes["axis"] == -2

    def test_with_the_scale_first(self, tmp_path):
        text = self.TEXT.replace("Mul (n, gamma)", "Mul (gamma, n)")
        text = text.replace("Add (s, beta)", "Add (beta, s)")
        assert one(self.load(tmp_path, text=text)).operator == "LayerNormalization"

    @pytest.mark.parametrize(
        ("was", "becomes"),
        [
            ("Pow (d, two)", "Pow (d, three)"),
            ("Pow (d, two)", "Mul (d, x)"),
            ("Pow (d, two)", "Mul (x, x)"),
            ("Sub (x, m)", "Sub (x, eps)"),
            ("Sub (x, m)", "Sub (m, x)"),
            ("Div (d, r)", "Div (x, r)"),
            ("Sqrt (e)", "Exp (e)"),
            ("Add (v, eps)", "Add (v, v)"),
        ],
    )
    def test_what_computes_something_else_stays_as_it_is(self, tmp_path, was, becomes):
        text = self.TEXT.replace("{square}", "Pow (d, two)").replace(was, becomes)
        found = self.load(tmp_path, text=text, three=f32(3))
        assert "LayerNormalization" not in operators(found)

    @pytest.mark.parametrize("axis", ["1", "0, 2", "0, 1"])
    def test_a_norm_over_other_axes_stays_as_it_is(self, tmp_path, axis):
        assert "LayerNormalization" not in operators(self.load(tmp_path, axis))


class TestGelu:
    @pytest.mark.parametrize(
        "body",
        [
            "a = Div (x, root) b = Erf (a) c = Add (b, one) d = Mul (x, c) y = Mul (d, half)",
            "a = Mul (x, inverse) b = Erf (a) c = Add (one, b) d = Mul (x, half) y = Mul (d, c)",
            "a = Mul (inverse, x) b = Erf (a) c = Add (b, one) d = Mul (half, c) y = Mul (d, x)",
        ],
    )
    def test_its_factors_come_in_any_order(self, tmp_path, body):
        layer = one(self.load(tmp_path, body))
        assert (layer.operator, layer.attributes) == ("Gelu", {"approximate": "none"})

    @pytest.mark.parametrize(
        "body",
        [
            "a = Div (x, half) b = Erf (a) c = Add (b, one) d = Mul (x, c) y = Mul (d, half)",
            "a = Div (root, x) b = Erf (a) c = Add (b, one) d = Mul (x, c) y = Mul (d, half)",
            "a = Div (x, root) b = Erf (a) c = Add (b, half) d = Mul (x, c) y = Mul (d, half)",
            "a = Div (x, root) b = Erf (a) c = Add (b, one) d = Mul (x, c) y = Mul (d, one)",
            "a = Div (x, root) b = Tanh (a) c = Add (b, one) d = Mul (x, c) y = Mul (d, half)",
            "a = Div (x, root) b = Erf (a) c = Add (b, one) d = Mul (a, c) y = Mul (d, half)",
            "a = Mul (x, zero) b = Erf (a) c = Add (b, one) d = Mul (x, c) y = Mul (d, half)",
        ],
    )
    def test_what_computes_something_else_stays_as_it_is(self, tmp_path, body):
        assert "Gelu" not in operators(self.load(tmp_path, body))

    def test_a_part_that_is_read_elsewhere_stays_too(self, tmp_path):
        found = graph(
            tmp_path,
            "net (float[2,6] x) => (y, z) { a = Div (x, root) b = Erf (a) c = Add (b, one) "
            "d = Mul (x, c) y = Mul (d, half) z = Tanh (b) }",
            **self.NUMBERS,
        )
        assert sorted(operators(found)) == ["Div", "Erf", "Gelu", "Tanh"]

    NUMBERS = {
        "root": f32(2**0.5), "inverse": f32(2**-0.5), "one": f32(1), "half": f32(0.5),
        "zero": f32(0),
    }  # fmt: skip

    def load(self, folder, body):
        return graph(folder, f"net (float[2,6] x) => (y) {{ {body} }}", **self.NUMBERS)


class TestSwish:
    @pytest.mark.parametrize("product", ["Mul (x, s)", "Mul (s, x)"])
    def test_it_is_recognised(self, tmp_path, product):
        found = graph(tmp_path, f"net (float[2,6] x) => (y) {{ s = Sigmoid (x) y = {product} }}")
        assert operators(found) == ["Swish"]

    def test_a_gate_of_another_value_is_none(self, tmp_path):
        found = graph(
            tmp_path, "net (float[2,6] x) => (y) { t = Tanh (x) s = Sigmoid (t) y = Mul (x, s) }"
        )
        assert operators(found) == ["Tanh", "Sigmoid", "Mul"]


class TestDense:
    def load(self, folder, body, shape="2,5,6", **weights):
        given = {"w": (6, 4), "b": (4,)} | weights
        return graph(folder, f"net (float[{shape}] x) => (y) {{ {body} }}", **given)

    @pytest.mark.parametrize("add", ["Add (p, b)", "Add (b, p)"])
    def test_a_product_and_its_bias(self, tmp_path, add):
        layer = one(self.load(tmp_path, f"p = MatMul (x, w) y = {add}"))
        assert layer.operator == "Gemm"
        weight, bias = layer.parameters
        assert (weight.role, weight.shape, weight.permutation) == ("weight", (4, 6), (1, 0))
        assert (bias.role, bias.shape, bias.permutation) == ("bias", (4,), ())
        assert layer.macs == 2 * 5 * 4 * 6

    @pytest.mark.parametrize(
        ("body", "given"),
        [
            (
                "t = Transpose <perm = [0,2,1]> (p) a = Add (t, b) y = Add (a, r)",
                {"b": (4, 1)},
            ),
            (
                "o = ScatterND (b, at, zeros) y = Add (p, o)",
                {"b": (4,), "at": np.array([[1], [2]]), "zeros": np.zeros(2, np.float32)},
            ),
        ],
        ids=["of channels that were put second", "of which some is overwritten"],
    )
    def test_a_bias(self, body, given):
        text = f"net (float[2,5,6] x, float[2,4,5] r) => (y) {{ p = MatMul (x, w) {body} }}"
        net = Net(text, w=(6, 4), **given)
        assert net.layers()[0] == "Gemm"
        layer = net.graph().layers[0]
        assert [parameter.role for parameter in layer.parameters] == ["weight", "bias"]

    def test_a_product_alone(self, tmp_path):
        layer = one(self.load(tmp_path, "y = MatMul (x, w)"))
        assert (layer.operator, len(layer.parameters)) == ("Gemm", 1)

    def test_a_transposed_weight_is_in_normal_order_already(self, tmp_path):
        layer = one(
            self.load(tmp_path, "t = Transpose <perm = [1,0]> (w) y = MatMul (x, t)", w=(4, 6))
        )
        assert layer.parameters[0].shape == (4, 6)
        assert layer.parameters[0].permutation == ()
        assert layer.macs == 2 * 5 * 4 * 6

    def test_a_transposition_that_swaps_nothing(self, tmp_path):
        layer = one(self.load(tmp_path, "t = Transpose <perm = [0,1]> (w) y = MatMul (x, t)"))
        assert layer.parameters[0].shape == (4, 6) or layer.operator == "MatMul"
        assert layer.macs == 2 * 5 * 4 * 6

    def test_gemm_either_way_round_is_told_as_out_by_in(self, tmp_path):
        for body, weight, permutation in (
            ("y = Gemm <transB = 1> (x, w, b)", (4, 6), ()),
            ("y = Gemm (x, w, b)", (6, 4), (1, 0)),
            ("t = Transpose (w) y = Gemm (x, t, b)", (4, 6), ()),
            ("t = Transpose (w) y = Gemm <transB = 1> (x, t, b)", (6, 4), (1, 0)),
        ):
            layer = one(self.load(tmp_path, body, "2,6", w=weight))
            assert layer.parameters[0].shape == (4, 6)
            assert layer.parameters[0].permutation == permutation
            assert layer.attributes == {}
            assert layer.macs == 2 * 4 * 6

    def test_factors_other_than_one_are_told(self, tmp_path):
        layer = one(
            self.load(tmp_path, "y = Gemm <alpha = 0.5, transB = 1> (x, w)", "2,6", w=(4, 6))
        )
        assert layer.attributes == {"alpha": 0.5}

    def test_a_bias_of_another_shape_is_no_bias(self, tmp_path):
        for shape in ((5, 4), (2, 5, 4), (1, 4)):
            found = self.load(tmp_path, "p = MatMul (x, w) y = Add (p, b)", b=shape)
            assert operators(found) == ["Gemm", "Add"]

    def test_a_vector_that_widens_the_product_is_no_bias(self, tmp_path):
        found = self.load(tmp_path, "p = MatMul (x, w) y = Add (p, b)", w=(6, 1), b=(4,))
        assert operators(found) == ["Gemm", "Add"]

    def test_a_product_that_two_read_keeps_its_bias_apart(self, tmp_path):
        found = graph(
            tmp_path,
            "net (float[2,6] x) => (y, z) { p = MatMul (x, w) y = Add (p, b) z = Relu (p) }",
            w=(6, 4), b=(4,),
        )  # fmt: skip
        assert operators(found) == ["Gemm", "Add", "Relu"]

    def test_a_product_of_two_computed_tensors_is_none(self, tmp_path):
        found = graph(tmp_path, "net (float[2,3,4] a, float[2,4,5] b) => (y) { y = MatMul (a, b) }")
        assert operators(found) == ["MatMul"]
        assert found.totals().macs == 2 * 3 * 5 * 4

    def test_a_weight_on_the_left(self, tmp_path):
        found = self.load(tmp_path, "y = MatMul (w, x)", "6,5", w=(4, 6))
        assert operators(found) == ["MatMul"]
        assert found.totals().macs == 4 * 5 * 6
        assert found.totals().parameters == 24


class TestLocalResponseNormalization:
    TEXT = """net (float[2,6,8,9] x) => (y) {
        q = Mul (x, x)
        u = Unsqueeze (q, axis)
        p = Pad (u, pads)
        a = AveragePool <kernel_shape = [5,1,1]> (p)
        s = Squeeze (a, axis)
        m = Mul (s, alpha)
        k = Add (m, bias)
        b = Pow (k, beta)
        y = Div (x, b)
    }"""

    def load(self, was="", becomes="", pads=(0, 0, 2, 0, 0, 0, 0, 2, 0, 0)):
        model = parse(
            self.TEXT.replace(was, becomes), axis=np.array([1]), pads=np.array(pads),
            alpha=f32(1e-4), beta=f32(0.75), bias=f32(2),
        )  # fmt: skip
        return normalise(ir.from_proto(model))  # the loader refuses those whose shapes do not fit

    def test_as_pytorch_spells_it(self):
        layer = one(self.load())
        assert layer.operator == "LRN"
        assert layer.attributes == {"alpha": 0.0001, "beta": 0.75, "bias": 2.0, "size": 5}

    @pytest.mark.parametrize(
        ("was", "becomes"),
        [
            ("kernel_shape = [5,1,1]", "kernel_shape = [1,5,1]"),
            ("kernel_shape = [5,1,1]", "kernel_shape = [5,5,5]"),
            ("kernel_shape = [5,1,1]", "kernel_shape = [3,1,1]"),
            ("kernel_shape = [5,1,1]", "kernel_shape = [5,1,1], strides = [2,1,1]"),
            ("Mul (x, x)", "Mul (x, alpha)"),
            ("Div (x, b)", "Div (q, b)"),
            ("Div (x, b)", "Div (b, x)"),
            ("Pow (k, beta)", "Pow (beta, k)"),
            ("Add (m, bias)", "Sub (m, bias)"),
        ],
    )
    def test_what_computes_something_else_stays_as_it_is(self, was, becomes):
        assert "LRN" not in operators(self.load(was, becomes))

    @pytest.mark.parametrize("pads", [(0, 0, 0, 0, 0, 0, 0, 4, 0, 0), (0,) * 10])
    def test_windows_off_the_centre_stay_as_they_are(self, pads):
        assert "LRN" not in operators(self.load(pads=pads))


class TestAffineBatchNormalization:
    def load(self, folder, scale, also=""):
        return graph_of(
            write(
                folder,
                f"""
                name: "n" input: "data" input_shape {{ dim: 1 dim: 3 dim: 8 dim: 8 }}
                layer {{ name: "bn" type: "BatchNorm" bottom: "data" top: "bn"
                         batch_norm_param {{ use_global_stats: true eps: 0.002 }} }}
                layer {{ name: "scale" type: "Scale" bottom: "bn" top: "scale"
                         scale_param {{ {scale} }} }}
                {also}
                """,
                "deploy.prototxt",
            ),
            CaffeLoader.framework,
        )

    def test_batchnorm_and_scale_are_one_layer(self, tmp_path):
        layer = one(self.load(tmp_path, "bias_term: true"))
        assert layer.operator == "BatchNormalization"
        assert layer.attributes["epsilon"] == 0.002
        assert [p.role for p in layer.parameters if p.trainable] == ["scale", "bias"]
        assert [o.operator for o in layer.origins] == ["BatchNorm", "Scale"]

    def test_without_bias(self, tmp_path):
        layer = one(self.load(tmp_path, "bias_term: false"))
        assert [p.role for p in layer.parameters if p.trainable] == ["scale"]

    def test_a_scale_over_another_axis_stays_apart(self, tmp_path):
        found = self.load(tmp_path, "axis: 2 bias_term: false")
        assert operators(found) == ["BatchNormalization", "Mul"]

    def test_a_batchnorm_that_another_layer_reads_stays_apart(self, tmp_path):
        found = self.load(
            tmp_path, "bias_term: true",
            'layer { name: "r" type: "ReLU" bottom: "bn" top: "r" }',
        )  # fmt: skip
        assert operators(found).count("Mul") == 1
