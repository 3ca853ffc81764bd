"""Layers that read other operands, and networks that return other values."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from modeldocs.diff.changes.finding import Finding
from modeldocs.diff.changes.findings import TURNED
from modeldocs.diff.changes.input_roles import INPUTS
from modeldocs.diff.changes.part_orders import PARTS
from modeldocs.diff.changes.projection_names import ROLES
from modeldocs.diff.diff import Change
from modeldocs.diff.reporting.kind_words import KindWords
from modeldocs.diff.reporting.phrases import Group, after, layers, operator, side, where
from modeldocs.diff.reporting.places import LayerPositions

_FEW: Final = 3
"""Outputs that a title lists; of more it gives the number only."""


def _title(group: Group, places: LayerPositions) -> str:
    first = group[0]
    if first.attribute in _SWAPPED:
        return _swap(group, places)
    if first.operator == "output":
        return _output(group, places)
    if first.merge_key == TURNED:
        return f"operands in another order in {layers(group, places)}{after(group)}"
    if len(group) > 1:
        return f"{layers(group, places)} read other layers{after(group)}"
    ours, theirs = _named(first.before, places, 0), _named(first.after, places, 1)
    name = places.label(0, first.pair[0][0])
    if ours and theirs:
        operands = f"{ours} in A, {theirs} in B"
    else:
        operands = f"{ours or theirs} only in {'A' if ours else 'B'}"
    return f"{operator(first)} {name} reads {operands}{after(group)}"


def _named(ids: Sequence[str], places: LayerPositions, side: int) -> str:
    return ", ".join(places.label(side, one) for one in ids)


def _output(group: Group, places: LayerPositions) -> str:
    first = group[0]
    if first.consequence == "spelling":
        return "outputs in another order"
    place = "AB".index(side(first))
    names = [_named(finding.pair[place], places, place) for finding in group]
    if len(names) == 1:
        return f"output of {names[0]} only in {side(first)}"
    listed = f" ({', '.join(names)})" if len(names) <= _FEW else ""
    return f"{len(names):,} outputs{listed} only in {side(first)}"


def _swap(group: Group, places: LayerPositions) -> str:
    first = group[0]
    names = [x for x, y in zip(first.before, first.after, strict=True) if x != y]
    swapped = f"{' and '.join(names) if len(names) == 2 else ', '.join(names)} swapped"
    if first.attribute == INPUTS:
        return f"inputs {swapped}"
    packed = f" (packed order {', '.join(first.before)} → {', '.join(first.after)})"
    return f"{swapped} in {layers(group, places)}{packed if first.attribute == PARTS else ''}"


_SWAPPED: Final = {
    INPUTS: "Inputs of the same names feed other layers than in A: a caller who gives both ports"
    " the same gets other numbers.",
    PARTS: "One product computes several tensors, and its parts are read in another order: a weight"
    " that is copied as it is swaps them. If that order is intended, permute the weight's rows.",
    ROLES: "By their names, the projections of queries, keys and values feed other operands than in"
    " A: with weights copied by name, B computes something else.",
}


def _meaning(finding: Finding) -> str:
    if finding.attribute in _SWAPPED:
        return _SWAPPED[finding.attribute]
    if finding.consequence == "spelling":
        return "The same outputs, in another order."
    if finding.operator == "output":
        several = any(len(ids) > 1 for ids in finding.pair)
        more = " The layers that lead to this output alone are not listed." if several else ""
        return f"The networks return different values.{more}"
    if finding.merge_key == TURNED and finding.operator == "Concat":
        return (
            "The same tensors concatenated in another order: permute the input channels of the"
            " weights after it to copy them."
        )
    if finding.merge_key == TURNED:
        return "The same tensors, in other operand slots of the layer."
    return "The same layer, with other operands."


def _phrase(change: Change) -> str:
    if change.operator == "output" and change.after is None:
        return "fewer outputs"
    if change.operator == "output":
        return "more outputs" if change.before is None else "outputs"
    if change.attribute is not None:
        return f"another order of the {change.attribute} {where(change)}"
    return f"other operands {where(change)}"


_ROWS: Final = {"spelling": "operands in another order"}

WORDS: Final = KindWords(
    title=_title,
    meaning=_meaning,
    phrase=_phrase,
    row=lambda change, *_: _ROWS.get(change.consequence, "reads other layers"),
)
