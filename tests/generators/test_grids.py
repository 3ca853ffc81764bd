"""Tables of integers that grow by a step along each axis are found, and others are not."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from modeldocs.generators.grids import Grid, grid_of


@given(
    st.lists(st.tuples(st.integers(1, 5), st.integers(-9, 9)), min_size=1, max_size=4),
    st.integers(-99, 99),
    st.data(),
)
def test_axes_that_are_several_in_one_are_found(
    axes: list[tuple[int, int]], first: int, data: st.DataObject
) -> None:
    sizes, steps = zip(*axes, strict=True)
    whole = Grid(sizes, steps, first).array()
    cut = data.draw(st.integers(0, len(sizes)))
    array = whole.reshape(int(np.prod(sizes[:cut])), int(np.prod(sizes[cut:])))
    found = grid_of(array)
    assert found is not None
    np.testing.assert_array_equal(found.array().reshape(array.shape), array)


def test_relative_positions_in_a_window_are_two_axes_each() -> None:
    places = np.stack(np.meshgrid(range(7), range(7), indexing="ij")).reshape(2, -1)
    between = places[:, :, None] - places[:, None, :] + 6
    assert grid_of(between[0] * 13 + between[1]) == Grid((7, 7, 7, 7), (13, 1, -13, -1), 84)


def test_a_table_that_grows_otherwise_is_none() -> None:
    assert grid_of(np.arange(16).reshape(4, 4) ** 2) is None
