"""Whether one port can take over the weights of another."""

from __future__ import annotations

from typing import Final

from modeldocs.diff import Diff, Direction
from modeldocs.struct import Struct
from modeldocs.verdict.level import outcomes


class Takeover(Struct, frozen=True):
    """How a port takes over another one's weights: in a word and a sign, and what that means."""

    id: str
    sign: str
    word: str
    meaning: str


UNCHANGED: Final = Takeover(
    id="unchanged",
    sign="✓",
    word="as they are",
    meaning="each weight is copied unchanged, and the numbers are the same",
)
CONVERTED: Final = Takeover(
    id="converted",
    sign="⇄",
    word="converted",
    meaning="the numbers are the same after a conversion, such as another order of axes",
)
TURNED: Final = Takeover(
    id="turned",
    sign="↻",
    word="by hand",
    meaning="the numbers are the same, but a kernel must be turned, or rows put in another order, "
    "which tools do not do",
)
NO: Final = Takeover(
    id="no",
    sign="✗",
    word="no",
    meaning="with these weights it gives other numbers, or has no place for some",
)
UNKNOWN: Final = Takeover(
    id="unknown",
    sign="–",
    word="unknown",
    meaning="the two were not run with the same weights, or their outputs cannot be compared",
)

TAKEOVERS: Final = (UNCHANGED, CONVERTED, TURNED, NO, UNKNOWN)
"""All of them, the easiest first."""


def takeovers(diff: Diff, of_head: frozenset[int]) -> tuple[Takeover, Takeover]:
    """Whether B can take over A's weights, and A those of B.

    `of_head` are the numbers of the changes of the output head, which needs no weights.
    """
    found = outcomes(diff, of_head)
    if diff.parity is None:
        return UNKNOWN, UNKNOWN
    ahead, back = diff.parity.directions
    return _takeover(ahead, found[0]), _takeover(back, found[1])


def _takeover(direction: Direction, outcome: str) -> Takeover:
    if outcome != "same":
        return NO if outcome == "apart" else UNKNOWN
    if direction.weights.turned:
        return TURNED
    return CONVERTED if direction.weights.converted else UNCHANGED
