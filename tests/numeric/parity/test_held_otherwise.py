"""Weights that one network holds otherwise: normalized, copied, or once for several layers."""

from __future__ import annotations

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
