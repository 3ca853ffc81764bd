"""Lines for outputs that are returned in another order or form, or with other numbers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from modeldocs.diff.diff import Change
from modeldocs.diff.parity import FORMS, Direction, Parity
from modeldocs.diff.reporting.kinds import output

_OTHER: Final = {"shape": "shape", "apart": "computes"}
"""The consequences of outputs of another size or of other numbers, by relation."""


def lines(parity: Parity) -> list[Change]:
    """Lines for outputs that the networks return in another order or form, or otherwise although
    nothing else that is listed says why.
    """
    direction = max(parity.directions, key=lambda one: one.returns == "form")
    lines = [_order(direction)] if direction.reordered else []
    lines += _returned(direction, dict.fromkeys(FORMS, "order"))
    if not any(one.divergences or one.acting for one in parity.directions):
        lines += _returned(direction, _OTHER)
    return lines


def _order(direction: Direction) -> Change:
    both = [one for one in direction.returned if one.relation != "missing"]
    ours = sorted(both, key=lambda one: one.places[0])
    theirs = sorted(both, key=lambda one: one.places[1])
    title = output.order([one.a for one in ours], [one.a for one in theirs])
    return _line("order", title, output.OTHER_PLACES)


def _returned(direction: Direction, consequences: Mapping[str, str]) -> Iterator[Change]:
    """The lines of outputs of some relations, which have these consequences."""
    for one in direction.returned:
        if one.relation in consequences:
            yield _line(consequences[one.relation], output.title(one), output.meaning(one))


def _line(consequence: str, title: str, text: str) -> Change:
    return Change(
        kind="output",
        consequence=consequence,
        title=title,
        text=text,
        pairs=(),
        operator="output",
    )
