"""Layers that compute another function at the same place."""

from __future__ import annotations

from typing import Final

from modeldocs.diff.changes.finding import Finding
from modeldocs.diff.reporting.kind_words import KindWords
from modeldocs.diff.reporting.phrases import Group, layers, replaced, summed, tail, times
from modeldocs.diff.reporting.places import LayerPositions


def _title(group: Group, places: LayerPositions) -> str:
    first = group[0]
    where = layers(group, places)
    if first.consequence == "spelling":
        return f"{first.before} written as {first.after} in {where}"
    if isinstance(first.before, tuple):
        ours, theirs = summed(first.before), summed(first.after)
        return f"{ours} in A replaced by {theirs} in B{times(len(group))}{tail(group)}"
    return f"{first.before} → {first.after} in {where}{tail(group)}"


def _meaning(finding: Finding) -> str:
    if finding.consequence == "spelling":
        return "The same function at these shapes: the weights fit, reshaped if necessary."
    if {finding.before, finding.after} == {"Softmax", "LogSoftmax"}:
        return "Probabilities on one side, their logarithms on the other: the ranking is the same."
    if any(len(ids) > 1 for ids in finding.pair):
        return "Different layers at the same place: parity shows whether they compute the same."
    return "A different function at the same place: the layers after it read other values."


WORDS: Final = KindWords(title=_title, meaning=_meaning, phrase=replaced)
