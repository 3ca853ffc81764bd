"""Weights that follow from those of the other direction: expressions solved for what they read."""

from __future__ import annotations

import numpy as np
import pytest

from modeldocs.numeric.parity import inverse
from modeldocs.numeric.parity.evaluation import evaluate
from modeldocs.numeric.parity.expression import concatenate, number, read, sqrt

from . import nets
from .test_regions import grave, judged

Q, K, TABLE = read("q", (4, 6)), read("k", (2, 6)), read("table", (6, 4))


@pytest.mark.parametrize(
    "expressions",
    [
        {"w": Q.transpose(1, 0).reshape(3, 8)},
        {"w": (Q.flip([1]) - number(1.0)) * number(2.0)},
        {"w": Q.take([2, 0, 3, 1], 0)},
        {"w": concatenate([Q, K])},
        {"first": TABLE.slice(0, 0, 2), "rest": TABLE.slice(0, 2, 6).transpose(1, 0)},
    ],
    ids=["moved", "calculated", "rows in another order", "joined", "cut"],
)
def test_what_is_solved_gives_back_the_arrays_that_were_read(expressions):
    random = np.random.default_rng(0)
    arrays = {one.step.name: random.standard_normal(one.shape) for one in (Q, K, TABLE)}
    computed = {name: evaluate(one, arrays) for name, one in expressions.items()}
    values = {name: read(name, array.shape) for name, array in computed.items()}
    solved = inverse.solved(expressions, values)
    assert set(solved) == {name for one in expressions.values() for name in one.reads()}
    for name, expression in solved.items():
        np.testing.assert_allclose(evaluate(expression, computed), arrays[name])


@pytest.mark.parametrize(
    "expression",
    [Q + Q.flip([0]), sqrt(Q), Q.take([0, 0, 1, 2], 0), TABLE.slice(0, 1, 6), Q * number(0.0)],
    ids=["a sum", "a root", "a row twice", "one row missing", "times 0"],
)
def test_what_does_not_follow_wholly_is_left_out(expression):
    assert not inverse.solved({"w": expression}, {"w": read("w", expression.shape)})


def test_a_scale_that_one_port_keeps_less_one_is_carried_both_ways():
    """A norm without a scale, times 1 + g, and a norm with a scale."""
    stem = "net (float[2,3,8] x) => (float[2,3,8] y) { c = MatMul (x, w)"
    ours = f"""{stem} last = Constant <value = int64[1] {{-1}}> ()
    one = Constant <value_float = 1.0> ()
    tiny = Constant <value_float = 0.00001> ()  mean = ReduceMean (c, last)  d = Sub (c, mean)
    square = Mul (d, d)  var = ReduceMean (square, last)  more = Add (var, tiny)
    root = Sqrt (more)  n = Div (d, root)
    f = Add (g, one)  s = Mul (n, f)  y = MatMul (s, v) }}"""
    theirs = f"{stem} n = LayerNormalization (c, g)  y = MatMul (n, v) }}"
    both = [nets.loaded(text, w=(8, 8), v=(8, 8), g=(8,)) for text in (ours, theirs)]
    for pair in (both, both[::-1]):
        found, step = judged(*pair)
        (line,) = grave(found)
        assert (step, line) == ("held-differently", "parameters")
