"""Parameters of another shape, that one side lacks, or that are held in another way."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import Final

from modeldocs import formatting
from modeldocs.diff.changes.attribute_deltas import FOLLOWS
from modeldocs.diff.changes.biases import PIECES
from modeldocs.diff.changes.finding import Finding
from modeldocs.diff.changes.parameters import VALUES_READ, is_sharing
from modeldocs.diff.diff import Change
from modeldocs.diff.parity import Parity
from modeldocs.diff.reporting import values
from modeldocs.diff.reporting.kind_words import KindWords
from modeldocs.diff.reporting.phrases import Group, after, layers, named, side, where
from modeldocs.diff.reporting.places import LayerPositions
from modeldocs.diff.reporting.values import Nodes
from modeldocs.diff.weights import MappedWeight

_OTHER_ROWS: Final = (
    "The weights are the same, their rows are in another order: with the rows put in that order, "
    "as the map of weights does it, both give the same numbers."
)
_OTHER_NUMBERS: Final = (
    "The layer computes with other numbers than those that are stored: the map of weights converts "
    "them."
)
_LONGEST: Final = 60
"""Characters of the longest order of rows that a title tells."""

_MEANINGS: Final = {
    "scale": "One side learns a factor for each channel (gamma), the other has none: fill in ones"
    " to copy the weights.",
    "weight": "The numbers of channels differ: the weights do not fit.",
}


def lines(parity: Parity) -> list[Change]:
    """A line for each order in which rows of weights are held, where some direction is the same."""
    if not any(one.returns in ("same", "part") for one in parity.directions):
        return []
    groups: dict[str, list[MappedWeight]] = defaultdict(list)
    for weight in parity.a_to_b.weights.turned:
        if weight.reordered and len(weight.shape) > 1:
            groups[_order(weight)].append(weight)
    return [_of_rows(order, weights) for order, weights in groups.items()]


def _order(weight: MappedWeight) -> str:
    """The order of a weight's rows, where that is short; empty where only the map can tell it."""
    source, _, order = weight.text.partition(": ")
    is_one = source in weight.sources and len(weight.sources) == 1
    return order if is_one and len(order) <= _LONGEST else ""


def _of_rows(order: str, weights: Sequence[MappedWeight]) -> Change:
    first, count = weights[0], len(weights)
    place = f"in {count:,} weights ({first.target}, …)" if count > 1 else f"in {first.target}"
    return Change(
        kind="parameters",
        consequence="parameters",
        title=f"{order or 'rows in another order'} {place}",
        text=_OTHER_ROWS,
        pairs=tuple(dict.fromkeys(weight.pair for weight in weights)),
        attribute="order of rows",
    )


def _title(group: Group, places: LayerPositions) -> str:
    first = group[0]
    delta = sum(finding.parameter_delta for finding in group)
    place = layers(group, places)
    more = f" ({delta:+,} parameters)" if delta else ""
    if first.merge_key == FOLLOWS:
        return f"weights follow the shapes of the inputs in {place} ({delta:+,} parameters)"
    several = "first " if len({(f.before, f.after) for f in group}) > 1 else ""
    if first.merge_key is not None and first.merge_key[0] == PIECES:
        change = f"{several}{_shapes(first.before)} → {_shapes(first.after)}"
        return f"{first.attribute}: {change} in {place} ({delta:+,} parameters)"
    if isinstance(first.before, str):
        name = f"{first.attribute} sharing" if is_sharing(first) else first.attribute
        return f"{name}: {several}{first.before} → {first.after} in {place}{more}"
    if first.before is None or first.after is None:
        name = named(first, "learned")
        return f"{name} only in {side(first)} in {place} ({abs(delta):,} parameters)"
    return f"{_other_shape(first, several)} in {place}{more}{after(group)}"


def _other_shape(first: Finding, several: str) -> str:
    """The numbers of outputs of a weight, or the shapes where only these differ."""
    axis = 1 if first.operator == "ConvTranspose" else 0
    if first.attribute == "weight" and first.before[axis] != first.after[axis]:
        return f"{several}{first.before[axis]} → {first.after[axis]} outputs"
    ours, theirs = map(formatting.shape_of, (first.before, first.after))
    return f"{named(first, 'learned')} {several}{ours} → {theirs}"


def _shapes(shapes: Sequence[Sequence[int]]) -> str:
    return " + ".join(map(formatting.shape_of, shapes)) or "none"


def _meaning(finding: Finding) -> str | None:
    if finding.merge_key == FOLLOWS:
        return "The layers are the same; their inputs have more or fewer channels."
    name = finding.attribute or ""
    if is_sharing(finding):
        return "Layers share their parameters on one side only."
    if name == VALUES_READ:
        return _OTHER_NUMBERS
    if finding.before in ("learned", "fixed"):
        return "It is trainable on one side only; the function is the same."
    one_sided = finding.before is None or finding.after is None
    if name == "bias" and one_sided:
        return _bias(finding)
    return _MEANINGS.get(name) if one_sided or name == "weight" else None


def _bias(finding: Finding) -> str:
    has, lacks = ("A", "B") if finding.after is None else ("B", "A")
    return (
        f"{lacks} has no bias parameter: {has}'s bias fits only if a normalisation directly after"
        " the layer can absorb it in its mean."
    )


def _phrase(change: Change) -> str:
    name, after = change.attribute or "parameters", change.after
    return f"{_property(name, change.before, after)} {where(change)}"


def _property(name: str, before: object, after: object) -> str:
    if after is None:
        return f"no {name}"
    if isinstance(after, str):
        return f"{name} {after}"
    if before is None:
        return name
    if isinstance(after, list | tuple) and all(isinstance(dim, int) for dim in after):
        return f"{name} {formatting.dims(after)}"
    return f"another {name}"


def _row(change: Change, a: Nodes, b: Nodes) -> str:
    """The shapes of the weight that differs: those of this row, not of the change's first."""
    if isinstance(change.before, str) or isinstance(change.after, str):
        return values.both(change)
    ours, theirs = (_weight(nodes, change.attribute) for nodes in (a, b))
    same = ours == theirs
    return values.both(change, "weights") if same else f"{change.attribute} {ours} → {theirs}"


def _weight(nodes: Nodes, role: str | None) -> str:
    """The shapes of the parameters of a role, `none` where there is none."""
    parameters = (one for layer in values.layers(nodes) for one in layer.parameters)
    return (
        " + ".join(formatting.dims(one.shape) for one in parameters if one.role == role) or "none"
    )


WORDS: Final = KindWords(title=_title, meaning=_meaning, phrase=_phrase, row=_row)
