"""Layers that are fused on one side and decomposed on the other."""

from __future__ import annotations

from typing import Final

from modeldocs.diff.changes.finding import Finding
from modeldocs.diff.diff import Change
from modeldocs.diff.fused_group import FusedGroup
from modeldocs.diff.reporting.kind_words import KindWords
from modeldocs.diff.reporting.phrases import Group, difference, replaced, times
from modeldocs.diff.reporting.places import LayerPositions

_LISTED: Final = frozenset({"row", "counted"})
"""Relations of compositions whose layers are listed one by one."""

_SIDES: Final = frozenset({"before", "after"})


def _title(group: Group, _: LayerPositions) -> str:
    first = group[0]
    tail = f"{times(len(group), ', ')}{difference(group)}"
    pieces, whole, sides = _parts(first)
    if whole.relation in _LISTED and whole.terms[0] in pieces.terms:
        return f"{pieces.text} in {sides[0]} where {sides[1]} has {whole.text}{tail}"
    return f"{first.before.text} in A, {_briefly(first.before, first.after)} in B{tail}"


def _briefly(ours: FusedGroup, theirs: FusedGroup) -> str:
    """The text of B's composition: `after it` if A's text is `Relu before Concat`."""
    same = ours.operators == theirs.operators and {ours.relation, theirs.relation} == _SIDES
    return f"{theirs.relation} it" if same else theirs.text


def _parts(finding: Finding) -> tuple[FusedGroup, FusedGroup, str]:
    """(decomposed, fused, `AB` or `BA`): the compositions of fused layers and their graphs."""
    ours, theirs = finding.before, finding.after
    if len(theirs.terms) > len(ours.terms):
        return theirs, ours, "BA"
    return ours, theirs, "AB"


def _meaning(finding: Finding) -> str:
    pieces, whole, sides = _parts(finding)
    if finding.consequence == "computes":
        return _ZEROS_IN_MAXIMUM if "MaxPool" in whole.operators else _ZEROS_IN_MEAN
    if finding.consequence == "parameters":
        return _folded(pieces, whole, sides[0], sides[1])
    if pieces.relation in ("before", "after"):
        return "The same values: the activation is applied to each element, before or after."
    return "The same function in other layers: the weights fit."


_ZEROS_IN_MAXIMUM: Final = (
    "Explicit zeros take part in the maximum, the pooling's own padding does not: the results"
    " differ where a window at the border contains negative values only."
)
_ZEROS_IN_MEAN: Final = (
    "Explicit zeros count in the means at the border, the pooling's own padding does not."
)


def _folded(pieces: FusedGroup, whole: FusedGroup, apart: str, fused: str) -> str:
    """The meaning of layers of one graph that the other has folded into weights, or lacks."""
    norm = "the norm" if "BatchNormalization" in pieces.operators else "what follows it"
    layer = whole.operators[0]
    if whole.bias is False:
        return (
            f"{fused}'s {layer} has no bias: its weights can contain the scale of {norm}, not its"
            " shift. The two agree only where the shift is zero."
        )
    if whole.bias:
        return (
            f"Either {fused}'s weights contain {norm} of {apart}, folded in for inference, and both"
            f" are the same function; or {fused} never had it, and was trained without."
        )
    return (
        "At inference a norm is a scale and a shift of each channel: the same function once its"
        f" statistics are folded into those of {apart}."
    )


def _phrase(change: Change) -> str:
    """`no BatchNormalization after 53 Conv`, where one side has that in its Conv; else both."""
    first, second = (str(value).split(" + ") for value in (change.before, change.after))
    for word, pieces, whole in (("no ", first, second), ("", second, first)):
        if len(whole) == 1 and len(pieces) > 1 and whole[0].split(" ")[0] == pieces[0]:
            count = f"{len(change.pairs):,} " if len(change.pairs) > 1 else ""
            return f"{word}{' + '.join(pieces[1:])} after {count}{pieces[0]}"
    return replaced(change)


WORDS: Final = KindWords(title=_title, meaning=_meaning, phrase=_phrase)
