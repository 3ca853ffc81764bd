"""Inputs or outputs of layers of another shape, or in another layout."""

from __future__ import annotations

from typing import Final

from modeldocs import formatting
from modeldocs.diff.changes.finding import Finding
from modeldocs.diff.changes.layouts import LAYOUT
from modeldocs.diff.changes.shape_propagation import LAID_OUT
from modeldocs.diff.diff import Change
from modeldocs.diff.reporting import values
from modeldocs.diff.reporting.kind_words import KindWords
from modeldocs.diff.reporting.phrases import Group, after, layers, position, times, where
from modeldocs.diff.reporting.places import LayerPositions
from modeldocs.diff.reporting.values import Nodes

_LAYOUTS: Final = {
    "input": "The network expects its input in another layout: transpose the input.",
    "output": "The network returns its output in another layout: transpose the output.",
}


def _title(group: Group, places: LayerPositions) -> str:
    first = group[0]
    change = f"{formatting.shape_of(first.before)} → {formatting.shape_of(first.after)}"
    if first.attribute == LAYOUT:
        return f"{first.operator} {change}{times(len(group))}: {position(first.place)}"
    if first.operator == "input":
        return f"input {change}{times(len(group))}{after(group)}"
    why = f": {LAID_OUT[first.merge_key]}" if first.merge_key in LAID_OUT else ""
    if len(group) == 1:
        return f"output {change} of {layers(group, places)}{after(group)}{why}"
    return f"output of {layers(group, places)}, first {change}{after(group)}{why}"


def _meaning(finding: Finding) -> str | None:
    if finding.attribute == LAYOUT:
        return _LAYOUTS[finding.operator]
    if finding.consequence == "spelling" and finding.merge_key in LAID_OUT:
        return (
            "The same values in another layout: the weights fit; intermediate tensors have to be"
            " brought into one layout before they are compared."
        )
    if finding.consequence == "spelling":
        return "The shape is written differently: batch size, names, or dimensions of size one."
    if finding.operator == "input":
        return f"B's input has the shape {formatting.shape_of(finding.after)}."
    return None


def _phrase(change: Change) -> str:
    after = change.after
    sizes = formatting.dims(after) if isinstance(after, list | tuple) else "of another shape"
    if change.operator == "input":
        return f"input {sizes}"
    return f"output {sizes} {where(change)}"


def _row(change: Change, a: Nodes, b: Nodes) -> str:
    """The shapes that the row gives; where these are equal, those of the input."""
    ours, theirs = (
        formatting.dims(one) if isinstance(one, list | tuple) else values.text(one)
        for one in (change.before, change.after)
    )
    return values.output(a, b) or f"layout of the input {ours} → {theirs}"


WORDS: Final = KindWords(title=_title, meaning=_meaning, phrase=_phrase, row=_row)
