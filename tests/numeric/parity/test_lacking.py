"""What one network has and the other lacks: weights that make up for it, and layers left out."""

from __future__ import annotations

import pytest

from modeldocs import diff
from tests.numeric.parity.nets import loaded, parity

WORDS = """net (int64[1,6] x) => (y) {
  e = Gather (w, x)
  s = Add (e, p)
  y = MatMul (s, m)
}"""
TYPED = WORDS.replace(
    "s = Add (e, p)",
    "z = Constant <value_ints = [0, 0, 0, 0, 0, 0]> ()  t = Gather (v, z)"
    "  r = Add (e, t)  s = Add (r, p)",
)
TABLES = {"w": (20, 8), "p": (6, 8), "m": (8, 5)}

SHARED = """net (float[1,6,8] x) => (y) {
  z = Constant <value_ints = [0, 1, 2, 3, 2, 1]> ()
  t = Gather (v, z)
  a = Add (x, t)
  b = Relu (a)
  c = MatMul (b, m)
  d = Add (c, t)
  y = Tanh (d)
}"""
APART = SHARED.replace("a = Add (x, t)", "u = Gather (o, z)  a = Add (x, u)")

SQUARE = """net (float[1,6,8] x) => (y) {
  a = MatMul (x, m)
  b = MatMul (x, n)
  c = Sub (a, b)
  d = Mul (c, c)
  y = MatMul (d, o)
}"""
EXPANDED = """net (float[1,6,8] x) => (y) {
  a = MatMul (x, m)
  b = MatMul (x, n)
  t = Tanh (a)
  p = Mul (t, t)
  q = Mul (t, b)
  e = Add (q, q)
  r = Mul (b, b)
  s = Add (p, r)
  d = Sub (s, e)
  y = MatMul (d, o)
}"""
MATRICES = dict.fromkeys("mno", (8, 8))


def settled(a, b):
    result, structure = parity(a, b)
    return result, diff.settle(structure, result).changes


def grave(changes):
    return [(one.consequence, one.title) for one in changes if one.consequence != "spelling"]


def test_a_table_that_only_b_has_is_of_zeros():
    result, changes = settled(loaded(WORDS, **TABLES), loaded(TYPED, **TABLES, v=(2, 8)))
    assert result.verdict == "one way" and result.a_to_b.verdict == "holds"
    assert "v" in result.a_to_b.weights.invented
    assert [consequence for consequence, _ in grave(changes)] == ["parameters"]


def test_a_table_that_a_lacks_place_for_makes_other_numbers():
    """B is asked to take over A's weights: the table of types is lost."""
    result, changes = settled(loaded(TYPED, **TABLES, v=(2, 8)), loaded(WORDS, **TABLES))
    assert result.verdict == "one way" and result.b_to_a.verdict == "holds"
    assert "computes" in [consequence for consequence, _ in grave(changes)]


def test_a_table_that_a_holds_once_and_b_twice_is_copied():
    weights = {"v": (4, 8), "m": (8, 8)}
    result, _ = settled(loaded(SHARED, **weights), loaded(APART, **weights, o=(4, 8)))
    assert result.a_to_b.verdict == "holds" and not result.a_to_b.weights.unset
    mapped = {one.target: one.sources for one in result.a_to_b.weights.mapped}
    assert tuple(mapped["o"]) == tuple(mapped["v"]) == ("v",)


def test_a_weight_that_nothing_gives_is_no_other_one_of_its_name():
    """Both draw `o` by its name: B's must not be equal to A's by that alone."""
    other = "net (float[1,6,8] x) => (y) { a = MatMul (x, o)  b = Relu (a)  y = MatMul (b, m) }"
    more = """net (float[1,6,8] x) => (y) {
      a = MatMul (x, m)  b = Relu (a)  c = MatMul (b, o)  d = Sigmoid (c)  y = Mul (b, d) }"""
    result, _ = settled(loaded(other, m=(8, 8), o=(8, 8)), loaded(more, m=(8, 8), o=(8, 8)))
    assert result.verdict == "diverges"


@pytest.mark.parametrize("swapped", [False, True])
def test_what_differs_is_the_layer_without_which_both_are_equal(swapped):
    """A square of a difference and its expansion are equal; one of them takes a Tanh first."""
    ports = [loaded(text, **MATRICES) for text in (SQUARE, EXPANDED)]
    result, changes = settled(*(reversed(ports) if swapped else ports))
    assert result.verdict == "diverges"
    assert grave(changes) == [
        ("computes", f"Tanh after node_Gemm_0 only in {'A' if swapped else 'B'}")
    ]
