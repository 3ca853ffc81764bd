"""Masks of attention that are scaled, taken apart, computed anew, or told again behind it."""

from __future__ import annotations

import numpy as np
import pytest

from modeldocs.ir import Cast

from .nets import Net

f32 = np.float32
LOWER = np.tri(5, dtype=bool)
NUMBERS = {
    "half": f32(0.5), "two": f32(2), "third": f32(1 / 3), "minus": f32(-0.5), "zero": f32(0),
    "least": f32(-1e9), "between": f32(-1), "below": f32(-2e9), "lower": LOWER[None, None],
    "none": np.array(0), "keys": np.array([-1]),
    "tri": np.tri(5, dtype=np.int64)[None], "axis": np.array([1]),
}  # fmt: skip
OPEN = np.array([[1, 1, 1, 1, 1], [1, 1, 1, 0, 0]])


def net(inputs, body, opset=20, **given):
    """A net of queries, keys and values beside other inputs."""
    text = f"net ({inputs}) => (float[2,3,5,4] y) {{ {body} }}"
    words = set(text.replace(",", " ").replace("(", " ").replace(")", " ").split())
    return Net(text, opset, **{n: held for n, held in NUMBERS.items() if n in words}, **given)


class TestAdded:
    INPUTS = "float[2,3,5,4] q, float[2,3,4,5] k, float[2,3,5,4] v, float[2,3,1,5] d"
    END = "w = Softmax <axis = -1> (m) y = MatMul (w, v)"

    @pytest.mark.parametrize("opset", [20, 23])
    @pytest.mark.parametrize(
        ("body", "scale"),
        [
            ("s = Add (p, d) m = Mul (s, half)", 0.5),
            ("s = Add (p, d) m = Div (s, two)", 0.5),
            ("h = Mul (p, half) e = Div (d, two) m = Add (h, e)", 0.5),
            ("e = Div (d, two) a = Add (p, e) m = Mul (third, a)", 1 / 6),
        ],
    )
    def test_a_number_behind_the_sum_multiplies_both(self, body, scale, opset):
        held = net(self.INPUTS, f"p = MatMul (q, k) {body} {self.END}", opset)
        assert held.layers() == ["Mul", "Attention"]
        mul, layer = held.graph().layers
        assert mul.attributes["B"] == pytest.approx(scale)
        assert layer.inputs[3].value == mul.id

    def test_a_constant_is_multiplied_once_and_for_all(self):
        body = f"p = MatMul (q, k) s = Add (p, bias) m = Mul (s, half) {self.END}"
        bias = np.linspace(0, 1, 25, dtype=f32).reshape(1, 1, 5, 5)
        held = net("float[2,3,5,4] q, float[2,3,4,5] k, float[2,3,5,4] v", body, bias=bias)
        assert held.layers() == ["Attention"]

    def test_a_number_below_zero_is_no_scale(self):
        body = f"p = MatMul (q, k) s = Add (p, d) m = Mul (s, minus) {self.END}"
        assert "Attention" not in net(self.INPUTS, body).layers()


class TestTakenApart:
    INPUTS = TestAdded.INPUTS + ", int64[2,1,1,5] n"
    START = "p = MatMul (q, k) s = Mul (p, half) b = Cast <to = 9> (n) c = And (b, lower) "

    def load(self, body, opset=20):
        held = net(self.INPUTS, f"{self.START} {body} m = Add (s, a) {TestAdded.END}", opset)
        held.inputs["n"] = OPEN[:, None, None]
        return held

    @pytest.mark.parametrize("opset", [20, 23])
    @pytest.mark.parametrize(
        "body",
        [
            "a = Where (c, d, least)",
            "e = Not (c) a = Where (e, least, d)",
            "o = Where (c, zero, least) l = Less (o, between) a = Where (l, least, d)",
            "o = Where (c, zero, least) l = GreaterOrEqual (o, between) a = Where (l, d, least)",
            "o = Where (c, zero, least) l = Equal (o, zero) a = Where (l, d, least)",
        ],
    )
    def test_what_is_shut_and_what_is_added(self, body, opset):
        held = self.load(body, opset)
        assert held.layers() == ["Where", "Attention"]
        where, layer = held.graph().layers
        assert layer.attributes["is_causal"] == 1
        assert layer.inputs[3].value == where.id
        assert [operand.steps for operand in where.inputs] == [(Cast(dtype="bool"),), ()]

    @pytest.mark.parametrize(
        "body",
        [
            "o = Where (c, zero, least) l = Less (o, below) a = Where (l, least, d)",
            "o = Where (c, zero, d) l = Less (o, between) a = Where (l, least, d)",
        ],
    )
    def test_a_comparison_that_tells_something_else_is_kept(self, body):
        assert "Less" in self.load(body).layers()

    def test_numbers_that_shut_nothing_are_added(self):
        held = self.load("a = Where (c, d, between)")
        assert held.layers() == ["And", "Where", "Attention"]
        assert "is_causal" not in held.graph().layers[-1].attributes


class TestComputedAnew:
    INPUTS = "float[2,3,5,4] q, float[2,3,4,5] k, float[2,3,5,4] v, float[2,1,1,5] n, float[1] z"

    def load(self, mask, other, **given):
        body = " ".join(
            f"{held.format(i)} p{i} = MatMul ({query}, k) s{i} = Mul (p{i}, half) "
            f"m{i} = Add (s{i}, a{i}) w{i} = Softmax <axis = -1> (m{i}) {made} = MatMul (w{i}, v)"
            for i, held, query, made in ((1, mask, "q", "x"), (2, other, "x", "y"))
        )
        return net(self.INPUTS, body, **given)

    def test_the_same_arithmetic_is_done_once(self):
        mask = "c{0} = CumSum (n, none3) a{0} = Sub (c{0}, n)"
        held = self.load(mask, mask, none3=np.array(3))
        assert held.layers() == ["CumSum", "Sub", "Attention", "Attention"]
        assert {layer.inputs[3].value for layer in held.graph().layers[2:]} == {"sub-1"}

    def test_other_numbers_or_operators_are_another(self):
        first = "a{0} = Sub (n, half)"
        for second in ("a{0} = Sub (n, third)", "a{0} = Add (n, half)", "a{0} = Sub (z, n)"):
            assert len(self.load(first, second).layers()) == 4

    def test_what_reads_parameters_stays_as_it_is(self):
        mask = "a{0} = Sub (n, table)"
        layers = self.load(mask, mask, table=(1, 3, 1, 5)).layers()
        assert layers == ["Sub", "Attention", "Sub", "Attention"]


class TestTheSameAgain:
    """Of the mask `i`, of queries and keys: the lesser of what came before and what is given."""

    INPUTS = "float[2,3,5,4] q, float[2,3,4,5] k, float[2,3,5,4] v, int64[2,1,5] n"
    BODY = (
        "i = Min (n, tri) u = Unsqueeze (i, axis) c = Cast <to = 9> (u) p = MatMul (q, k) "
        "s = Mul (p, half) m = Where (c, s, least) w = Softmax <axis = -1> (m) o = MatMul (w, v) "
    )

    def load(self, body, opset=20):
        held = net(self.INPUTS, self.BODY + body, opset)
        held.inputs["n"] = OPEN[:, None]
        return held

    @pytest.mark.parametrize("opset", [20, 23])
    @pytest.mark.parametrize(
        "body",
        [
            "e = Equal (i, none) f = Cast <to = 6> (e) r = ReduceMin (f, keys) "
            "g = Cast <to = 9> (r) h = Unsqueeze (g, axis) y = Where (h, zero, o)",
            "f = Cast <to = 6> (i) r = ReduceMax (f, keys) g = Cast <to = 9> (r) "
            "h = Unsqueeze (g, axis) y = Where (h, o, zero)",
        ],
    )
    def test_zeros_where_no_key_is_open_are_no_layer(self, body, opset):
        assert self.load(body, opset).layers() == ["Attention"]

    @pytest.mark.parametrize(
        "body",
        [
            "f = Cast <to = 6> (i) r = ReduceMin (f, keys) g = Cast <to = 9> (r) "
            "h = Unsqueeze (g, axis) y = Where (h, zero, o)",
            "f = Cast <to = 6> (i) r = ReduceMax (f, axis) g = Cast <to = 9> (r) "
            "j = Reshape (g, rows) y = Where (j, o, zero)",
            "f = Cast <to = 6> (n) r = ReduceMax (f, keys) g = Cast <to = 9> (r) "
            "h = Unsqueeze (g, axis) y = Where (h, o, zero)",
        ],
    )
    def test_zeros_elsewhere_are(self, body):
        given = {"rows": np.array([2, 1, 5, 1])} if "rows" in body else {}
        held = net(self.INPUTS, self.BODY + body, **given)
        held.inputs["n"] = OPEN[:, None]
        assert "Where" in held.layers()
