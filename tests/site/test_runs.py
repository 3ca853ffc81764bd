"""Runs of equal rows: whatever is folded, opened again it is all rows in order."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st

from modeldocs.site.pair import runs
from modeldocs.site.pair.alignment import AlignmentRow
from modeldocs.site.pair.runs import CONTEXT, SHORTEST, Segment

rows = st.lists(st.booleans(), max_size=60).map(
    lambda differing: [
        AlignmentRow(a=(), b=(), sign="differs" if one else "equal") for one in differing
    ]
)
limits = st.integers(0, 20)


def unfolded(segments: Sequence[Segment]) -> list[AlignmentRow]:
    return [row for segment in segments for row in segment.rows]


@given(rows, limits)
def test_opened_again_all_rows_are_there_in_order(table: list[AlignmentRow], most: int) -> None:
    for segments in (runs.segments(table), runs.abridged(table, most)):
        assert [id(row) for row in unfolded(segments)] == [id(row) for row in table]
        position = 0
        for segment in segments:
            assert segment.start == position
            position += len(segment.rows)


@given(rows)
def test_only_equal_rows_far_from_any_difference_are_folded(table: list[AlignmentRow]) -> None:
    for segment in runs.segments(table):
        near = table[max(0, segment.start - CONTEXT) :][: len(segment.rows) + CONTEXT]
        if segment.start + len(segment.rows) < len(table):
            near += table[segment.start + len(segment.rows) :][:CONTEXT]
        if segment.folded:
            assert not any(row.differs for row in near)
            assert len(segment.rows) >= SHORTEST


@given(rows, limits)
def test_an_abridged_page_holds_no_more_than_its_limit(
    table: list[AlignmentRow], most: int
) -> None:
    held = [segment for segment in runs.abridged(table, most) if segment.on_page]
    assert len(unfolded(held)) <= most
    differing = sum(row.differs for row in table)
    assert sum(row.differs for row in unfolded(held)) == min(most, differing)


def test_a_run_is_named_by_what_is_in_it() -> None:
    table = [AlignmentRow(a=(), b=()) for _ in range(1200)]
    assert [one.noun for one in runs.segments(table)] == ["1,200 equal layers"]
    table[0] = AlignmentRow(a=(), b=(), sign="differs")
    assert runs.abridged(table, 0)[0].noun == "1,200 layers, 1 of which differs"
