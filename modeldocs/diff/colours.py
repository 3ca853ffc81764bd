"""Colours of nodes: equal where their surroundings are, as far as a colour looks.

A colour is a number given out by a table that both graphs share. That is exact, and several
times as fast as hashing.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from modeldocs.diff.digests import Edge
from modeldocs.diff.labels import EXACT, NAMED, SHAPED, WEIGHTED
from modeldocs.diff.sides import Side

RADII: Final = {EXACT: 4, SHAPED: 4, WEIGHTED: 4, NAMED: 2}
"""Largest Weisfeiler-Lehman ball that is coloured at each level."""

_SHIFT: Final = 40


@dataclass(slots=True)
class Colours:
    """Colours of one side at one level.

    `forward` and `backward` look at everything read and fed; `balls[r]` r edges far.
    """

    forward: list[int]
    backward: list[int]
    balls: list[list[int]]


class Palette:
    """Gives equal keys equal numbers, across both sides of one comparison."""

    def __init__(self) -> None:
        self._numbers: dict[object, int] = {}

    def number(self, key: object) -> int:
        """The number of a key, a new one where it was not seen before."""
        return self._numbers.setdefault(key, len(self._numbers))

    def colours(self, side: Side, level: int) -> Colours:
        """Colours of all nodes of a side at a level of its labels."""
        own = [self.number((level, label[level])) for label in side.labels]
        size = len(own)
        forward = self._spread(own, side.sources, range(size), "read")
        backward = self._spread(own, side.users, range(size - 1, -1, -1), "feed")
        balls = [own]
        for _ in range(RADII[level]):
            balls.append(self._grown(balls[-1], side))
        return Colours(forward, backward, balls)

    def _spread(self, own: list[int], edges: list[list[Edge]], order: range, way: str) -> list[int]:
        done = list(own)
        for node in order:
            seen = sorted([(code << _SHIFT) + done[other] for code, other in edges[node]])
            done[node] = self.number((way, own[node], *seen))
        return done

    def _grown(self, ball: list[int], side: Side) -> list[int]:
        grown = []
        for node, colour in enumerate(ball):
            read = sorted([(code << _SHIFT) + ball[other] for code, other in side.sources[node]])
            fed = sorted([(code << _SHIFT) + ball[other] for code, other in side.users[node]])
            grown.append(self.number((colour, tuple(read), tuple(fed))))
        return grown
