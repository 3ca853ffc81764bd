"""Weights that structure has no place for, found by running the regions that have them."""

from __future__ import annotations

import numpy as np
import pytest

from modeldocs.numeric.parity.evaluation import evaluate
from modeldocs.numeric.parity.expression import read
from modeldocs.numeric.parity.regions import elementwise
from modeldocs.numeric.parity.regions.recognition import Recognition
from tests.numeric.parity.nets import loaded, parity

RANDOM = np.random.default_rng(0)


def _drawn(*shape):
    return RANDOM.normal(size=shape)


def _solved(run, shapes, weights):
    """The weights found for a region, given what it computes with those that are wanted."""
    return elementwise.solved(lambda one: run(one).reshape(-1), run(weights).reshape(-1), shapes)


def test_a_bias_and_a_scale_are_found_together():
    x = _drawn(7, 4)
    weights = {"scale": _drawn(4), "bias": _drawn(4)}
    found = _solved(
        lambda one: x * one["scale"] + one["bias"], dict.fromkeys(weights, (4,)), weights
    )
    for name, array in weights.items():
        np.testing.assert_allclose(found[name], array, rtol=1e-6)


def test_a_token_and_a_table_of_positions_are_found_one_after_the_other():
    x = _drawn(3, 4)
    weights = {"token": _drawn(1, 4), "table": _drawn(4, 4)}

    def run(one):
        return np.concatenate([one["token"], x]) + one["table"]

    found = _solved(run, {name: array.shape for name, array in weights.items()}, weights)
    np.testing.assert_allclose(run(found), run(weights), rtol=1e-6)


def test_rows_of_a_table_that_nothing_reads_are_zero():
    weights = {"table": _drawn(6, 4)}
    found = _solved(lambda one: one["table"][:3], {"table": (6, 4)}, weights)
    np.testing.assert_allclose(found["table"][:3], weights["table"][:3], rtol=1e-6)
    assert not found["table"][3:].any()


def test_a_matrix_that_outputs_sum_over_is_left_out():
    x = _drawn(5, 4)
    found = _solved(
        lambda one: x @ one["matrix"] + one["bias"],
        {"matrix": (4, 4), "bias": (4,)},
        {"matrix": np.zeros((4, 4)), "bias": np.ones(4)},
    )
    assert set(found) == {"bias"}


WEIGHTS = {"table": _drawn(6, 5), "token": _drawn(1, 5), "scale": _drawn(5)}
TABLE, TOKEN, SCALE = WEIGHTS.values()


@pytest.mark.parametrize(
    "array",
    [
        TABLE[2:],
        np.concatenate([TOKEN, TABLE]),
        np.concatenate([TABLE[1:3], np.zeros((2, 5)), TOKEN]),
        TABLE + TOKEN,
        SCALE * 0.25 + 1,
        np.zeros((2, 3)),
    ],
    ids=["rows", "joined", "padded", "a sum", "scaled and moved", "zeros"],
)
def test_an_array_is_recognised_by_its_numbers(array):
    sources = {name: read(name, one.shape) for name, one in WEIGHTS.items()}
    found = Recognition(WEIGHTS, sources).expression(array)
    np.testing.assert_allclose(evaluate(found, WEIGHTS), array, atol=1e-3)


def test_other_numbers_are_not_recognised():
    sources = {name: read(name, one.shape) for name, one in WEIGHTS.items()}
    assert Recognition(WEIGHTS, sources).expression(_drawn(6, 5)) is None


STEPS, WIDTH = 4, 6


def _embedding(positions, **weights):
    """Features with a table of positions, before a layer that reads them."""
    return loaded(
        f"""net (float[1,{STEPS},{WIDTH}] x) => (float[1,{STEPS},{WIDTH}] y) {{
          p = MatMul (x, first)
          {positions}
          y = MatMul (h, last)
        }}""",
        first=(WIDTH, WIDTH),
        last=(WIDTH, WIDTH),
        **weights,
    )


def test_a_table_with_a_token_before_it_is_the_two_that_a_holds_apart():
    ours = _embedding(
        "t = Add (p, table)\nh = Add (t, kind)", table=(STEPS, WIDTH), kind=(1, WIDTH)
    )
    theirs = _embedding("h = Add (p, table)", table=(1, STEPS, WIDTH))
    found, _ = parity(ours, theirs)
    assert found.a_to_b.returns == "same" and not found.a_to_b.divergences


def test_what_no_weight_explains_stays_different():
    ours = _embedding("t = Add (p, table)\nh = Sin (t)", table=(STEPS, WIDTH))
    theirs = _embedding("t = Add (p, table)\nh = Cos (t)", table=(STEPS, WIDTH))
    found, _ = parity(ours, theirs)
    assert found.verdict == "diverges"
