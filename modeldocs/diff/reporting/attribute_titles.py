"""The titles of changes of attributes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

from modeldocs import formatting
from modeldocs.diff.changes.finding import Finding
from modeldocs.diff.changes.input_roles import INPUTS
from modeldocs.diff.changes.layouts import LAYOUT
from modeldocs.diff.changes.part_orders import PARTS
from modeldocs.diff.changes.projection_names import ROLES
from modeldocs.diff.changes.settings import FLATTENED, ORDER
from modeldocs.diff.function.attributes import changes_nothing, neutral_operands
from modeldocs.diff.reporting import values
from modeldocs.diff.reporting.phrases import after, difference, layers, named, position, side, times
from modeldocs.diff.reporting.places import LayerPositions
from modeldocs.ir import operators

Group = Sequence[Finding]


_PROJECTIONS: Final = operators.named(projection=True)


def title(group: Group, places: LayerPositions) -> str:
    """Both values; for a constant that changes nothing, what it is filled with."""
    first = group[0]
    if first.consequence == "spelling" and _neutral(first):
        filled = "ones" if first.attribute == "scale" else "zeros"
        return f"{first.attribute} of {filled} only in {side(first)} in {layers(group, places)}"
    ours, theirs = values.text(first.before), values.text(first.after)
    if first.attribute == "indices" and first.operator != "Gather":
        rows = f"{first.before or 0} → {first.after or 0}"
        return f"first row read from a parameter {rows} in {layers(group, places)}"
    change = f"{ours} → {theirs}" if ours != theirs else f"of other values ({ours})"
    tail = f"{difference(group)}{after(group)}"
    return f"{named(first, 'constant')} {change} in {layers(group, places)}{tail}"


def _neutral(finding: Finding) -> bool:
    """Whether only one side has a constant, and that is the neutral element."""
    constant: Any = finding.before if finding.after is None else finding.after
    neutral = neutral_operands(finding.operator).get(finding.attribute or "")
    one_sided = finding.before is None or finding.after is None
    return one_sided and neutral is not None and changes_nothing(constant, neutral)


def _padding(group: Group, places: LayerPositions) -> str:
    ours, theirs = (
        ", ".join(sorted({strategy.casefold() if strategy else "numbers" for strategy in side}))
        for side in zip(*((f.before, f.after) for f in group), strict=True)
    )
    change = f"{ours} → {theirs}" if ours != theirs else f"{ours}, with other numbers"
    return f"padding written differently ({change}) in {layers(group, places)}, to the same effect"


def _layout(group: Group, _: LayerPositions) -> str:
    first = group[0]
    change = f"{formatting.shape_of(first.before)} → {formatting.shape_of(first.after)}"
    return f"{first.operator} {change}{times(group)}: {position(first.place)}"


def _order(group: Group, places: LayerPositions) -> str:
    first = group[0]
    where = layers(group, places)
    if first.operator in _PROJECTIONS and (first.before, first.after) in FLATTENED:
        description = f"flattened channels last in {'A' if first.before else 'B'} before {where}"
        spelling = first.consequence == "spelling"
        return f"{description}: the weights are permuted" if spelling else description
    return title(group, places)


def _roles(group: Group, places: LayerPositions) -> str:
    first = group[0]
    return f"{_swapped(first.before, first.after)} in {layers(group, places)}"


def _inputs(group: Group, _: LayerPositions) -> str:
    first = group[0]
    return f"inputs {_swapped(first.before, first.after)}"


def _swapped(before: Sequence[str], after: Sequence[str]) -> str:
    names = [x for x, y in zip(before, after, strict=True) if x != y]
    return f"{' and '.join(names) if len(names) == 2 else ', '.join(names)} swapped"


def _parts(group: Group, places: LayerPositions) -> str:
    first = group[0]
    swapped = _swapped(first.before, first.after)
    packed = f"{', '.join(first.before)} → {', '.join(first.after)}"
    return f"{swapped} in {layers(group, places)} (packed order {packed})"


SPECIAL: Final[dict[str, Callable[[Group, LayerPositions], str]]] = {
    LAYOUT: _layout,
    ORDER: _order,
    PARTS: _parts,
    ROLES: _roles,
    INPUTS: _inputs,
    "padding": _padding,
}
"""Attributes with titles of their own."""
