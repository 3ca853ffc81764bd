"""Parts of the phrase that tells a change in a few words."""

from __future__ import annotations

from typing import Any, Final

from modeldocs.diff.diff import Change
from modeldocs.diff.reporting.phrases import summed

_LONGEST: Final = 2
"""Operators of a block, or of layers in the place of others, that are named."""


def where(change: Change) -> str:
    """The layers of a change: `in MaxPool`, `in 9 Conv`."""
    count = len(change.pairs)
    number = f"{count:,} " if count > 1 else ""
    return f"in {number}{change.operator or ('layers' if count > 1 else 'a layer')}"


def times(change: Change) -> str:
    """The number of pairs; empty for one."""
    return f" × {len(change.pairs):,}" if len(change.pairs) > 1 else ""


def replaced(change: Change) -> str:
    """What B has in the place of what A has: `Tanh for Relu × 3`."""
    return f"{operators(change.after)} for {operators(change.before)}{times(change)}"


def operators(value: Any) -> str:
    """An operator, or the first of several in a row."""
    if not value:
        return "another layer"
    return summed(value, _LONGEST) if isinstance(value, list | tuple) else str(value)
