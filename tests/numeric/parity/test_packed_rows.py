"""Rows of packed weights, followed to the layers that read them."""

from __future__ import annotations

import numpy as np
import pytest

from tests.numeric.parity.nets import loaded, parity

GATED = """net (float[1,5,8] x) => (float[1,5,4] y) {
  p = MatMul (x, w)
  h = Add (p, t)
  PARTS
  g = Sigmoid (gate)
  y = Mul (g, value)
}"""
PARTS = {
    "halves": "gate, value = Split <axis=2, num_outputs=2> (h)",
    "crosswise": "value, gate = Split <axis=2, num_outputs=2> (h)",
    "alternating": """r = Reshape (h, pairs)
      u, v = Split <axis=3, num_outputs=2> (r)
      gate = Reshape (u, whole)
      value = Reshape (v, whole)""",
}
SHAPES = {"pairs": np.array([1, 5, 4, 2]), "whole": np.array([1, 5, 4])}


def net(parts: str):
    return loaded(GATED.replace("PARTS", PARTS[parts]), w=(8, 8), t=(8,), **SHAPES)


@pytest.mark.parametrize(
    ("parts", "text"),
    [("crosswise", "[w: 4:8 of axis 1; w: 0:4 of axis 1]"), ("alternating", "(2, 4) → (4, 2)")],
)
def test_rows_follow_what_reads_them(parts, text):
    result, _ = parity(net("halves"), net(parts))
    assert result.verdict == "holds" and result.outputs.relative < 1e-6
    mapped = {one.target: one for one in result.a_to_b.weights.mapped}
    assert mapped["w"].turned and mapped["t"].turned
    assert text in mapped["w"].text


def test_rows_that_are_read_in_the_same_order_stay():
    result, _ = parity(net("halves"), net("halves"))
    assert result.verdict == "holds" and not result.turned
    assert not result.a_to_b.weights.converted
