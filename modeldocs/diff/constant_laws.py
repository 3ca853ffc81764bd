"""Changes and divergences of constants of which running has shown the law."""

from __future__ import annotations

from typing import Final

import msgspec

from modeldocs.diff.diff import Change, Diff
from modeldocs.diff.parity import Divergence, Parity
from modeldocs.diff.reporting.kinds.region import UNDONE
from modeldocs.ir import Constant

_SAME_LAW: Final = "It follows from the same as the other constants that differ."


def laws_by_change(diff: Diff, parity: Parity) -> dict[int, str | None]:
    """By number of change: the law of the constants that it is of; None for the further changes
    that follow from one.
    """
    found: dict[int, str | None] = {}
    for one in parity.divergences:
        settings = one.settings if one.laws else ()
        numbers = [
            number
            for number, change in enumerate(diff.changes, start=1)
            if number not in found and change.says_of(one.pair, settings)
        ]
        # the change of a table says more than that of a switch
        numbers.sort(key=lambda n: not any(map(_is_table, _values_of(diff.changes[n - 1]))))
        law = " and ".join(law.text for law in one.laws)
        found |= {number: None if place else law for place, number in enumerate(numbers)}
    return found


def _values_of(change: Change) -> tuple[object, object]:
    return change.before, change.after


def _is_table(value: object) -> bool:
    return isinstance(value, Constant | tuple | list)


def by_law(change: Change, law: str | None) -> Change:
    """A change of a constant, of which the law is known."""
    if law is None:
        return msgspec.structs.replace(
            change, consequence="spelling", text=f"{change.text} {_SAME_LAW}"
        )
    title = f"{change.title}: {law}"
    return msgspec.structs.replace(change, consequence="computes", title=title, text=UNDONE)


def overlap(one: Divergence, other: Divergence) -> bool:
    """Whether two divergences have layers in common, in A and in B."""
    return all(not set(x).isdisjoint(y) for x, y in zip(one.pair, other.pair, strict=True))
