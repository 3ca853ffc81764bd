"""What a kind of change needs: its title, its meaning, a phrase, and its text in a row."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from modeldocs.diff.changes.finding import Finding
from modeldocs.diff.diff import Change
from modeldocs.diff.reporting import values
from modeldocs.diff.reporting.phrases import Group, layers, named, short, tail
from modeldocs.diff.reporting.places import LayerPositions
from modeldocs.diff.reporting.values import Nodes


def title(group: Group, places: LayerPositions) -> str:
    """Both values and the layers: `epsilon 1e-5 → 2e-5 in all 53 BatchNormalization layers`."""
    first = group[0]
    ours, theirs = values.text(first.before), values.text(first.after)
    change = f"{ours} → {theirs}" if ours != theirs else f"of other values ({ours})"
    return f"{named(first, 'constant')} {change} in {layers(group, places)}{tail(group)}"


@dataclass(frozen=True)
class KindWords:
    """The words for a kind of change.

    `phrase` tells in a few words what B has otherwise, `at_end` the same of the output head.
    `title` and `meaning`, one or two sentences for a person who ports the model, are those of the
    findings that make a change; a meaning is None where it is that of the consequence. `row` is the
    change in one row of two networks side by side, with the layers of A and of B in it.
    """

    phrase: Callable[[Change], str]
    at_end: Callable[[Change], str] = lambda change: f"{short(change.after)} at the end"
    title: Callable[[Group, LayerPositions], str] = title
    meaning: Callable[[Finding], str | None] = lambda _: None
    row: Callable[[Change, Nodes, Nodes], str] = lambda change, *_: values.both(change)
