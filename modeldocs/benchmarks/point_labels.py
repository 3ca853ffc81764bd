"""Places for the labels of a chart's points: none covers another, a point, or leaves the frame."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, Literal, NamedTuple

SIZE: Final = 11
"""Size of the font in pixels."""

LETTER: Final = 0.62
"""Width of a letter by the size of the font, in the widest of the common sans-serif fonts."""

RADIUS: Final = 6.0
"""Pixels around the centre of a point that no label covers."""

_GAP: Final = 4.0
_LINE: Final = SIZE + 3.0


Align = Literal["left", "center", "right"]
_BESIDE: Final[tuple[tuple[Align, float], ...]] = (
    ("left", RADIUS + _GAP),
    ("right", -RADIUS - _GAP),
    ("center", 0.0),
)
"""How a label is aligned, and where it then begins, ends or has its middle, from its point."""


class LabelledPoint(NamedTuple):
    """A point at x pixels from the left and y from the top of the frame, and its label."""

    x: float
    y: float
    label: str


class LabelPosition(NamedTuple):
    """Where a label stands: `y` is its middle, `x` where it begins, ends or has its middle."""

    x: float
    y: float
    label: str
    align: Align

    def box(self) -> Rectangle:
        """What it covers."""
        wide = len(self.label) * LETTER * SIZE
        left = self.x - wide * {"left": 0.0, "center": 0.5, "right": 1.0}[self.align]
        return Rectangle(left, self.y - _LINE / 2, left + wide, self.y + _LINE / 2)


class Rectangle(NamedTuple):
    """A rectangle, in pixels from the left and the top."""

    left: float
    top: float
    right: float
    bottom: float

    def meets(self, other: Rectangle) -> bool:
        """Whether the two share any place."""
        across = self.left < other.right and other.left < self.right
        return across and self.top < other.bottom and other.top < self.bottom


def spread(points: Sequence[LabelledPoint], width: float) -> list[LabelledPoint]:
    """The points, with those that would lie on another moved beside it, while there is room."""
    placed: list[LabelledPoint] = []
    steps = sorted(
        range(-int(width // RADIUS), int(width // RADIUS) + 1), key=lambda n: (abs(n), -n)
    )
    for point in points:
        beside = (point.x + 2 * RADIUS * step for step in steps)
        inside = (x for x in beside if RADIUS <= x <= width - RADIUS)
        free = (x for x in inside if not any(_touch(x, point.y, other) for other in placed))
        placed.append(point._replace(x=next(free, point.x)))
    return placed


def _touch(x: float, y: float, other: LabelledPoint) -> bool:
    return abs(x - other.x) < 2 * RADIUS and abs(y - other.y) < 2 * RADIUS


def places(points: Sequence[LabelledPoint], width: float, height: float) -> list[LabelPosition]:
    """Where each label stands, in the order of the points.

    A label stands as near to its point as there is room: right or left of it, above, below. Where
    there is none in the whole frame it stands at the right of its point.
    """
    taken = [Rectangle(x - RADIUS, y - RADIUS, x + RADIUS, y + RADIUS) for x, y, _ in points]
    found = []
    for point in points:
        candidates = list(_candidates(point, width, height))
        free = (one for one in candidates if not any(one.box().meets(box) for box in taken))
        place = next(free, candidates[0])
        taken.append(place.box())
        found.append(place)
    return found


def _candidates(point: LabelledPoint, width: float, height: float) -> Iterator[LabelPosition]:
    """Places for a point's label inside the frame, the nearest first."""
    most = int(height // _LINE)
    every = [
        LabelPosition(point.x + beside, point.y + row * _LINE, point.label, align)
        for row in sorted(range(-most, most + 1), key=abs)
        for align, beside in _BESIDE
    ]
    inside = [one for one in every if _is_inside(one.box(), width, height)]
    yield from inside or every[:1]


def _is_inside(box: Rectangle, width: float, height: float) -> bool:
    return box.left >= 0 and box.right <= width and box.top >= 0 and box.bottom <= height
