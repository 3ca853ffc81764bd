"""Layers that running has shown to give other numbers, though nothing else says why."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Final

from modeldocs.diff.diff import Change
from modeldocs.diff.parity import Divergence
from modeldocs.diff.reporting.kind_words import KindWords
from modeldocs.diff.reporting.phrases import constant_name
from modeldocs.diff.reporting.short_phrases import where

UNDONE: Final = "With A's in its place, B gives A's numbers."
_UNEXPLAINED: Final = "No setting or layer that differs explains it: compare the two side by side."
_ONE_WAY: Final = "One of the two cannot hold the weights of the other; the reverse holds."

_NAMED: Final = 3
"""Operators that a title names."""
_TOLD: Final = 12
"""Changes that the meaning of a line that stands for them names."""


def title(group: Sequence[Divergence]) -> str:
    """Regions of the same operators, and what is other in them."""
    first = group[0]
    place = f" ({first.names[0]})" if len(group) == 1 else f" in {len(group):,} places"
    count = max(map(len, first.pair))
    if first.laws and count > 1:
        place = f" in {count:,} layers"
    return f"{first.made}{place}: {_other(first)}"


def _other(first: Divergence) -> str:
    if first.laws:
        laws = " and ".join(law.text for law in first.laws)
        return f"another {constant_name(first.settings[0])}: {laws}"
    if first.settings:
        return f"another {' and '.join(first.settings)}"
    return "other numbers from the same inputs"


def meaning(first: Divergence, *, both_ways: bool) -> str:
    """What is known of the regions; not `both_ways` where one network can hold both's weights."""
    if not both_ways:
        return _ONE_WAY
    return UNDONE if first.laws or first.settings else _UNEXPLAINED


def cluster_title(ends: Sequence[Divergence], changes: Collection[Change]) -> str:
    """Several changes of one calculation, which gives other numbers at its ends."""
    count = len({one.pair for one in ends})
    place = f" in {count:,} places" if count > 1 else f" ({ends[0].names[0]})"
    ways = f"what leads to it differs in {len(changes)} ways"
    return f"{ends[0].made}{place}: other numbers; {ways}"


def cluster_meaning(changes: Collection[Change]) -> str:
    """What is known of several changes of one calculation."""
    return f"Run on the same inputs, both give other numbers. {_listed(changes)}"


def undecided_title(changes: Collection[Change], operators: Sequence[str]) -> str:
    """Several changes of a part that could not be run on the same values."""
    more = f" and {len(operators) - _NAMED} other operators" if len(operators) > _NAMED + 1 else ""
    named = ", ".join(operators[:_NAMED] if more else operators)
    place = f" ({named}{more})" if named else ""
    return f"{len(changes)} differences that could not be decided{place}"


def undecided_meaning(changes: Collection[Change]) -> str:
    """Why nothing is known of several changes."""
    return (
        "Values before them have other shapes, so that both could not be run on the same inputs."
        f" {_listed(changes)}"
    )


def _listed(changes: Collection[Change]) -> str:
    titles = [one.title for one in changes]
    more = f"; and {len(titles) - _TOLD:,} more" if len(titles) > _TOLD else ""
    return f"They differ in: {'; '.join(titles[:_TOLD])}{more}."


def _phrase(change: Change) -> str:
    return f"other numbers {where(change)}"


WORDS: Final = KindWords(phrase=_phrase)
