"""What a kind of change needs: its title, its meaning, a phrase, and its text in a row."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from modeldocs.diff.changes.finding import Finding
from modeldocs.diff.diff import Change
from modeldocs.diff.reporting import rows, values
from modeldocs.diff.reporting.phrases import Group, after, difference, layers, named
from modeldocs.diff.reporting.places import LayerPositions
from modeldocs.diff.reporting.rows import Nodes
from modeldocs.diff.reporting.short_phrases import operators

_CONSEQUENCES: Final = {
    "computes": "The layers compute different functions, whatever the weights.",
    "shape": "Tensors have different shapes from here on.",
    "parameters": "The numbers of trainable parameters differ: the weights do not fit one to one.",
    "order": "The same layer at another place: the layers in between read different values.",
    "spelling": "The same function, written differently: the weights fit.",
}


def title(group: Group, places: LayerPositions) -> str:
    """Both values and the layers: `epsilon 1e-05 → 2e-05 in all 53 BatchNormalization layers`."""
    first = group[0]
    ours, theirs = values.text(first.before), values.text(first.after)
    change = f"{ours} → {theirs}" if ours != theirs else f"of other values ({ours})"
    tail = f"{difference(group)}{after(group)}"
    return f"{named(first, 'constant')} {change} in {layers(group, places)}{tail}"


def meaning(finding: Finding) -> str:
    """What follows from the consequence alone."""
    return _CONSEQUENCES[finding.consequence]


def at_end(change: Change) -> str:
    """What B ends in."""
    return f"{operators(change.after)} at the end"


def row(change: Change, _: Nodes, __: Nodes) -> str:
    """Both values of the change."""
    return rows.values(change)


@dataclass(frozen=True)
class KindWords:
    """The words for a kind of change.

    `phrase` tells in a few words what B has otherwise, `at_end` the same of the output head.
    `title` and `meaning`, one or two sentences for a person who ports the model, are those of the
    findings that make a change. `row` is the change as it shows in one row of two networks side by
    side, which has the given layers of A and of B.
    """

    phrase: Callable[[Change], str]
    at_end: Callable[[Change], str] = at_end
    title: Callable[[Group, LayerPositions], str] = title
    meaning: Callable[[Finding], str] = meaning
    row: Callable[[Change, Nodes, Nodes], str] = row
