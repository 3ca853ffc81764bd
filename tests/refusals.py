"""What becomes of broken input: it loads, or is refused in one sentence."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from modeldocs.errors import ModeldocsError

T = TypeVar("T")


def load_or_refuse(load: Callable[[], T], file: str | None = None) -> T | ModeldocsError:
    """What `load` returns, or the error that it raises: one short line, about `file` if given."""
    try:
        return load()
    except ModeldocsError as error:
        refusal = error
    assert 0 < len(refusal.reason) < 1500 and "\n" not in refusal.reason
    assert file is None or refusal.file == file
    return refusal
