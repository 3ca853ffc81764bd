"""What may be written in several ways is in normal form in one."""

from __future__ import annotations

import numpy as np
import pytest

from .nets import Net

f32 = np.float32


def net(shape, body, result=None, opset=20, **given):
    text = f"net (float[{shape}] x) => (float[{result or shape}] y) {{ {body} }}"
    return Net(text, opset, **given)


class TestNodesThatChangeNothing:
    @pytest.mark.parametrize(
        ("body", "given"),
        [
            ("p = Pad (r, n) y = Abs (p)", {"n": np.zeros(6, np.int64)}),
            ("p = Mul (r, n) y = Abs (p)", {"n": f32(1)}),
            ("p = Mul (n, r) y = Abs (p)", {"n": np.ones(4, f32)}),
            ("p = Div (r, n) y = Abs (p)", {"n": f32(1)}),
            ("p = Add (r, n) y = Abs (p)", {"n": np.zeros((1, 4), f32)}),
            ("p = Sub (r, n) y = Abs (p)", {"n": f32(0)}),
            ("p = Concat <axis = 1> (r) y = Abs (p)", {}),
            ("p = Expand (r, n) y = Abs (p)", {"n": np.array([2, 3, 4])}),
            ("p = Tile (r, n) y = Abs (p)", {"n": np.array([1, 1, 1])}),
            ("p = Slice (r, n, m) y = Abs (p)", {"n": np.array([0]), "m": np.array([9])}),
        ],
    )
    def test_they_vanish(self, body, given):
        assert net("2,3,4", f"r = Relu (x) {body}", **given).layers() == ["Relu", "Abs"]

    @pytest.mark.parametrize(
        ("body", "given", "operator"),
        [
            ("p = Sub (n, r) y = Abs (p)", {"n": f32(0)}, "Sub"),
            ("p = Div (n, r) y = Abs (p)", {"n": f32(1)}, "Div"),
            ("p = Slice (r, n, m, a, s) y = Abs (p)",
             {"n": np.array([-1]), "m": np.array([-9]), "a": np.array([2]), "s": np.array([-1])},
             "Slice"),
        ],
    )  # fmt: skip
    def test_what_changes_something_stays(self, body, given, operator):
        held = net("2,3,4", f"r = Exp (x) {body}", **given)
        assert held.layers() == ["Exp", operator, "Abs"]


class TestOperands:
    @pytest.mark.parametrize("operator", ["Mul", "Add", "Max"])
    def test_what_is_computed_comes_first(self, operator):
        first, second = (
            net("2,3,4", f"r = Relu (x) y = {operator} ({operands})", g=(4,)).graph().layers[1]
            for operands in ("g, r", "r, g")
        )
        assert [held.slot for held in first.inputs] == [held.slot for held in second.inputs] == [0]
        assert first.parameters == second.parameters

    @pytest.mark.parametrize("shape", [(4,), (1, 4), (1, 1, 4)])
    def test_a_constant_is_told_without_leading_axes_of_one(self, shape):
        held = net("2,3,4", "y = Add (x, c)", c=np.arange(4, dtype=f32).reshape(shape))
        wide = net("2,3,4", "y = Add (x, c)", c=np.arange(12, dtype=f32).reshape(1, 3, 4))
        assert held.graph().layers[0].attributes == {"B": [0.0, 1.0, 2.0, 3.0]}
        assert len(wide.graph().layers[0].attributes["B"]) == 12


class TestSums:
    @pytest.mark.parametrize(
        "body",
        [
            "d = Add (a, b) y = Add (d, c)",
            "d = Add (b, c) y = Add (a, d)",
            "y = Sum (a, b, c)",
            "d = Sum (a, b) y = Sum (d, c)",
        ],
    )
    def test_a_tree_is_one_sum(self, body):
        held = net("2,3", f"a = Relu (x) b = Abs (x) c = Exp (x) {body}")
        assert held.layers() == ["Relu", "Abs", "Exp", "Sum"]
        *_, total = held.graph().layers
        assert [operand.value for operand in total.inputs] == ["relu-1", "abs-1", "exp-1"]

    def test_a_sum_of_two_is_an_add(self):
        assert net("2,3", "a = Relu (x) y = Sum (a, x)").layers() == ["Relu", "Add"]

    def test_a_partial_sum_that_is_read_stays(self):
        body = "a = Relu (x) b = Add (a, x) c = Exp (b) d = Add (b, x) y = Mul (c, d)"
        assert net("2,3", body).layers() == ["Relu", "Add", "Exp", "Add", "Mul"]

    def test_a_long_chain_is_one_too(self):
        terms = " ".join(f"w{i} = Abs (x) v{i + 1} = Add (v{i}, w{i})" for i in range(1200))
        held = net("1,2", f"v0 = Relu (x) {terms} y = Neg (v1200)")
        assert [layer.operator for layer in held.graph().layers][-2:] == ["Sum", "Neg"]


class TestGlobalPools:
    LEFT, FLAT = "y = ReduceMean <keepdims = 0> (a, {})", "y = Flatten (a)"

    @pytest.mark.parametrize(
        ("shape", "body"),
        [
            ("2,6,4,5", "y = ReduceMean <keepdims = 0> (r, hw)"),
            ("2,4,5,6", "y = ReduceMean <keepdims = 0> (r, wh)"),
            ("2,6,4,5", "a = ReduceMean <keepdims = 0> (r, h) " + LEFT.format("h")),
            ("2,4,5,6", "a = ReduceMean <keepdims = 0> (r, one) " + LEFT.format("one")),
            ("2,6,4,5", "a = ReduceMean (r, w) b = ReduceMean (a, h) y = Squeeze (b, hw)"),
            ("2,6,4,5", "a = AveragePool <kernel_shape = [4,5]> (r) y = Flatten (a)"),
            ("2,6,4,5", "a = AveragePool <kernel_shape = [4,5], strides = [4,5]> (r) " + FLAT),
            ("2,6,4,5", "a = GlobalAveragePool (r) y = Flatten (a)"),
        ],
    )  # fmt: skip
    def test_a_mean_over_all_places_is_one(self, shape, body):
        given = {
            "hw": np.array([2, 3]), "wh": np.array([1, 2]), "h": np.array([2]),
            "w": np.array([3]), "one": np.array([1]),
        }  # fmt: skip
        used = {name: held for name, held in given.items() if f", {name})" in body}
        held = net(shape, f"r = Relu (x) {body}", "2,6", **used)
        assert held.layers() == ["Relu", "GlobalAveragePool"]
        assert held.graph().layers[1].outputs[0].shape == (2, 6, 1, 1)

    @pytest.mark.parametrize(
        ("body", "result"),
        [
            ("y = ReduceMean <keepdims = 0> (r, c)", "2,4,5"),
            ("y = AveragePool <kernel_shape = [4,4]> (r)", "2,6,1,2"),
            ("y = AveragePool <kernel_shape = [4,5], pads = [1,0,0,0]> (r)", "2,6,2,1"),
        ],
    )
    def test_one_over_less_is_none(self, body, result):
        used = {"c": np.array([1])} if ", c)" in body else {}
        held = net("2,6,4,5", f"r = Relu (x) {body}", result, **used)
        assert "GlobalAveragePool" not in held.layers()


def test_a_look_up_by_coordinates_of_one_axis_is_a_gather():
    held = Net("net (float[2,3,4] x) => (float[2,3,4] y) { g = GatherND (w, p) y = Add (x, g) }",
               w=(9, 4), p=np.array([[4], [0], [7]]))  # fmt: skip
    assert held.layers() == ["Gather", "Add"]
    assert held.graph().layers[0].attributes == {"axis": 0, "indices": [4, 0, 7]}


def test_a_look_up_of_every_place_in_order_is_a_reshape():
    places = np.stack(np.meshgrid(np.arange(2), np.arange(3), indexing="ij"), -1)
    held = net("2,3", "r = Relu (x) g = GatherND (r, p) y = Abs (g)", "2,1,3", p=places[:, None])
    assert held.layers() == ["Relu", "Abs"]


def test_a_bias_that_is_put_together_of_several():
    body = "p = MatMul (x, w) b = Concat <axis = 0> (q, zero, v) y = Add (p, b)"
    held = net("2,5,4", body, "2,5,12", w=(4, 12), q=(4,), v=(4,), zero=np.zeros(4, f32))
    assert held.layers() == ["Gemm"]
    assert [(one.role, one.name) for one in held.graph().layers[0].parameters] == [
        ("weight", "w"), ("bias", "q"), ("bias", "v"),
    ]  # fmt: skip
