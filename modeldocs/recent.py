"""Functions that remember their results for the last few objects, such as graphs."""

from __future__ import annotations

import functools
from collections import deque
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")
R = TypeVar("R")

KEPT = 4
"""Objects that a function remembers: the ports that a page and the one beside it show."""


def remembered(function: Callable[[T], R]) -> Callable[[T], R]:
    """The function, computed once for an object that several callers pass in turn.

    The object and the result are shared, so that nobody may change them.
    """
    recent: deque[tuple[T, R]] = deque(maxlen=KEPT)

    @functools.wraps(function)
    def remembering(one: T) -> R:
        for held, result in tuple(recent):
            if held is one:
                return result
        result = function(one)
        recent.appendleft((one, result))
        return result

    return remembering
