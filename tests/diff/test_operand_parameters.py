"""A parameter that one graph has in a layer, and the other in the layer that makes its operand."""

from __future__ import annotations

import pytest

from modeldocs import diff
from modeldocs.diff.reporting.kinds import KINDS
from modeldocs.normal import normalise
from tests.numeric.parity.nets import loaded

PLAIN = """net (float[1,6,8] x) => (y) {
  a = MatMul (x, w)
  b = Mul (a, p)
  c = Tanh (b)
  d = MatMul (c, v)
  y = Mul (d, q)
}"""
WEIGHTS = {"w": (8, 8), "v": (8, 8), "p": (8,), "q": (8,)}
EXPONENTIAL = PLAIN.replace("b = Mul (a, p)", "e = Exp (p)  b = Mul (a, e)").replace(
    "y = Mul (d, q)", "f = Exp (q)  y = Mul (d, f)"
)
TABLE = PLAIN.replace(
    "b = Mul (a, p)",
    "i = Constant <value_ints = [5, 1, 2, 3, 0, 4]> ()  e = Gather (t, i)  b = Mul (a, e)",
)


@pytest.fixture(scope="module")
def plain():
    return normalise(loaded(PLAIN, **WEIGHTS))


def changes(a, b) -> list[diff.Change]:
    return [one for one in diff.compare(a, b).changes if one.consequence != "spelling"]


def test_what_makes_the_operand_is_the_only_line(plain):
    other = normalise(loaded(EXPONENTIAL, **WEIGHTS))
    (line,) = changes(plain, other)
    assert line.title == "Exp × 2 only in B" and not line.parameter_delta
    assert line.text == "A has the parameters in the layers that read it, as they are."
    assert KINDS[line.kind].phrase(line) == "Exp × 2 more"
    (mirrored,) = changes(other, plain)
    assert mirrored.title == "Exp × 2 only in A"


def test_the_layers_that_read_it_say_so_in_their_rows(plain):
    other = normalise(loaded(EXPONENTIAL, **WEIGHTS))
    (line,) = changes(plain, other)
    multiplied = [one for one in plain.layers if one.operator == "Mul"]
    assert [pair[0] for pair in line.pairs if pair[0]] == [(one.id,) for one in multiplied]
    row = KINDS[line.kind].row(line, multiplied[:1], multiplied[:1])
    assert row == "reads a parameter through Exp in B"


def test_a_table_of_another_size_counts_what_it_has_more(plain):
    other = normalise(loaded(TABLE, **WEIGHTS, t=(6, 8)))
    (line,) = changes(plain, other)
    assert line.operator == "Gather" and line.parameter_delta == 6 * 8 - 8
