"""Functions that remember their results for the last few objects, such as graphs."""

from __future__ import annotations

import functools
import operator
from collections import deque
from collections.abc import Callable
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
R = TypeVar("R")

KEPT = 4
"""Objects that a function remembers: the ports that a page and the one beside it show."""


def remembered(function: Callable[P, R]) -> Callable[P, R]:
    """The function, computed once for objects that several callers pass in turn, by position.

    The objects and the result are shared, so that nobody may change them.
    """
    recent: deque[tuple[tuple[object, ...], R]] = deque(maxlen=KEPT)

    @functools.wraps(function)
    def remembering(*given: P.args, **named: P.kwargs) -> R:
        for held, result in tuple(recent):
            if len(held) == len(given) and all(map(operator.is_, held, given)) and not named:
                return result
        result = function(*given, **named)
        if named:
            return result
        recent.appendleft((given, result))
        return result

    return remembering
