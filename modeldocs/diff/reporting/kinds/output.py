"""Outputs that running has shown to be returned in another order or form, or with other numbers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from modeldocs import formatting
from modeldocs.diff.diff import Change
from modeldocs.diff.parity import FORMS, Direction, Parity, Returned
from modeldocs.diff.reporting.kind_words import KindWords

_FORM: Final = dict.fromkeys(FORMS, "order")
_OTHER: Final = {"shape": "shape", "apart": "computes"}
"""The consequences of outputs of another form, and of other numbers or of another size."""

_MEANINGS: Final = {
    "type": "Its numbers are equal.",
    "reshaped": "Its numbers are equal, in the same order.",
    "transposed": "Its numbers are equal, in another order.",
}
_UNEXPLAINED: Final = (
    "All layers before it compute the same: what leads from them to the output does not."
)


def lines(parity: Parity) -> list[Change]:
    """Lines for outputs that the networks return in another order or form, or otherwise although
    nothing else that is listed says why.
    """
    direction = max(parity.directions, key=lambda one: one.returns == "form")
    lines = [_order(direction)] if direction.reordered else []
    lines += _returned(direction, _FORM)
    if not any(one.divergences or one.acting for one in parity.directions):
        lines += _returned(direction, _OTHER)
    return lines


def _order(direction: Direction) -> Change:
    both = [one for one in direction.returned if one.relation != "missing"]
    ours = sorted(both, key=lambda one: one.places[0])
    theirs = sorted(both, key=lambda one: one.places[1])
    before, after = (", ".join(one.a for one in side) for side in (ours, theirs))
    title = f"outputs returned in another order: {before} → {after}"
    return _line("order", title, "A caller that takes them by their place gets others.")


def _returned(direction: Direction, consequences: Mapping[str, str]) -> Iterator[Change]:
    """The lines of outputs of some relations, which have these consequences."""
    for one in direction.returned:
        if one.relation in consequences:
            text = _MEANINGS.get(one.relation, _UNEXPLAINED)
            yield _line(consequences[one.relation], _title(one), text)


def _title(one: Returned) -> str:
    ours, theirs = map(formatting.shape_of, one.shapes)
    if one.relation == "apart":
        return f"output {one.a} returned with other numbers"
    if one.relation == "transposed":
        return f"output {one.a} returned with its axes in another order ({ours} → {theirs})"
    if one.relation == "type":
        ours, theirs = one.types
    return f"output {one.a} returned as {theirs} in place of {ours}"


def _line(consequence: str, title: str, text: str) -> Change:
    return Change("output", consequence, title, text, pairs=(), operator="output")


def _phrase(change: Change) -> str:
    return "outputs in another form" if change.consequence == "order" else "another output"


WORDS: Final = KindWords(phrase=_phrase)
