"""Flags of training that act at inference: random layers and statistics of the batch."""

from __future__ import annotations

import re

import numpy as np
import onnx_ir as ir
import pytest

from modeldocs import normal
from modeldocs.diff import compare
from modeldocs.loaders.onnx import weights
from modeldocs.numeric.parity.programs import programs
from modeldocs.numeric.parity.run import compare_networks

from ..onnxes import parse

TEXT = (
    "net (float[2,3,4,5] x) => (float[2,3,4,5] y) "
    "{{ r = Conv (x, w) {} z = Relu (d) y = Conv (z, u) }}"
)
GIVEN = {
    "w": (3, 3, 1, 1), "u": (3, 3, 1, 1), "p": np.array(0.5, np.float32), "on": np.array(True),
    "off": np.array(False), **dict.fromkeys("sbmv", (3,)),
}  # fmt: skip
DROPS, PASSES = "d = Dropout (r, p, on)", "d = Dropout (r, p, off)"
BATCH = "d, i, j = BatchNormalization <training_mode = 1> (r, s, b, m, v)"
RUNNING = "d = BatchNormalization (r, s, b, m, v)"


def model(body):
    text = TEXT.format(body)
    used = {name: GIVEN[name] for name in GIVEN if re.search(rf"[ (]{name}[,)]", text)}
    made = ir.from_proto(parse(text, 15, **used))
    weights.mark_parameters(made)
    normal.apply(made)
    return made


def diff(one, other):
    return compare(*(normal.read(model(body)) for body in (one, other)))


def parity(one, other):
    return compare_networks(*programs(model(one), model(other)), diff(one, other))


@pytest.mark.parametrize(("acting", "idle"), [(DROPS, PASSES), (BATCH, RUNNING)])
@pytest.mark.parametrize("turned", [False, True])
def test_a_flag_that_acts_is_one_difference_that_computes(acting, idle, turned):
    pair = (idle, acting) if turned else (acting, idle)
    found = diff(*pair).changes
    (change,) = found
    assert (change.kind, change.attribute, change.consequence) == (
        "attribute", "training_mode", "computes",
    )  # fmt: skip
    assert (change.before, change.after) == ((0, 1) if turned else (1, 0))


def test_rates_of_layers_that_drop_compute_something():
    found = diff(DROPS, "q = Constant <value = float {0.25}> () d = Dropout (r, q, on)")
    assert [(c.attribute, c.consequence) for c in found.changes] == [("ratio", "computes")]


def test_an_idle_dropout_is_spelling():
    assert diff(PASSES, "d = Identity (r)").verdict == "equivalent"


def test_an_acting_dropout_is_not():
    assert diff(DROPS, "d = Identity (r)").verdict == "different"


def test_a_random_layer_is_never_compared_by_a_draw():
    found = parity(DROPS, DROPS)
    assert any("random" in one.reason or "Dropout" in one.reason for one in found.uncompared)
    assert found.compared == 3


def test_statistics_of_the_batch_run():
    assert parity(BATCH, BATCH).verdict == "holds"
    assert parity(BATCH, RUNNING).verdict == "diverges"


def test_a_mode_that_is_an_input_may_drop():
    text = (
        "net (float[2,3] x, bool mode) => (float[2,3] y) { r = Relu (x) d = Dropout (r, p, mode) "
        "y = Sigmoid (d) }"
    )
    made = ir.from_proto(parse(text, 15, p=GIVEN["p"]))
    graph = normal.normalise(made)
    without = normal.normalise(
        ir.from_proto(
            parse("net (float[2,3] x) => (float[2,3] y) { r = Relu (x) y = Sigmoid (r) }")
        )
    )
    assert compare(graph, without).verdict == "different"
