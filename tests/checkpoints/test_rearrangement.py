"""How one array has the numbers of another in another order, and that nothing else is told so."""

from __future__ import annotations

import numpy as np
import pytest

from modeldocs.checkpoints.precision import Precision
from modeldocs.checkpoints.rearrangement import rearrangement

RANDOM = np.random.default_rng(3)
CLOSE = Precision([np.dtype(np.float32)]).close


def drawn(*shape: int) -> np.ndarray:
    return RANDOM.standard_normal(shape).astype(np.float32)


@pytest.mark.parametrize(
    ("array", "change", "text"),
    [
        (drawn(4, 4), lambda x: x.T, "transposed"),
        (
            drawn(8, 3, 5, 5),
            lambda x: x.transpose(0, 1, 3, 2),
            "transposed: axes 2 and 3 are exchanged",
        ),
        (drawn(3, 3, 3), lambda x: x.transpose(1, 2, 0), "transposed: axes in the order (1, 2, 0)"),
        (
            drawn(8, 4, 3, 3),
            lambda x: x[:, :, ::-1, ::-1],
            "in the opposite direction along axis 2 and 3",
        ),
        (
            drawn(12, 5),
            lambda x: x[np.r_[0:3, 6:9, 3:6, 9:12]],
            "its 4 blocks along axis 0 are in the order 0, 2, 1, 3",
        ),
        (drawn(50, 6), lambda x: RANDOM.permutation(x.reshape(-1)).reshape(x.shape), None),
    ],
)
def test_an_order_is_told(array, change, text):
    found = rearrangement(array, np.ascontiguousarray(change(array)), CLOSE)
    assert found is not None
    assert found.text == (text or "the same numbers in another order")


def test_other_numbers_are_in_no_order_of_these():
    array = drawn(6, 6)
    changed = array.T.copy()
    changed[2, 3] += 1e-3
    assert rearrangement(array, changed, CLOSE) is None
    assert rearrangement(array, drawn(6, 6), CLOSE) is None


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_rounding_is_no_difference_and_more_than_that_is(dtype):
    exact = RANDOM.standard_normal(1000)
    stored = exact.astype(dtype)
    precision = Precision([np.dtype(np.float64), np.dtype(dtype)])
    assert precision.measured(exact, stored).differing == 0
    stored[7] = np.nextafter(np.nextafter(np.nextafter(stored[7], dtype(9)), dtype(9)), dtype(9))
    assert precision.measured(exact, stored).differing == 1


def test_small_numbers_beside_large_ones_are_compared():
    ours = np.array([1000, 1e-3], np.float32)
    theirs = np.array([1000, 2e-3], np.float32)
    assert Precision([ours.dtype]).measured(ours, theirs).differing == 1
