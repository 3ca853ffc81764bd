"""Sequences aligned: the best path of all, in one table or a stretch at a time."""

from itertools import combinations, pairwise

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from modeldocs.diff.alignment.best_path import Stretch, Table, best_path

TABLES = arrays(
    np.float32,
    st.tuples(st.integers(1, 5), st.integers(1, 5)),
    elements=st.integers(0, 9).map(float),
)


def worth(table: Table, path: list[tuple[int, int]]) -> float:
    """What a path is worth: its pairs, and 3 for each right behind another on both sides."""
    following = sum((x + 1, y + 1) == behind for (x, y), behind in pairwise(path))
    return sum(float(table[pair]) for pair in path) + 3 * following


def best(table: Table) -> float:
    """The most that any path is worth, of all that there are."""
    rows, columns = table.shape
    paths = (
        [(x, y) for x, y in zip(some, others, strict=True) if table[x, y] > 0]
        for count in range(min(rows, columns) + 1)
        for some in combinations(range(rows), count)
        for others in combinations(range(columns), count)
    )
    return max(worth(table, path) for path in paths)


@given(TABLES)
def test_no_path_is_worth_more(table):
    path = best_path([Stretch(0, table)])
    assert path == sorted(path)
    assert all(table[pair] > 0 for pair in path)
    assert worth(table, path) == best(table)


@given(TABLES, st.integers(1, 3))
def test_rows_may_come_in_stretches(table, rows):
    stretches = [Stretch(0, table[start : start + rows]) for start in range(0, len(table), rows)]
    assert worth(table, best_path(stretches)) == best(table)


def test_a_stretch_has_the_columns_near_its_rows():
    size, rows, around = 60, 10, 12
    table = np.zeros((size, size + 5), np.float32)
    for x in range(size):
        table[x, x + 5 * (x >= 30)] = 1  # five columns more from the middle on
    stretches = [
        Stretch(low := max(start - around, 0), table[start : start + rows, low : start + 30])
        for start in range(0, size, rows)
    ]
    assert best_path(stretches) == [(x, x + 5 * (x >= 30)) for x in range(size)]
