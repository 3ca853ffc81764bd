"""What all laws have in common: numbers that are compared, and a form in which they are held."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterable
from typing import Any, ClassVar, Protocol

import numpy as np

from modeldocs.diff import Law

_CLOSE = 2e-3
"""Relative error of a number that was fitted."""
_DIGITS = 4
"""Significant digits of a number in a line."""


class ConstantLaw(Protocol):
    """A constant that follows a law. `NUMBERS` are the fields by which two of a kind differ."""

    NUMBERS: ClassVar[tuple[str, ...]]
    __dataclass_fields__: ClassVar[dict[str, Any]]

    def array(self) -> np.ndarray:
        """The table made anew from its numbers, in its form."""
        ...

    def difference(self, other: Any) -> Iterable[Law]:
        """What a table of the same kind has otherwise."""
        ...


def differing(ours: ConstantLaw, theirs: ConstantLaw) -> tuple[str, ...]:
    """The numbers in which two tables differ; none for tables of two kinds."""
    if type(ours) is not type(theirs):
        return ()
    return tuple(
        name for name in ours.NUMBERS if not same(getattr(ours, name), getattr(theirs, name))
    )


def undone(table: ConstantLaw, ours: ConstantLaw, theirs: ConstantLaw) -> np.ndarray | None:
    """A table of B with the numbers in which `theirs` differs from `ours` put right.

    None for a table that does not have them.
    """
    names = differing(ours, theirs)
    if type(table) is not type(theirs) or not names:
        return None
    if not all(same(getattr(table, name), getattr(theirs, name)) for name in names):
        return None
    changed = dataclasses.replace(table, **{name: getattr(ours, name) for name in names})
    return changed.array()


def same(one: Any, other: Any) -> bool:
    """Whether two numbers, or two rows of numbers, are equal but for the error of a fit."""
    if isinstance(one, tuple) and isinstance(other, tuple):
        return len(one) == len(other) and all(map(same, one, other))
    if isinstance(one, float) and isinstance(other, float):
        return math.isclose(one, other, rel_tol=_CLOSE, abs_tol=_CLOSE**2)
    return bool(one == other)


def number(value: float) -> str:
    """A number as a line says it: `10,000`, `0.25`."""
    if value == 0 or not math.isfinite(value):
        return f"{value:g}"
    rounded = round(value, _DIGITS - 1 - math.floor(math.log10(abs(value))))
    return f"{int(rounded):,}" if rounded == int(rounded) else f"{rounded:g}"


def step(name: str, before: float, after: float) -> Law:
    """A number that is another."""
    return Law(name, number(before), number(after))
