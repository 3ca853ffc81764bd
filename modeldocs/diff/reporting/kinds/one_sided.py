"""Layers that only one network has: `inserted` in B, or `deleted` from A."""

from __future__ import annotations

from typing import Final

from modeldocs.diff.changes.finding import Finding
from modeldocs.diff.changes.position import END, UNREAD
from modeldocs.diff.changes.unmatched_layers import PREPROCESSING
from modeldocs.diff.diff import Change
from modeldocs.diff.reporting import values
from modeldocs.diff.reporting.kind_words import KindWords
from modeldocs.diff.reporting.phrases import Group, after, position, short, side, summed, times
from modeldocs.diff.reporting.places import LayerPositions
from modeldocs.diff.reporting.values import Nodes
from modeldocs.ir.operators import family


def _title(group: Group, _: LayerPositions) -> str:
    first = group[0]
    parameters = abs(sum(finding.parameter_delta for finding in group))
    tail = (f" ({parameters:,} parameters)" if parameters else "") + after(group)
    if first.operator == PREPROCESSING:
        return f"preprocessing only in {side(first)}: {first.before or first.after}{tail}"
    return f"{_made(group)} only in {side(first)}{tail}"


def _made(group: Group) -> str:
    """The layers, with their place: `Relu after conv1`, `Dropout × 3`, `ends in Softmax`."""
    first, count = group[0], len(group)
    if not first.operator:
        return _block(group)
    if count > 1:
        unread = f" {position(UNREAD)}" if first.place == UNREAD else ""
        return f"{first.operator} × {count:,}{unread}"
    if first.place == END:
        return f"ends in {first.operator}"
    return f"{first.operator}{_place(first)}"


def _block(group: Group) -> str:
    """`8 blocks of 7 layers (Conv + BatchNormalization + …)`, `a block of 3 layers after …`."""
    first = group[0]
    operators: tuple[str, ...] = first.before or first.after
    size = len(operators)
    if len(group) > 1:  # of equal blocks in a row any layer is the first
        begin = next((n for n, one in enumerate(operators) if family(one) != "activation"), 0)
        operators = operators[begin:] + operators[:begin]
        return f"{len(group):,} blocks of {size:,} layers ({summed(operators)})"
    return f"a block of {size:,} layers ({summed(operators)}){_place(first)}"


def _place(first: Finding) -> str:
    return f" {position(first.place)}" if first.place else ""


def _meaning(finding: Finding) -> str:
    operator = finding.operator
    if finding.place == UNREAD:
        return "Its output is not used."
    if finding.consequence == "spelling":
        return "At inference it passes its input on unchanged."
    side, other = ("A", "B") if finding.kind == "deleted" else ("B", "A")
    if finding.other_pairs:
        return f"{other} has the parameters in the layers that read it, as they are."
    if operator == PREPROCESSING:
        return f"{side} takes raw inputs; {other} needs inputs that are preprocessed like this."
    if operator == "input":
        return f"{side} has an input that {other} does not have."
    if finding.place == END and operator in ("Softmax", "LogSoftmax"):
        return "One network ends in probabilities (or their logarithms), the other in raw scores."
    if finding.place == END:
        return f"{other} ends before it: the caller has to compute what {side} does here."
    if family(operator) == "activation":
        return f"{other} passes the values on without this activation of {side}."
    if finding.parameter_delta:
        return f"{other} has no counterpart: the weights fit nowhere."
    return f"{other} has no counterpart: its readers read other values, or are missing too."


def _at_end(change: Change) -> str:
    return f"{'' if change.kind == 'inserted' else 'no '}{change.operator} at the end"


def _phrase(change: Change) -> str:
    inserted = change.kind == "inserted"
    count = sum(not (ours and theirs) for ours, theirs in change.pairs)
    made = change.before or change.after
    if change.operator == PREPROCESSING:
        return f"preprocessing {made}" if inserted else "no preprocessing"
    if change.operator:
        layers = f"{change.operator}{times(count)}"
        return f"{layers} more" if inserted else f"no {layers}"
    blocks = f"{count:,} blocks" if count > 1 else "a block"
    return f"{blocks} {'more' if inserted else 'fewer'} ({short(made)})"


def row(change: Change, a: Nodes, b: Nodes) -> str:
    """A change in a row of layers that only one network has, with their parameters."""
    if a and b:
        through = f"through {change.operator or 'other layers'}"
        return f"reads a parameter {through} in {'B' if change.kind == 'inserted' else 'A'}"
    side = "A" if a else "B"
    if change.operator == "output":
        return f"output only in {side}"
    parameters = (one for layer in values.layers(a or b) for one in layer.parameters)
    count = sum(one.elements for one in parameters if one.trainable)
    noun = "parameter" if count == 1 else "parameters"
    return f"only in {side}" + (f", {count:,} {noun}" if count else "")


WORDS: Final = KindWords(title=_title, meaning=_meaning, phrase=_phrase, at_end=_at_end, row=row)
