"""What layers make in another order of axes is compared in one order, and fed in each side's."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from modeldocs.diff.function.arrangement import KEPT, Arrangement
from modeldocs.parity import layout

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
