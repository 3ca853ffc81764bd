"""Lines of a port that make layers and operations, recorded while it runs."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator
from typing import Any

from modeldocs.loaders import callables
from modeldocs.loaders.keras import framework

_LINE = "_modeldocs_line"


def of(operation: Any) -> tuple[str, int] | None:
    """File and line that made an operation, if they are the port's own."""
    place: tuple[str, int] | None = vars(operation).get(_LINE)
    return place


@contextlib.contextmanager
def recorded(own: callables.OwnFiles) -> Iterator[None]:
    """Record the lines of what is made in this block."""
    operation_class = framework.imported().Operation
    original = operation_class.__init__

    def init(operation: Any, *args: Any, **kwargs: Any) -> None:
        original(operation, *args, **kwargs)
        place = _own_frame(own, operation)
        if place is not None:
            vars(operation).setdefault(_LINE, place)

    operation_class.__init__ = init
    try:
        yield
    finally:
        operation_class.__init__ = original


def _own_frame(own: callables.OwnFiles, operation: Any) -> tuple[str, int] | None:
    """The innermost frame of the port's own files that is not the operation's own code."""
    frame = sys._getframe(2)
    while frame is not None:
        if frame.f_code.co_filename in own and frame.f_locals.get("self") is not operation:
            return frame.f_code.co_filename, frame.f_lineno
        frame = frame.f_back  # type: ignore[assignment]
    return None
