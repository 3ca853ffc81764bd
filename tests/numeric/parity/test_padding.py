"""Networks that differ where an input has the integer that marks padding."""

from __future__ import annotations

from modeldocs import diff, verdict
from modeldocs.normal import normalise
from tests.numeric.parity.nets import loaded, parity

COUNTED = """net (int64[1,6] x) => (y) {
  one = Constant <value_int = 1> ()   axis = Constant <value_int = 1> ()
  p = Equal (x, one)   n = Not (p)   i = Cast <to = 7> (n)
  c = CumSum (i, axis)   q = Mul (c, i)   r = Add (q, one)
  e = Gather (w, x)   t = Gather (v, r)
  s = Add (e, t)   y = MatMul (s, m)
}"""
FIXED = "net (int64[1,6] x) => (y) { e = Gather (w, x)  s = Add (e, v)  y = MatMul (s, m) }"
TABLES = {"w": (20, 8), "m": (8, 5)}


def compared(b, **given):
    a, b = loaded(COUNTED, v=(8, 8), **TABLES), loaded(b, **given)
    found, structure = parity(a, b)
    settled = diff.settle(structure, found)
    graphs = normalise(a.clone()), normalise(b.clone())
    return settled, verdict.step(settled, graphs)


def test_positions_that_are_counted_over_words_are_fixed_ones_but_for_padding():
    settled, level = compared(FIXED, v=(6, 8), **TABLES)
    assert level == verdict.UP_TO_PADDING
    assert settled.parity.marks == (1,)
    lines = [one for one in settled.changes if one.consequence == "computes"]
    assert lines and all("has 1" in one.text for one in lines)


def test_what_differs_for_other_words_as_well_is_different():
    _, level = compared(FIXED.replace("Add (e, v)", "Mul (e, v)"), v=(6, 8), **TABLES)
    assert level == verdict.DIFFERENT_RESULTS
