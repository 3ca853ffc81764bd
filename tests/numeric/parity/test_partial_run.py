"""What two networks compute alike is run once, and is what each would have computed."""

from __future__ import annotations

import numpy as np
import pytest

from modeldocs.numeric.execution import value_numbers
from modeldocs.numeric.execution.runtime import ModelRunner
from modeldocs.numeric.execution.value_numbers import KnownValues
from modeldocs.numeric.parity.partial_run import PartialRun, run_both
from tests.numeric.parity import nets

NET = """net (float[1,3,8,8] x) => (float[1,4] y) {
  a = Conv <kernel_shape=[3,3]> (x, w)
  b = Relu (a)
  c = MaxPool <kernel_shape=[2,2]> (b)
  d = GlobalAveragePool (c)
  y = Flatten (d)
}"""
REFUSED = "i = Cast <to=7> (b)\n  j = Relu (i)\n  c = Cast <to=1> (j)"
"""onnxruntime has no Relu of int64."""
SHAPES = {"x": (1, 3, 8, 8), "w": (4, 3, 3, 3)}
VALUES = list("abcdy")


def network(known: KnownValues, text: str = NET) -> PartialRun:
    draw = np.random.default_rng(0)
    feeds = {name: draw.normal(size=shape).astype(np.float32) for name, shape in SHAPES.items()}
    return PartialRun(ModelRunner(nets.loaded(text, w=SHAPES["w"])), feeds, known)


@pytest.mark.parametrize(
    "other",
    [
        NET,
        NET.replace("MaxPool", "AveragePool"),
        NET.replace("Relu", "Sigmoid"),
        NET.replace("kernel_shape=[3,3]", "kernel_shape=[3,3], pads=[1,1,1,1]"),
        NET.replace("c = MaxPool", "c = own.Strange"),
        NET.replace("c = MaxPool <kernel_shape=[2,2]> (b)", REFUSED),
    ],
)
def test_both_have_the_values_of_runs_of_their_own(other):
    known = KnownValues()
    ours, theirs, alone = network(known), network(known, other), network(KnownValues(), other)
    values, others = run_both(ours, theirs, VALUES, VALUES)
    expected = alone.run(VALUES)
    assert list(values) == VALUES and set(others) == set(expected)
    assert all(others[name].tobytes() == expected[name].tobytes() for name in expected)
    assert theirs.refused == alone.refused
    assert ("d" in theirs.refused) == ("Strange" in other or "Cast" in other)


def test_what_is_alike_is_not_run_again(monkeypatch):
    known = KnownValues()
    ours, theirs = network(known), network(known, NET.replace("MaxPool", "AveragePool"))
    asked = []
    run = ModelRunner.run
    monkeypatch.setattr(
        ModelRunner,
        "run",
        lambda self, feeds, names, *more: asked.append(names) or run(self, feeds, names, *more),
    )
    run_both(ours, theirs, VALUES, VALUES)
    assert asked == [VALUES, ["c", "d", "y"]]
    asked.clear()
    run_both(theirs, ours, VALUES, VALUES)
    assert asked == [[], []]


def test_large_values_are_forgotten_after_both_have_run(monkeypatch):
    monkeypatch.setattr(value_numbers, "_MAX_BYTES", 1)
    known = KnownValues()
    both = network(known), network(known)
    first, second = run_both(*both, VALUES, VALUES)
    assert all(first[name] is second[name] for name in VALUES)
    again, _ = run_both(*both, VALUES, VALUES)
    assert not any(first[name] is again[name] for name in VALUES)
    assert all(first[name].tobytes() == again[name].tobytes() for name in VALUES)
