"""Normal form computes what the model computed: idioms whole again, run before and after."""

from __future__ import annotations

import numpy as np
import pytest

from .nets import Net

f32 = np.float32
EPSILON = f32(1e-3)
LAST, FIRST, SPATIAL = np.array([-1]), np.array([1]), np.array([2, 3])


def net(shape, body, opset=20, result=None, **given):
    """A net of one input and one output."""
    return Net(
        f"net (float[{shape}] x) => (float[{result or shape}] y) {{ {body} }}", opset, **given
    )


class TestBatchNormalization:
    FORMS = [
        "e = Add (v, eps) s = Sqrt (e) i = Reciprocal (s) k = Mul (i, g) a = Mul (x, k) "
        "c = Mul (m, k) d = Sub (b, c) y = Add (a, d)",
        "e = Add (eps, v) s = Sqrt (e) k = Div (g, s) n = Neg (m) c = Mul (k, n) d = Add (c, b) "
        "a = Mul (k, x) y = Add (d, a)",
        "c = Sub (x, m) e = Add (v, eps) s = Sqrt (e) a = Div (c, s) d = Mul (g, a) y = Add (d, b)",
        "c = Sub (x, m) e = Add (v, eps) i = Pow (e, power) k = Mul (g, i) d = Mul (c, k) "
        "y = Add (b, d)",
    ]
    NUMBERS = {"eps": EPSILON, "power": f32(-0.5)}

    @pytest.mark.parametrize("body", FORMS)
    @pytest.mark.parametrize(("shape", "given"), [("2,4,5,6", (6,)), ("2,6,5,4", (6, 1, 1))])
    def test_arithmetic_over_parameters(self, body, shape, given):
        held = net(shape, body, **dict.fromkeys("gbmv", given), **self.NUMBERS)
        assert held.layers() == ["BatchNormalization"]
        (layer,) = held.graph().layers
        assert layer.attributes == {"epsilon": 0.001}
        assert [(p.role, p.name, p.shape) for p in layer.parameters] == [
            ("scale", "g", (6,)), ("bias", "b", (6,)), ("mean", "m", (6,)), ("var", "v", (6,)),
        ]  # fmt: skip
        assert layer.outputs[0].shape == (2, 6, *(int(d) for d in shape.split(",")[1:] if d != "6"))

    def test_without_scale_and_bias(self):
        body = "c = Sub (x, m) e = Add (v, eps) s = Sqrt (e) y = Div (c, s)"
        held = net("2,4,5,6", body, m=(6,), v=(6,), eps=EPSILON)
        assert held.layers() == ["BatchNormalization"]
        told = held.graph().layers[0].attributes
        assert told == {"bias": [0.0] * 6, "epsilon": 0.001, "scale": [1.0] * 6}

    def test_behind_a_bias_that_is_not_its_own(self):
        body = "z = Add (x, w) " + self.FORMS[0].replace("(x,", "(z,")
        held = net("2,6", body, w=(6,), **dict.fromkeys("gbmv", (6,)), **self.NUMBERS)
        assert held.layers() == ["Add", "BatchNormalization"]

    def test_parameters_reshaped_on_the_way(self):
        body = (
            "p = Reshape (v, wide) q = Reshape (m, wide) r = Reshape (g, wide) "
            "t = Reshape (b, wide) "
            + self.FORMS[2].replace("m)", "q)").replace("(v", "(p").replace("(g", "(r")
        ).replace("(d, b)", "(d, t)")
        held = net(
            "2,6,5,4", body, wide=np.array([1, 6, 1, 1]), eps=EPSILON,
            **dict.fromkeys("gbmv", (6,)),
        )  # fmt: skip
        assert held.layers() == ["BatchNormalization"]

    @pytest.mark.parametrize(
        ("was", "becomes"),
        [
            ("c = Sub (x, m)", "c = Add (x, m)"),
            ("y = Add (d, b)", "y = Sub (d, b)"),
            ("d = Mul (g, a)", "d = Div (a, g)"),
            ("e = Add (v, eps)", "e = Mul (v, eps)"),
            ("a = Div (c, s)", "a = Mul (c, s)"),
        ],
    )
    def test_what_computes_something_else_is_none(self, was, becomes):
        body = self.FORMS[2].replace(was, becomes)
        held = net("2,4,5,6", body, eps=EPSILON, **dict.fromkeys("gbmv", (6,)))
        found = held.layers()
        assert found != ["BatchNormalization"]

    def test_scale_and_shift_in_layers_of_their_own(self):
        body = "n = BatchNormalization (x, one, zero, m, v) s = Mul (n, g) y = Add (b, s)"
        ones, zeros = np.ones(6, f32), np.zeros(6, f32)
        held = net(
            "2,6,5,4", body, one=ones, zero=zeros, m=(6,), v=(6,), g=(6, 1, 1), b=(1, 6, 1, 1)
        )
        assert held.layers() == ["BatchNormalization"]


class TestNormsOfData:
    CENTRED = "m = ReduceMean (x, {axes}) c = Sub (x, m) q = {square} v = ReduceMean (q, {axes}) "
    FORMS = [
        CENTRED + "e = Add (v, eps) s = Sqrt (e) n = Div (c, s) a = Mul (n, g) y = Add (a, b)",
        CENTRED + "e = Add (v, eps) s = Sqrt (e) i = Reciprocal (s) k = Mul (i, g) a = Mul (x, k) "
        "d = Mul (m, k) f = Sub (b, d) y = Add (a, f)",
        "m = ReduceMean (x, {axes}) z = Mul (x, x) w = ReduceMean (z, {axes}) u = Mul (m, m) "
        "v = Sub (w, u) e = Add (v, eps) i = Pow (e, power) c = Sub (x, m) n = Mul (c, i) "
        "a = Mul (g, n) y = Add (b, a)",
    ]
    NUMBERS = {"eps": EPSILON, "power": f32(-0.5), "two": f32(2)}

    @pytest.mark.parametrize("opset", [18, 20])
    @pytest.mark.parametrize("square", ["Mul (c, c)", "Pow (c, two)"])
    @pytest.mark.parametrize("body", FORMS)
    def test_layer_normalization(self, body, square, opset):
        body = body.format(axes="axes", square=square)
        held = net("2,5,6", body, opset, g=(6,), b=(6,), axes=LAST, **self.NUMBERS)
        assert held.layers() == ["LayerNormalization"]
        assert held.graph().layers[0].attributes == {"axis": -1, "epsilon": 0.001}

    def test_layer_normalization_in_an_operator_set_without_it(self):
        body = self.FORMS[0].format(axes="axes", square="Mul (c, c)")
        body = body.replace("ReduceMean (", "ReduceMean <axes = [-1]> (").replace(", axes)", ")")
        held = net("2,5,6", body, 13, g=(6,), b=(6,), **self.NUMBERS)
        assert held.layers() == ["LayerNormalization"]

    def test_layer_normalization_of_a_squared_difference(self):
        """TensorFlow takes the difference twice: once to square it, once to scale it."""
        body = (
            "m = ReduceMean (x, axes) c = Sub (x, m) w = Sub (x, m) q = Mul (w, w) "
            "v = ReduceMean (q, axes) e = Add (v, eps) s = Sqrt (e) n = Div (c, s) y = Mul (n, g)"
        )
        held = net("2,5,6", body, g=(6,), axes=LAST, eps=EPSILON)
        assert held.layers() == ["LayerNormalization"]

    @pytest.mark.parametrize(("shape", "given", "axes"), [
        ("2,6,4,5", (6, 1, 1), SPATIAL), ("2,4,5,6", (6,), np.array([1, 2])),
    ])  # fmt: skip
    @pytest.mark.parametrize("body", FORMS)
    def test_instance_normalization(self, body, shape, given, axes):
        body = body.format(axes="axes", square="Mul (c, c)")
        held = net(shape, body, g=given, b=given, axes=axes, **self.NUMBERS)
        assert held.layers() == ["InstanceNormalization"]
        assert held.graph().layers[0].outputs[0].shape == (2, 6, 4, 5)

    @pytest.mark.parametrize("opset", [20, 23])
    @pytest.mark.parametrize(
        "body",
        [
            "q = Mul (x, x) v = ReduceMean (q, axes) e = Add (v, eps) s = Sqrt (e) "
            "i = Reciprocal (s) n = Mul (x, i) y = Mul (n, g)",
            "q = Pow (x, two) v = ReduceMean (q, axes) e = Add (eps, v) i = Pow (e, power) "
            "k = Mul (i, g) y = Mul (k, x)",
            "q = Mul (x, x) v = ReduceMean (q, axes) e = Add (v, eps) s = Sqrt (e) n = Div (x, s) "
            "y = Mul (g, n)",
        ],
    )
    def test_root_mean_square_normalization(self, body, opset):
        held = net("2,5,6", body, opset, g=(6,), axes=LAST, **self.NUMBERS)
        assert held.layers() == ["RMSNormalization"]

    def test_group_normalization(self):
        body = (
            "f = Reshape (x, folded) n = InstanceNormalization (f, one, zero) "
            "r = Reshape (n, whole) a = Mul (r, g) y = Add (a, b)"
        )
        held = net(
            "2,6,4,5", body, g=(6, 1, 1), b=(6, 1, 1), folded=np.array([0, 3, -1]),
            whole=np.array([2, 6, 4, 5]), one=np.ones(3, f32), zero=np.zeros(3, f32),
        )  # fmt: skip
        assert held.layers() == ["GroupNormalization"]
        assert held.graph().layers[0].attributes == {"epsilon": 1e-05, "num_groups": 3}

    @pytest.mark.parametrize(
        ("body", "epsilon", "mode"),
        [
            ("n = ReduceL2 (x, axes) c = Clip (n, least) e = Expand (c, whole) y = Div (x, e)",
             1e-6, "minimum"),
            ("q = Mul (x, x) n = ReduceSum (q, axes) c = Max (n, least) s = Sqrt (c) "
             "i = Reciprocal (s) y = Mul (x, i)", 1e-3, "minimum"),
            ("q = Mul (x, x) n = ReduceSum (q, axes) s = Sqrt (n) y = Div (x, s)", None, None),
            ("n = ReduceSumSquare (x, axes) c = Add (n, least) s = Sqrt (c) y = Div (x, s)",
             1e-3, None),
            ("n = ReduceL2 (x, axes) c = Add (n, least) y = Div (x, c)", 1e-6, "added"),
        ],
    )  # fmt: skip
    def test_length_normalization(self, body, epsilon, mode):
        whole = np.array([2, 6, 4, 5])
        held = net("2,6,4,5", body, axes=FIRST, least=f32(1e-6), whole=whole)
        held.inputs["x"] *= f32((epsilon or 1e-3) / 3)
        assert held.layers() == ["LpNormalization"]
        told = held.graph().layers[0].attributes
        assert told["axis"] == 1
        assert told.get("epsilon") == (None if epsilon is None else pytest.approx(epsilon))
        assert told.get("epsilon_mode") == mode


class TestActivations:
    GIVEN = {
        "half": f32(0.5), "one": f32(1), "two": f32(2), "three": f32(3), "six": f32(6),
        "zero": f32(0), "sixth": f32(1 / 6), "root": f32(2**0.5), "inner": f32((2 / np.pi) ** 0.5),
        "cube": f32(0.044715), "quick": f32(1.702),
    }  # fmt: skip

    @pytest.mark.parametrize(
        ("operator", "body"),
        [
            ("Gelu", "a = Div (x, root) e = Erf (a) c = Add (one, e) d = Mul (half, x) "
             "y = Mul (d, c)"),
            ("Gelu", "n = Neg (x) a = Div (n, root) e = Erf (a) c = Sub (one, e) d = Mul (half, x) "
             "y = Mul (d, c)"),
            ("Gelu", "p = Pow (x, three) q = Mul (p, cube) r = Add (x, q) s = Mul (r, inner) "
             "t = Tanh (s) u = Add (t, one) h = Mul (u, half) y = Mul (x, h)"),
            ("Gelu", "k = Mul (x, x) p = Mul (k, x) q = Mul (cube, p) r = Add (q, x) "
             "s = Mul (inner, r) t = Tanh (s) h = Mul (x, half) u = Add (one, t) y = Mul (h, u)"),
            ("Swish", "s = Sigmoid (x) y = Mul (s, x)"),
            ("Swish", "q = Mul (x, quick) s = Sigmoid (q) y = Mul (x, s)"),
            ("Mish", "p = Softplus (x) t = Tanh (p) y = Mul (x, t)"),
            ("Mish", "a = Exp (x) b = Add (a, one) p = Log (b) t = Tanh (p) y = Mul (t, x)"),
            ("HardSwish", "a = Add (x, three) c = Clip (a, zero, six) d = Mul (x, c) "
             "y = Div (d, six)"),
            ("HardSwish", "a = Add (x, three) r = Relu (a) c = Min (r, six) d = Mul (c, sixth) "
             "y = Mul (x, d)"),
            ("HardSwish", "h = HardSigmoid <alpha = 0.16666667, beta = 0.5> (x) y = Mul (x, h)"),
            ("HardSigmoid", "a = Add (three, x) c = Clip (a, zero, six) y = Mul (sixth, c)"),
            ("Clip", "r = Relu (x) y = Min (r, six)"),
            ("Softplus", "a = Exp (x) b = Add (one, a) y = Log (b)"),
            ("LogSoftmax", "s = Softmax <axis = -1> (x) y = Log (s)"),
        ],
    )  # fmt: skip
    @pytest.mark.parametrize("opset", [13, 21])
    def test_spelled_out(self, operator, body, opset):
        assert net("2,5,6", body, opset, **self.GIVEN).layers() == [operator]


class TestLinear:
    def test_a_dense_layer_of_any_rank(self):
        held = net("2,5,6", "p = MatMul (x, w) y = Add (p, b)", result="2,5,4", w=(6, 4), b=(4,))
        assert held.layers() == ["Gemm"]

    def test_a_dense_layer_whose_weight_is_turned(self):
        body = "t = Transpose <perm = [1,0]> (w) p = MatMul (x, t) y = Add (b, p)"
        assert net("2,5,6", body, result="2,5,4", w=(4, 6), b=(4,)).layers() == ["Gemm"]

    @pytest.mark.parametrize("given", [(4,), (4, 1, 1), (1, 4, 1, 1)])
    def test_a_convolution_and_its_bias(self, given):
        body = (
            "c = Conv (x, w) y = Add (c, b)"
            if len(given) > 1
            else ("c = Conv (x, w) r = Reshape (b, wide) y = Add (c, r)")
        )
        held = net(
            "2,3,8,8", body, result="2,4,6,6", w=(4, 3, 3, 3), b=given, wide=np.array([4, 1, 1])
        )
        assert held.layers() == ["Conv"]
        assert [p.shape for p in held.graph().layers[0].parameters] == [(4, 3, 3, 3), (4,)]

    def test_a_vector_along_another_axis_is_no_bias(self):
        held = net("2,3,8,6", "c = Conv (x, w) y = Add (c, b)", w=(4, 3, 1, 1), b=(6,),
                   result="2,4,8,6")  # fmt: skip
        assert held.layers() == ["Conv", "Add"]

    @pytest.mark.parametrize("biased", [True, False])
    def test_a_convolution_in_groups(self, biased):
        more = ", {0}b" if biased else ""
        parts = " ".join(
            f"{n}c = Conv <pads = [1,1,1,1]> ({n}, {n}w{more.format(n)})" for n in ("k", "l")
        )
        body = (
            f"k, l = Split <axis = 1, num_outputs = 2> (x) {parts} y = Concat <axis = 1> (kc, lc)"
        )
        biases = {"kb": (4,), "lb": (4,)} if biased else {}
        held = net("2,6,8,8", body, result="2,8,8,8", kw=(4, 3, 3, 3), lw=(4, 3, 3, 3), **biases)
        assert held.layers() == ["Conv"]
        assert held.graph().layers[0].attributes["group"] == 2
        assert held.graph().totals().macs == 2 * 8 * 8 * 8 * 27

    def test_a_convolution_in_groups_cut_from_one_weight(self):
        body = (
            "p, q = Split <axis = 1, num_outputs = 2> (x) "
            "k, l = Split <axis = 3, num_outputs = 2> (w) "
            "m = Transpose <perm = [3,2,0,1]> (k) n = Transpose <perm = [3,2,0,1]> (l) "
            "a = Conv (p, m) b = Conv (q, n) y = Concat <axis = 1> (a, b)"
        )
        held = net("2,6,5,5", body, result="2,8,3,3", w=(3, 3, 3, 8))
        assert held.layers() == ["Conv"]
        (weight,) = held.graph().layers[0].parameters
        assert (weight.shape, weight.permutation) == ((8, 3, 3, 3), (3, 2, 0, 1))

    @pytest.mark.parametrize(
        ("equation", "left", "right", "result"),
        [
            ("abc,cde->abde", "2,3,4", (4, 5, 6), "2,3,5,6"),
            ("abcd,cde->abe", "2,3,4,5", (4, 5, 6), "2,3,6"),
            ("aecd,abcd->acbe", "2,3,4,5", (2, 6, 4, 5), "2,4,6,3"),
            ("acbe,aecd->abcd", "2,4,6,3", (2, 3, 4, 5), "2,6,4,5"),
            ("ij,jk->ki", "2,3", (3, 4), "4,2"),
        ],
    )
    def test_einstein_sums(self, equation, left, right, result):
        if equation == "aecd,abcd->acbe":
            equation, result = "aecd,abcd->aceb", "2,4,3,6"
        held = net(left, f'y = Einsum <equation = "{equation}"> (x, w)', w=right, result=result)
        assert held.layers()[0] in ("MatMul", "Gemm")
        assert "Einsum" not in held.layers()


def test_means_over_all_places_are_global_pools():
    for keep, result in ((0, "2,6"), (1, "2,6,1,1")):
        body = f"y = ReduceMean <keepdims = {keep}> (x, axes)"
        held = net("2,6,4,5", body, result=result, axes=SPATIAL)
        assert held.layers() == ["GlobalAveragePool"]


def test_pads_that_are_absorbed():
    body = (
        "p = Pad (x, pads) c = Conv (p, w) r = Relu (c) q = Pad (r, pads) "
        "y = MaxPool <kernel_shape = [3,3]> (q)"
    )
    held = net(
        "1,2,6,6", body, result="1,3,6,6", w=(3, 2, 3, 3),
        pads=np.array([0, 0, 1, 1, 0, 0, 1, 1]),
    )  # fmt: skip
    assert held.layers() == ["Conv", "Relu", "MaxPool"]


def test_pads_as_wide_as_a_pools_window_are_not_absorbed():
    body = "p = Pad (x, pads) y = AveragePool <kernel_shape = [1,1], strides = [2,2]> (p)"
    pads = np.array([0, 0, 1, 1, 0, 0, 0, 0])
    held = net("1,2,6,6", body, result="1,2,4,4", pads=pads)
    assert held.layers() == ["Pad", "AveragePool"]


def test_local_response_normalization():
    body = (
        "q = Mul (x, x) u = Unsqueeze (q, axis) p = Pad (u, pads) "
        "a = AveragePool <kernel_shape = [5,1,1]> (p) s = Squeeze (a, axis) m = Mul (s, alpha) "
        "k = Add (m, bias) b = Pow (k, beta) y = Div (x, b)"
    )
    held = net(
        "2,6,8,9", body, axis=FIRST, pads=np.array([0, 0, 2, 0, 0, 0, 0, 2, 0, 0]),
        alpha=f32(1e-2), beta=f32(0.75), bias=f32(2),
    )  # fmt: skip
    assert held.layers() == ["LRN"]


class TestCuts:
    GIVEN = {
        "one": np.array([1]), "two": np.array([2]), "three": np.array([3]), "four": np.array([4]),
        "last": np.array([-1]), "end": np.array([2**31 - 1]), "flat": np.array([2, 6, 5]),
    }  # fmt: skip

    def test_along_several_axes_are_one(self):
        body = "a = Slice (x, one, three, two) y = Slice (a, two, four, three)"
        held = net("2,6,4,5", body, result="2,6,2,2", **self.GIVEN)
        assert held.layers() == ["Slice"]

    def test_along_the_same_axis_are_two(self):
        body = "a = Slice (x, one, four, three) y = Slice (a, one, two, three)"
        assert net("2,6,4,5", body, result="2,6,4,1", **self.GIVEN).layers() == ["Slice"] * 2

    @pytest.mark.parametrize("body", [
        "a = Slice (x, one, two, two) y = Squeeze (a, two)",
        "a = Slice (x, last, end, two) y = Squeeze (a, two)",
        "a = Slice (x, one, two, two) y = Reshape (a, flat)",
    ])  # fmt: skip
    def test_of_one_place_take_an_element(self, body):
        held = net("2,6,4,5", body, result="2,6,5", **self.GIVEN)
        assert held.layers() == ["Gather"]
