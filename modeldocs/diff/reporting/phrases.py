"""Phrases for changes: which layers, how many parameters, how often, on which side."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from modeldocs.diff.changes.finding import Finding
from modeldocs.diff.changes.position import Position, Relation
from modeldocs.diff.diff import Change
from modeldocs.diff.reporting.places import LayerPositions
from modeldocs.ir import operators

Group = Sequence[Finding]


def layers(group: Group, places: LayerPositions) -> str:
    """The layers of a change: `all 53 Conv layers`, `3 Conv layers (layer2–layer4)`."""
    first = group[0]
    count = len({finding.pair for finding in group})
    kind = f"{operator(first)} " if first.operator else ""
    noun = "layer"
    if first.operator == "input":
        kind, noun = "", "input"
    operators = (first.operator, first.operator_b or first.operator)
    if first.kind == "operator":
        operators = (first.before, first.after)
    if places.everywhere(operators, count):
        return f"{'both' if count == 2 else f'all {count:,}'} {kind}{noun}s"
    named = f"one {kind}{noun}" if count == 1 else f"{count:,} {kind}{noun}s"
    return named + within(group, places)


def operator(finding: Finding) -> str:
    """The operator of a finding; that of A and that of B where they compute other functions."""
    return f"{finding.operator} → {finding.operator_b}" if finding.operator_b else finding.operator


def named(finding: Finding, kind: str) -> str:
    """The name of an attribute or parameter; an operand of a commutative operator by its kind."""
    name = finding.attribute or ""
    operand = name in ("A", "B") or name.startswith("data_")
    return f"{kind} operand" if operand and operators.of(finding.operator).commutative else name


def constant_name(setting: str) -> str:
    """The name of a constant; an operand of a commutative operator by its kind."""
    return "constant operand" if setting in ("A", "B") else setting


def within(group: Group, places: LayerPositions) -> str:
    """The parts of the network in brackets; empty where they are too many to name."""
    names = places.named([finding.pair for finding in group])
    return f" ({names})" if names else ""


def side(finding: Finding) -> str:
    """The side, A or B, that has what the other lacks."""
    only_a = finding.after is None and finding.before is not None
    return "A" if finding.kind == "deleted" or only_a else "B"


def difference(group: Group) -> str:
    """In brackets how many parameters B has more or fewer; empty where the numbers are equal."""
    delta = sum(finding.parameter_delta for finding in group)
    if not delta:
        return ""
    return f" ({abs(delta):,} parameters {'more' if delta > 0 else 'fewer'} in B)"


def after(group: Group) -> str:
    """The number of layers that differ only as a consequence; empty where there are none."""
    count = sum(finding.followers for finding in group)
    if not count:
        return ""
    these = "it" if len(group) == 1 else "them"
    return f", and {count:,} layer{'s' if count > 1 else ''} after {these}"


def tail(group: Group) -> str:
    """What follows: parameters that B has more or fewer, and layers that differ as well."""
    return f"{difference(group)}{after(group)}"


def times(count: int, before: str = " ") -> str:
    """The number of times that a change occurs, after the text `before`; empty for once."""
    return f"{before}× {count:,}" if count > 1 else ""


def where(change: Change) -> str:
    """The layers of a change in few words: `in MaxPool`, `in 9 Conv`."""
    count = len(change.pairs)
    number = f"{count:,} " if count > 1 else ""
    return f"in {number}{change.operator or ('layers' if count > 1 else 'a layer')}"


def replaced(change: Change) -> str:
    """What B has in the place of what A has: `Tanh for Relu × 3`."""
    return f"{short(change.after)} for {short(change.before)}{times(len(change.pairs))}"


def short(value: Any) -> str:
    """An operator, or the first two of several in a row."""
    if not value:
        return "another layer"
    return summed(value, 2) if isinstance(value, list | tuple) else str(value)


def summed(operators: Sequence[str], most: int = 4) -> str:
    """The first operators of a list: `Conv + BatchNormalization + …`."""
    return " + ".join(map(str, operators[:most])) + (" + …" if len(operators) > most else "")


def position(place: Position | None) -> str:
    """A place in words: `at the end`, `after conv1`, `channels last in B`."""
    if place is None:
        return ""
    return _POSITIONS[place.relation].format(place.to)


_POSITIONS: Final[dict[Relation, str]] = {
    "start": "at the start",
    "end": "at the end",
    "unread": "without readers",
    "behind": "after {}",
    "before": "before it",
    "after": "after it",
    "channels last": "channels last in {}",
}
