"""Two networks that have too little in common for their layers to be compared.

It is the only change of the two. Its pairs are the layers with weights of equal shapes, `before`
and `after` the numbers of layers with weights.
"""

from __future__ import annotations

from typing import Final

from modeldocs.diff.changes.finding import Finding
from modeldocs.diff.reporting.kind_words import KindWords
from modeldocs.diff.reporting.phrases import Group
from modeldocs.diff.reporting.places import LayerPositions


def _title(group: Group, _: LayerPositions) -> str:
    """The number of layers that the networks have in common."""
    first = group[0]
    shared = sum(count for _, count in first.detail)
    return (
        f"different networks: {shared:,} layer{'' if shared == 1 else 's'} in common,"
        f" of {first.before:,} with weights in A and {first.after:,} in B"
    )


def _meaning(finding: Finding) -> str:
    if not finding.detail:
        return "No two layers at the same place have weights of the same shape."
    counts = ", ".join(f"{operator} × {count}" for operator, count in finding.detail)
    return f"Layers with weights of the same shape at the same place: {counts}."


WORDS: Final = KindWords(title=_title, meaning=_meaning, phrase=lambda _: "another network")
