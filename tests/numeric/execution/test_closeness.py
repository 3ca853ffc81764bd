"""Differences of arrays: equal infinities and NaN in both count as equal beside finite numbers."""

from __future__ import annotations

import numpy as np
import pytest

from modeldocs.numeric.execution.closeness import distance, output_distance


@pytest.mark.parametrize("shape", [(2,), (2, 3)])
@pytest.mark.parametrize("number", [np.nan, np.inf, -np.inf])
def test_what_is_not_finite_in_both_is_equal(shape, number):
    one, other = (np.full(shape, number, np.float32) for _ in "ab")
    other = np.where(np.isnan(other), np.float32(-np.nan), other)
    one.flat[0] = other.flat[0] = 1.0
    assert distance(one, other).small


@pytest.mark.parametrize("shape", [(), (1,), (2, 3)])
def test_nothing_but_nan_in_both_shows_nothing(shape):
    one = np.full(shape, np.nan, np.float32)
    assert distance(one, one).shows_nothing
    assert not distance(one, one).small
    assert not distance(one, np.ones(shape, np.float32)).shows_nothing


@pytest.mark.parametrize("shape", [(0, 8), (2, 0), (0, 0, 3)])
def test_empty_outputs_are_equal(shape):
    empty = np.zeros(shape, np.float32)
    assert output_distance(empty, empty).small
