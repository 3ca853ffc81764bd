"""The same layer, or the stride of a block, at another place."""

from __future__ import annotations

from typing import Final

from modeldocs import formatting
from modeldocs.diff.changes.finding import Finding
from modeldocs.diff.changes.findings import ROW
from modeldocs.diff.diff import Change
from modeldocs.diff.reporting import values
from modeldocs.diff.reporting.kind_words import KindWords
from modeldocs.diff.reporting.phrases import Group, after, operator, position, short, times, within
from modeldocs.diff.reporting.places import LayerPositions
from modeldocs.diff.reporting.values import Nodes
from modeldocs.ir import Layer


def _title(group: Group, places: LayerPositions) -> str:
    first = group[0]
    if first.detail is not None:
        return _stride(group, places)
    where = f"after {first.before or 'nothing'} in A, after {first.after or 'nothing'} in B"
    if first.merge_key is not None and first.merge_key[0] == ROW:
        ours, theirs = (
            " or ".join(dict.fromkeys(names))
            for names in ([f.before for f in group], [f.after for f in group])
        )
        where = f"after {ours} in A, after {theirs} in B"
    elif first.merge_key is not None and len(group) > 1:
        where = f"after other {first.merge_key[1]} layers"
    return f"{operator(first)} moved: {where}{times(len(group), ', ')}{after(group)}"


def _stride(group: Group, places: LayerPositions) -> str:
    first = group[0]
    same = first.before == first.after
    ours, theirs = (formatting.windowed(*one) for one in (first.before, first.after))
    blocks = "one block" if len(group) == 1 else f"{len(group):,} blocks"
    return (
        f"stride {values.text(first.detail)} moved from {'one' if same else 'the'}"
        f" {ours} to the {'next' if same else theirs} {position(first.place)} in {blocks}"
        f"{within(group, places)}"
    )


def _meaning(finding: Finding) -> str | None:
    if finding.detail is not None:
        return (
            "The block is downsampled at another layer: the shapes around it are equal, the values"
            " that the layers in between read are not. The weights fit, but give other results."
        )
    if finding.consequence == "spelling":
        return "At inference it passes its input on unchanged, at either place."
    return None


def _phrase(change: Change) -> str:
    if change.attribute == "strides":
        match change.after:
            case [list() | tuple() as kernel, str() as operator]:
                return f"stride in the {formatting.windowed(kernel, operator)}"
        return "stride in another layer"
    return f"{change.operator or 'a layer'} after {short(change.after)}"


def _row(change: Change, a: Nodes, b: Nodes) -> str:
    if change.attribute is None:
        return f"moved: after {values.text(change.before)} → after {values.text(change.after)}"
    ours, theirs = (
        values.text(nodes[0].attributes.get(change.attribute))
        if isinstance(nodes[0], Layer)
        else ""
        for nodes in (a, b)
    )
    return f"{change.attribute} {ours} → {theirs}, moved" if ours != theirs else change.title


WORDS: Final = KindWords(title=_title, meaning=_meaning, phrase=_phrase, row=_row)
