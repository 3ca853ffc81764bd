"""Layers that running has shown to give other numbers, though nothing else says why."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from modeldocs.diff.diff import Change
from modeldocs.diff.parity import Divergence
from modeldocs.diff.reporting.kind_words import KindWords
from modeldocs.diff.reporting.phrases import constant_name, where

UNDONE: Final = "With A's in its place, B gives A's numbers."
_UNEXPLAINED: Final = "No setting or layer that differs explains it: compare the two side by side."
_ONE_WAY: Final = "One of the two cannot hold the weights of the other; the reverse holds."

_NAMED: Final = 3
"""Operators that a title names."""
_TOLD: Final = 12
"""Changes that the meaning of a line that stands for them names."""


def line(group: Sequence[Divergence], *, both_ways: bool) -> Change:
    """The line of regions of the same operators; not `both_ways` where one of the two networks can
    hold the weights of the other.
    """
    first = group[0]
    ours, theirs = first.operators
    other, text = _other(first)
    return Change(
        kind="region",
        consequence="computes" if both_ways else "parameters",
        title=f"{first.made}{_place(group)}: {other}",
        text=text if both_ways else _ONE_WAY,
        pairs=tuple(one.pair for one in group),
        operator=ours,
        operator_b=theirs if theirs != ours else "",
    )


def _place(group: Sequence[Divergence]) -> str:
    count = max(map(len, group[0].pair))
    if group[0].laws and count > 1:
        return f" in {count:,} layers"
    return f" ({group[0].names[0]})" if len(group) == 1 else f" in {len(group):,} places"


def _other(first: Divergence) -> tuple[str, str]:
    """What is other in a region, and its meaning."""
    if first.laws:
        laws = " and ".join(law.text for law in first.laws)
        return f"another {constant_name(first.settings[0])}: {laws}", UNDONE
    if first.settings:
        return f"another {' and '.join(first.settings)}", UNDONE
    return "other numbers from the same inputs", _UNEXPLAINED


def of_calculation(changes: Sequence[Change], ends: Sequence[Divergence]) -> Change:
    """The line of changes of one calculation, which gives other numbers at its ends."""
    count = len({one.pair for one in ends})
    place = f" in {count:,} places" if count > 1 else f" ({ends[0].names[0]})"
    ways = f"what leads to it differs in {len(changes)} ways"
    return _of_changes(
        changes,
        f"{ends[0].made}{place}: other numbers; {ways}",
        "Run on the same inputs, both give other numbers.",
        ends[0].operators,
    )


def undecided(changes: Sequence[Change]) -> Change:
    """The line of changes of a part that could not be run on the same values."""
    operators = list(dict.fromkeys(one.operator for one in changes if one.operator))
    more = f" and {len(operators) - _NAMED} other operators" if len(operators) > _NAMED + 1 else ""
    named = ", ".join(operators[:_NAMED] if more else operators)
    place = f" ({named}{more})" if named else ""
    first = next(iter(operators), "")
    return _of_changes(
        changes,
        f"{len(changes)} differences that could not be decided{place}",
        "Values before them have other shapes, so that both could not be run on the same inputs.",
        (first, first),
    )


def _of_changes(
    changes: Sequence[Change], title: str, text: str, operators: tuple[str, str]
) -> Change:
    """The line that stands for several changes."""
    ours, theirs = operators
    titles = "; ".join(one.title for one in changes[:_TOLD])
    more = f"; and {len(changes) - _TOLD:,} more" if len(changes) > _TOLD else ""
    return Change(
        kind="region",
        consequence="computes",
        title=title,
        text=f"{text} They differ in: {titles}{more}.",
        pairs=tuple(dict.fromkeys(pair for one in changes for pair in one.pairs)),
        operator=ours,
        operator_b=theirs if theirs != ours else "",
        followers=sum(one.followers for one in changes),
    )


WORDS: Final = KindWords(phrase=lambda change: f"other numbers {where(change)}")
