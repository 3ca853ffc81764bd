"""Two values have one number only where they are equal to the last bit."""

from __future__ import annotations

import math

import numpy as np
import onnx_ir as ir
import pytest
from hypothesis import given
from hypothesis import strategies as st

from modeldocs.numeric.execution.runtime import ModelRunner
from modeldocs.numeric.execution.value_numbers import ValueNumbers
from tests import onnxes

NET = """net (float[1,2,6,6] x) => (float[1,2,6,6] y) {
  a = Conv <kernel_shape=[3,3], pads=[1,1,1,1]> (x, w)
  b = Relu (a)
  c = Mul (b, k)
  y = Add (c, x)
}"""
OTHER_NAMES = """net (float[1,2,6,6] image) => (float[1,2,6,6] end) {
  one = Conv <pads=[1,1,1,1], kernel_shape=[3,3]> (image, kernel)
  two = Relu (one)
  three = Mul (two, half)
  end = Add (three, image)
}"""
RENAMED = {"x": "image", "w": "kernel", "a": "one", "b": "two", "c": "three", "y": "end"}
W = np.arange(36, dtype=np.float32).reshape(2, 2, 3, 3) - 18
X = np.linspace(-1, 1, 72, dtype=np.float32).reshape(1, 2, 6, 6)
FEEDS = {"x": X, "w": W, "image": X.copy(), "kernel": W.copy()}


def runner(text: str, **weights: object) -> ModelRunner:
    return ModelRunner(ir.from_proto(onnxes.parse(text, **weights)))


def first(**weights: object) -> ModelRunner:
    return runner(NET, **{"w": W, "k": np.float32(0.5), **weights})


def second(text: str = OTHER_NAMES, **weights: object) -> ModelRunner:
    return runner(text, **{"kernel": W, "half": np.float32(0.5), **weights})


def shared(
    ours: ModelRunner, theirs: ModelRunner, feeds: dict[str, np.ndarray] = FEEDS
) -> set[str]:
    """The values of the second that have the number of one of the first."""
    numbers = ValueNumbers()
    found = set(numbers.of(ours, feeds).values())
    return {name for name, number in numbers.of(theirs, feeds).items() if number in found}


def test_the_same_operations_under_other_names_have_the_same_numbers():
    assert shared(first(), second()) == {"one", "two", "three", "end"}


@pytest.mark.parametrize(
    ("change", "alike"),
    [
        (("pads=[1,1,1,1]", "pads=[2,2,0,0]"), set()),
        (("Relu (one)", "LeakyRelu (one)"), {"one"}),
        (("Mul (two, half)", "Mul (half, two)"), {"one", "two"}),
        (("Add (three, image)", "Add (three, two)"), {"one", "two", "three"}),
    ],
)
def test_what_another_operation_leads_to_has_other_numbers(change, alike):
    assert shared(first(), second(OTHER_NAMES.replace(*change))) == alike


def test_one_bit_of_a_weight_tells_its_readers_apart():
    kernel = W.copy()
    kernel[1, 1, 2, 2] = np.nextafter(kernel[1, 1, 2, 2], np.float32(100))
    assert shared(first(), second(), FEEDS | {"kernel": kernel}) == set()
    zero = W * np.float32(0)
    assert (zero == -zero).all()
    assert shared(first(), second(), FEEDS | {"w": zero, "kernel": -zero}) == set()


def test_a_constant_is_another_value_than_an_equal_input():
    assert shared(first(), second(), FEEDS | {"half": np.float32(0.5)}) == {"one", "two"}


def test_random_numbers_are_drawn_again():
    text = "net (float[2] x) => (float[2] y) { n = RandomNormalLike (x)\n y = Add (x, n) }"
    assert shared(runner(text), runner(text)) == set()


def test_an_unreadable_weight_is_no_reason_to_stop():
    model = onnxes.parse(NET, w=W, k=np.float32(0.5))
    model.graph.initializer[0].ClearField("raw_data")
    without = {name: array for name, array in FEEDS.items() if name != "w"}
    assert shared(ModelRunner(ir.from_proto(model)), second(), without) == set()


@given(st.sets(st.sampled_from(sorted(RENAMED))), st.floats(-2, 2, width=32))
def test_a_run_goes_on_from_values_that_are_known(known, factor):
    ours, theirs = first(k=np.float32(factor)), second(half=np.float32(factor))
    values = ours.run(FEEDS, list("abcy"))
    computed = {RENAMED[name]: values[name] for name in known if name in values}
    expected = theirs.run(FEEDS, ["one", "end"])
    left = [name for name in ("one", "end") if name not in computed]
    found = theirs.run(FEEDS, left, computed)
    assert all(found[name].tobytes() == expected[name].tobytes() for name in left)
    assert not any(math.isnan(value) for value in expected["end"].flat)
