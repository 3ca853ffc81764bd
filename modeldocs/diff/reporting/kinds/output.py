"""An output that running has shown to be returned in another order, form or with other numbers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from modeldocs import formatting
from modeldocs.diff.diff import Change
from modeldocs.diff.parity import Returned
from modeldocs.diff.reporting.kind_words import KindWords

OTHER_PLACES: Final = "A caller that takes them by their place gets others."
"""The meaning of another order of outputs."""

_SAME_NUMBERS: Final = {
    "type": "Its numbers are equal.",
    "reshaped": "Its numbers are equal, in the same order.",
    "transposed": "Its numbers are equal, in another order.",
}
_OTHER_NUMBERS: Final = (
    "All layers before it compute the same: what leads from them to the output does not."
)


def order(before: Sequence[str], after: Sequence[str]) -> str:
    """The title of outputs in another order, by name."""
    return f"outputs returned in another order: {', '.join(before)} → {', '.join(after)}"


def title(one: Returned) -> str:
    """How B returns an output, by its relation to A's."""
    ours, theirs = map(formatting.shape_of, one.shapes)
    if one.relation == "apart":
        return f"output {one.a} returned with other numbers"
    if one.relation == "transposed":
        return f"output {one.a} returned with its axes in another order ({ours} → {theirs})"
    if one.relation == "type":
        ours, theirs = one.types
    return f"output {one.a} returned as {theirs} in place of {ours}"


def meaning(one: Returned) -> str:
    """What an output of this relation is to a caller."""
    return _SAME_NUMBERS.get(one.relation, _OTHER_NUMBERS)


def _phrase(change: Change) -> str:
    order = change.consequence == "order"
    return "outputs in another form" if order else "another output"


WORDS: Final = KindWords(phrase=_phrase)
