"""Sequences aligned: the best path of all, in one table or in bands of it."""

from itertools import combinations, pairwise

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from modeldocs.diff.alignment.sequences import ScoreBand, Table, best_path

TABLES = arrays(
    np.float32,
    st.tuples(st.integers(1, 5), st.integers(1, 5)),
    elements=st.integers(0, 9).map(float),
)


def score(table: Table, path: list[tuple[int, int]]) -> float:
    """The scores of the pairs of a path, and 3 for each that directly follows another."""
    following = sum((x + 1, y + 1) == behind for (x, y), behind in pairwise(path))
    return sum(float(table[pair]) for pair in path) + 3 * following


def best(table: Table) -> float:
    """The highest score of all paths that there are."""
    rows, columns = table.shape
    paths = (
        [(x, y) for x, y in zip(some, others, strict=True) if table[x, y] > 0]
        for count in range(min(rows, columns) + 1)
        for some in combinations(range(rows), count)
        for others in combinations(range(columns), count)
    )
    return max(score(table, path) for path in paths)


@given(TABLES)
def test_no_path_has_a_higher_score(table):
    path = best_path([ScoreBand(0, table)])
    assert path == sorted(path)
    assert all(table[pair] > 0 for pair in path)
    assert score(table, path) == best(table)


@given(TABLES, st.integers(1, 3))
def test_rows_may_come_in_bands(table, rows):
    bands = [ScoreBand(0, table[start : start + rows]) for start in range(0, len(table), rows)]
    assert score(table, best_path(bands)) == best(table)


def test_a_band_has_the_columns_near_its_rows():
    size, rows, around = 60, 10, 12
    table = np.zeros((size, size + 5), np.float32)
    for x in range(size):
        table[x, x + 5 * (x >= 30)] = 1  # five columns more from the middle on
    bands = [
        ScoreBand(low := max(start - around, 0), table[start : start + rows, low : start + 30])
        for start in range(0, size, rows)
    ]
    assert best_path(bands) == [(x, x + 5 * (x >= 30)) for x in range(size)]
