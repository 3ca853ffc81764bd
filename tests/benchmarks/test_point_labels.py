"""Labels of points: whatever the points are, none covers another, a point, or leaves the frame."""

from __future__ import annotations

import itertools

from hypothesis import given
from hypothesis import strategies as st

from modeldocs.benchmarks.point_labels import RADIUS, LabelledPoint, Rectangle, places, spread

WIDTH, HEIGHT = 860.0, 300.0

POINTS = st.lists(
    st.builds(
        LabelledPoint,
        x=st.floats(RADIUS, WIDTH - RADIUS),
        y=st.floats(RADIUS, HEIGHT - RADIUS),
        label=st.text("aX 0", min_size=1, max_size=30),
    ),
    max_size=20,
)


@given(POINTS)
def test_no_label_covers_another_or_a_point_or_leaves_the_frame(points):
    dots = spread(points, WIDTH)
    labels = [place.box() for place in places(dots, WIDTH, HEIGHT)]
    marks = [Rectangle(x - 4, y - 4, x + 4, y + 4) for x, y, _ in dots]
    assert not any(one.meets(other) for one, other in itertools.combinations(labels, 2))
    assert not any(label.meets(mark) for label in labels for mark in marks)
    assert all(one.left >= 0 and one.right <= WIDTH for one in labels)
    assert all(one.top >= 0 and one.bottom <= HEIGHT for one in labels)


@given(POINTS)
def test_no_point_lies_on_another_and_none_moves_up_or_down(points):
    dots = spread(points, WIDTH)
    assert [(dot.y, dot.label) for dot in dots] == [(point.y, point.label) for point in points]
    for one, other in itertools.combinations(dots, 2):
        assert abs(one.x - other.x) >= 2 * RADIUS - 1e-6 or abs(one.y - other.y) >= 2 * RADIUS


def test_a_label_stands_beside_its_point_where_there_is_room():
    [label] = places([LabelledPoint(100.0, 50.0, "GTX 1080")], WIDTH, HEIGHT)
    assert (label.align, label.y, 0 < label.x - 100 < 15) == ("left", 50.0, True)


def test_a_label_at_the_right_end_stands_left_of_its_point():
    [label] = places([LabelledPoint(WIDTH - 10, 50.0, "GTX 1080")], WIDTH, HEIGHT)
    assert (label.align, 0 < WIDTH - 10 - label.x < 15) == ("right", True)


def test_more_points_than_there_is_room_for_stay_where_they_are():
    points = [LabelledPoint(430.0, 50.0, "x")] * 200
    assert len(spread(points, WIDTH)) == 200
