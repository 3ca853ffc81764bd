"""Weights that one network holds otherwise: normalized, copied, or once for several layers."""

from __future__ import annotations

import numpy as np
import pytest

from modeldocs import diff
from tests.numeric.parity.nets import loaded, parity

NORMED = """net (float[1,3,8] x) => (y) {
  n = ReduceL2 <axes = [1, 2]> (v)
  d = Div (g, n)   w = Mul (v, d)
  c = Conv (x, w, b)   y = Tanh (c)
}"""
PLAIN = "net (float[1,3,8] x) => (y) { c = Conv (x, w, b)  y = Tanh (c) }"


def steps(direction):
    return {one.target: [step.op for step in one.steps] for one in direction.weights.mapped}


def test_a_normalized_weight_goes_into_a_plain_one_and_back():
    a = loaded(NORMED, opset=13, v=(4, 3, 5), g=(4, 1, 1), b=(4,))
    found, structure = parity(a, loaded(PLAIN, w=(4, 3, 5), b=(4,)))
    assert found.verdict == "holds"
    assert "weight_norm" in steps(found.a_to_b)["w"]
    assert steps(found.b_to_a)["v"] == ["read"]
    assert "norm" in steps(found.b_to_a)["g"]
    (line,) = [
        one for one in diff.settle(structure, found).changes if one.consequence != "spelling"
    ]
    assert line.title.startswith("weight_norm only in A")


def test_two_normalized_weights_are_copied_as_they_are():
    nets = (loaded(NORMED, opset=13, v=(4, 3, 5), g=(4, 1, 1), b=(4,)) for _ in range(2))
    found, _ = parity(*nets)
    assert steps(found.a_to_b) == {name: ["read"] for name in "vgb"}


LESS_ONE = """net (float[2,5,8] x) => (y) {
  f = Cast <to = 1> (g)   s = Add (f, one)   n = RMSNormalization (x, s)
  u = Transpose <perm = [1, 0]> (w)   v = Mul (half, u)   y = MatMul (n, v)
}"""
AS_READ = "net (float[2,5,8] x) => (y) { n = RMSNormalization (x, g)  y = MatMul (n, w) }"
NUMBERS = {"one": np.float32(1), "half": np.float32(0.5)}


def test_numbers_that_are_computed_of_the_stored_ones_are_converted_both_ways():
    a = loaded(LESS_ONE, opset=23, g=(8,), w=(6, 8), **NUMBERS)
    found, structure = parity(a, loaded(AS_READ, opset=23, g=(8,), w=(8, 6)))
    assert found.verdict == "holds"
    assert steps(found.a_to_b)["g"][-1] == "add"
    assert "subtract" in steps(found.b_to_a)["g"]
    assert {"divide", "transpose"} <= set(steps(found.b_to_a)["w"])
    lines = [one for one in structure.changes if one.consequence != "spelling"]
    titles = {one.title for one in lines}
    assert titles == {
        "values read: scale + 1 → scale in one RMSNormalization layer (node_1)",
        "values read: 0.5 × weight → weight in one MatMul layer (node_4)",
    }
    settled = diff.settle(structure, found)
    assert {one.title for one in settled.changes if one.consequence == "parameters"} == titles


def test_numbers_that_both_compute_alike_are_copied_as_they_are():
    nets = (loaded(LESS_ONE, opset=23, g=(8,), w=(6, 8), **NUMBERS) for _ in range(2))
    found, _ = parity(*nets)
    assert steps(found.a_to_b) == {name: ["read"] for name in "gw"}


def test_another_number_beside_the_stored_ones_is_told():
    a = loaded(LESS_ONE, opset=23, g=(8,), w=(6, 8), **NUMBERS)
    other = NUMBERS | {"one": np.float32(2)}
    found, structure = parity(a, loaded(LESS_ONE, opset=23, g=(8,), w=(6, 8), **other))
    (line,) = diff.settle(structure, found).changes
    assert line.title == "values read: scale + 1 → scale + 2 in one RMSNormalization layer (node_1)"


COPIED = """net (float[1,6,8] x) => (y) {{
  r = Constant <value_ints = [1, 3, 1]> ()
  {table}
  s = Add (x, t)   y = MatMul (s, m)
}}"""
TILED = COPIED.format(table="t = Tile (p, r)")
EXPANDED = COPIED.format(
    table="f = Constant <value_ints = [3, 2, 8]> ()  u = Expand (p, f)"
    "  h = Constant <value_ints = [1, 6, 8]> ()  t = Reshape (u, h)"
)


@pytest.mark.parametrize("b", [TILED, EXPANDED], ids=["tiled", "expanded"])
def test_a_table_that_is_copied_along_an_axis_has_a_map(b):
    given = {"p": (1, 2, 8), "m": (8, 5)}
    found, _ = parity(loaded(TILED, **given), loaded(b, **given))
    assert found.verdict == "holds"
    assert steps(found.a_to_b)["p"] == ["read"]
    assert not found.a_to_b.weights.unset


ONCE = """net (float[1,6,8] x) => (y) {
  c = MatMul (x, w)   t = Tanh (c)
  k = MatMul (t, m)   v = MatMul (t, n)   y = Mul (k, v)
}"""
TWICE = """net (float[1,6,8] x) => (y) {
  c = MatMul (x, w)   t = Tanh (c)
  e = MatMul (x, u)   s = Tanh (e)
  k = MatMul (t, m)   v = MatMul (s, n)   y = Mul (k, v)
}"""


def test_a_layer_that_is_there_twice_may_have_the_same_weights_both_times():
    squares = dict.fromkeys(("w", "m", "n"), (8, 8))
    found, _ = parity(loaded(ONCE, **squares), loaded(TWICE, **squares, u=(8, 8)))
    assert found.a_to_b.verdict == "holds"
    assert found.b_to_a.verdict == "diverges"
    assert {one.target: one.sources for one in found.a_to_b.weights.mapped}["u"] == ("w",)


EXPERTS = """net (float[6,8] x) => (y) {
  s = MatMul (x, g)   p = Softmax (s)   p0, p1, p2 = Split <axis = 1, num_outputs = 3> (p)
  g0 = MatMul (x, w1_0_)   u0 = MatMul (x, w2_0_)
  g1 = MatMul (x, w1_1_)   u1 = MatMul (x, w2_1_)
  g2 = MatMul (x, w1_2_)   u2 = MatMul (x, w2_2_)
  a0 = Tanh (g0)   a1 = Tanh (g1)   a2 = Tanh (g2)
  m0 = Mul (a0, u0)   m1 = Mul (a1, u1)   m2 = Mul (a2, u2)
  d0 = MatMul (m0, w3_0_)   d1 = MatMul (m1, w3_1_)   d2 = MatMul (m2, w3_2_)
  e0 = Mul (d0, p0)   e1 = Mul (d1, p1)   e2 = Mul (d2, p2)
  f = Add (e0, e1)   h = Add (f, e2)   y = MatMul (h, o)
}"""
STACKED = """net (float[6,8] x) => (y) {{
  s = MatMul (x, g)   p = Softmax (s)   t = Transpose (p)
  last = Constant <value_ints = [2]> ()   first = Constant <value_ints = [0]> ()
  q = Unsqueeze (t, last)
  all = MatMul (x, gate_up)   {parts} = Split <axis = 2, num_outputs = 2> (all)
  a = Tanh (c)   m = Mul (a, u)   d = MatMul (m, down)   e = Mul (d, q)
  h = ReduceSum <keepdims = 0> (e, first)   y = MatMul (h, o)
}}"""


@pytest.mark.parametrize("parts", ["c, u", "u, c"])
def test_an_array_for_each_expert_and_one_for_all_of_them(parts):
    every = {"g": (8, 3), "o": (8, 4)}
    inner = {"w1": (8, 5), "w2": (8, 5), "w3": (5, 8)}
    of_each = {f"{name}_{n}_": shape for n in range(3) for name, shape in inner.items()}
    stacks = {"gate_up": (3, 8, 10), "down": (3, 5, 8)}
    a = loaded(EXPERTS, **every, **of_each)
    found, _ = parity(a, loaded(STACKED.format(parts=parts), **every, **stacks))
    assert found.verdict == "holds"
    assert {one.target for one in found.a_to_b.weights.converted} == set(stacks)
    assert {one.target for one in found.b_to_a.weights.converted} == set(of_each)


PART_BIASED = """net (float[2,3,6] x) => (y) {
  g = MatMul (x, w)  a, b = Split <axis = -1, num_outputs = 2> (g)
  c = Add (a, p)  s = Softplus (c)  t = Sigmoid (b)  y = Mul (s, t)
}"""
TWO_PRODUCTS = """net (float[2,3,6] x) => (y) {
  a = MatMul (x, u)  b = MatMul (x, v)
  c = Add (a, p)  s = Softplus (c)  t = Sigmoid (b)  y = Mul (s, t)
}"""


def test_a_bias_of_one_part_of_a_projection_is_carried_both_ways():
    fused = loaded(PART_BIASED, opset=18, w=(6, 8), p=(4,))
    apart = loaded(TWO_PRODUCTS, opset=18, u=(6, 4), v=(6, 4), p=(4,))
    for pair in ((fused, apart), (apart, fused)):
        found, _ = parity(*pair)
        assert found.verdict == "holds"
