"""What layers make in another order of axes is compared in one order, and fed in each side's."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from modeldocs.diff.function.arrangement import KEPT, Arrangement
from modeldocs.numeric.parity import layout
from tests.numeric.parity import nets

SHAPE = (2, 4, 6, 8)
OURS = np.random.default_rng(0).standard_normal(SHAPE).astype(np.float32)


@given(st.permutations(range(4)))
def test_values_in_another_order_are_brought_into_as_one(axes):
    theirs = OURS.transpose(axes)
    order = Arrangement(SHAPE, tuple(axes)).simplified()
    found = layout.reordered(OURS, order, theirs.shape)
    assert found is not None
    assert (found == theirs).all()
    both = layout.comparable(OURS, theirs, None, order)
    assert both is not None
    assert (both[0] == both[1]).all()


def test_other_values_stay_other_ones_in_whatever_order():
    order = Arrangement(SHAPE, (0, 2, 1, 3))
    both = layout.comparable(OURS, OURS.transpose(0, 2, 1, 3) + 1, None, order)
    assert both is not None
    assert (both[0] != both[1]).all()


def test_an_order_of_other_sizes_fits_nothing():
    assert layout.reordered(OURS, Arrangement((3, 5), (1, 0)), SHAPE) is None
    assert layout.comparable(OURS, OURS[:1], None, Arrangement(SHAPE, (0, 2, 1, 3))) is None


def test_rows_and_columns_as_one_axis():
    flat = OURS.reshape(2, 24, 8)
    both = layout.comparable(OURS, flat, None, KEPT)
    assert both is not None
    assert (both[0] == both[1]).all()
    assert layout.fit(OURS, (2, 8, 24)) is None


@pytest.mark.parametrize("size", [4, 8])
def test_features_are_along_the_axis_that_an_operator_has_them_on(size):
    """A Conv of 1 and a dense layer with the channels last, with as many channels as rows, too."""
    a = """net (float[1,4,SIZE,SIZE] x) => (y) {
      r = Relu (x)
      c = Conv <kernel_shape = [1, 1]> (r, w)
      y = Transpose <perm = [0, 2, 3, 1]> (c) }"""
    b = """net (float[1,4,SIZE,SIZE] x) => (y) {
      r = Relu (x)
      t = Transpose <perm = [0, 2, 3, 1]> (r)
      y = MatMul (t, w) }"""
    ports = [
        nets.loaded(text.replace("SIZE", str(size)), w=shape)
        for text, shape in ((a, (4, 4, 1, 1)), (b, (4, 4)))
    ]
    result, _ = nets.parity(*ports)
    assert result.verdict == "holds" and not result.uncompared
