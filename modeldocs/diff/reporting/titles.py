"""The titles of changes, by kind."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from modeldocs import formatting
from modeldocs.diff.changes.attribute_deltas import FOLLOWS
from modeldocs.diff.changes.biases import PIECES
from modeldocs.diff.changes.finding import Finding
from modeldocs.diff.changes.findings import ROW, TURNED
from modeldocs.diff.changes.parameters import is_sharing
from modeldocs.diff.changes.position import END, UNREAD
from modeldocs.diff.changes.shape_propagation import LAID_OUT
from modeldocs.diff.changes.unmatched_layers import PREPROCESSING
from modeldocs.diff.fused_group import FusedGroup
from modeldocs.diff.reporting import attribute_titles, values
from modeldocs.diff.reporting.phrases import (
    after,
    difference,
    layers,
    named,
    operator,
    parts,
    position,
    side,
    times,
    within,
)
from modeldocs.diff.reporting.places import LayerPositions
from modeldocs.ir.operators import family

Group = Sequence[Finding]


def title(group: Group, places: LayerPositions) -> str:
    """The title of the change that some findings make."""
    first = group[0]
    special = attribute_titles.SPECIAL.get(first.attribute or "")
    if special is not None and first.kind != "moved":
        return special(group, places)
    return _TITLES[first.kind](group, places)


def _operator(group: Group, places: LayerPositions) -> str:
    first = group[0]
    where = layers(group, places)
    if first.consequence == "spelling":
        return f"{first.before} written as {first.after} in {where}"
    if isinstance(first.before, tuple):
        ours, theirs = _shortened(first.before), _shortened(first.after)
        replaced = f"{ours} in A replaced by {theirs} in B{times(group)}"
        return f"{replaced}{difference(group)}{after(group)}"
    return f"{first.before} → {first.after} in {where}{difference(group)}{after(group)}"


def _one_sided(group: Group, _: LayerPositions) -> str:
    first = group[0]
    parameters = abs(sum(finding.parameter_delta for finding in group))
    tail = (f" ({parameters:,} parameters)" if parameters else "") + after(group)
    if first.operator == PREPROCESSING:
        return f"preprocessing only in {side(first)}: {first.before or first.after}{tail}"
    if not first.operator:
        return f"{_block(group)} only in {side(first)}{tail}"
    if len(group) > 1:
        unread = f" {position(UNREAD)}" if first.place == UNREAD else ""
        return f"{first.operator} × {len(group):,}{unread} only in {side(first)}{tail}"
    if first.place == END:
        return f"ends in {first.operator} only in {side(first)}{tail}"
    place = f" {position(first.place)}" if first.place else ""
    return f"{first.operator}{place} only in {side(first)}{tail}"


def _network(group: Group, _: LayerPositions) -> str:
    """The number of layers that two different networks have in common."""
    first = group[0]
    shared = sum(count for _, count in first.detail)
    return (
        f"different networks: {shared:,} layer{'' if shared == 1 else 's'} in common,"
        f" of {first.before:,} with weights in A and {first.after:,} in B"
    )


def _block(group: Group) -> str:
    """`8 blocks of 7 layers (Conv + BatchNormalization + …)`, `a block of 3 layers after …`."""
    first = group[0]
    operators: tuple[str, ...] = first.before or first.after
    size = len(operators)
    if len(group) > 1:  # of equal blocks in a row any layer is the first
        begin = next((n for n, one in enumerate(operators) if family(one) != "activation"), 0)
        operators = operators[begin:] + operators[:begin]
    listed = _shortened(operators)
    if len(group) > 1:
        return f"{len(group):,} blocks of {size:,} layers ({listed})"
    place = f" {position(first.place)}" if first.place else ""
    return f"a block of {size:,} layers ({listed}){place}"


def _shortened(operators: Sequence[str]) -> str:
    """The first operators of a list."""
    return " + ".join(operators[:_LONGEST]) + (" + …" if len(operators) > _LONGEST else "")


def _moved(group: Group, places: LayerPositions) -> str:
    first = group[0]
    if first.detail is not None:
        same = first.before == first.after
        ours, theirs = (formatting.windowed(*one) for one in (first.before, first.after))
        blocks = "one block" if len(group) == 1 else f"{len(group):,} blocks"
        return (
            f"stride {values.text(first.detail)} moved from {'one' if same else 'the'}"
            f" {ours} to the {'next' if same else theirs} {position(first.place)} in {blocks}"
            f"{within(group, places)}"
        )
    where = f"after {first.before or 'nothing'} in A, after {first.after or 'nothing'} in B"
    if first.merge_key is not None and first.merge_key[0] == ROW:
        ours, theirs = (
            " or ".join(dict.fromkeys(names))
            for names in ([f.before for f in group], [f.after for f in group])
        )
        where = f"after {ours} in A, after {theirs} in B"
    elif first.merge_key is not None and len(group) > 1:
        where = f"after other {first.merge_key[1]} layers"
    return f"{operator(first)} moved: {where}{times(group, ', ')}{after(group)}"


def _rewired(group: Group, places: LayerPositions) -> str:
    first = group[0]
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


def _regrouped(group: Group, _: LayerPositions) -> str:
    first = group[0]
    tail = f"{times(group, ', ')}{difference(group)}"
    pieces, whole, sides = parts(first)
    if whole.relation in _LISTED and whole.terms[0] in pieces.terms:
        return f"{pieces.text} in {sides[0]} where {sides[1]} has {whole.text}{tail}"
    return f"{first.before.text} in A, {_briefly(first.before, first.after)} in B{tail}"


def _briefly(ours: FusedGroup, theirs: FusedGroup) -> str:
    """The text of B's composition: `after it` if A's text is `Relu before Concat`."""
    same = ours.operators == theirs.operators and {ours.relation, theirs.relation} == _SIDES
    return f"{theirs.relation} it" if same else theirs.text


def _shape(group: Group, places: LayerPositions) -> str:
    first = group[0]
    change = f"{formatting.shape_of(first.before)} → {formatting.shape_of(first.after)}"
    if first.operator == "input":
        return f"input {change}{times(group)}{after(group)}"
    why = f": {LAID_OUT[first.merge_key]}" if first.merge_key in LAID_OUT else ""
    if len(group) == 1:
        return f"output {change} of {layers(group, places)}{after(group)}{why}"
    return f"output of {layers(group, places)}, first {change}{after(group)}{why}"


def _parameters(group: Group, places: LayerPositions) -> str:
    first = group[0]
    delta = sum(finding.parameter_delta for finding in group)
    where = layers(group, places)
    if first.merge_key == FOLLOWS:
        return f"weights follow the shapes of the inputs in {where} ({delta:+,} parameters)"
    several = "first " if len({(f.before, f.after) for f in group}) > 1 else ""
    if first.merge_key is not None and first.merge_key[0] == PIECES:
        change = f"{several}{_shapes(first.before)} → {_shapes(first.after)}"
        return f"{first.attribute}: {change} in {where} ({delta:+,} parameters)"
    if isinstance(first.before, str):
        tail = f" ({delta:+,} parameters)" if delta else ""
        name = f"{first.attribute} sharing" if is_sharing(first) else first.attribute
        return f"{name}: {several}{first.before} → {first.after} in {where}{tail}"
    if first.before is None or first.after is None:
        name = named(first, "learned")
        return f"{name} only in {side(first)} in {where} ({abs(delta):,} parameters)"
    axis = 1 if first.operator == "ConvTranspose" else 0
    if first.attribute == "weight" and first.before[axis] != first.after[axis]:
        change = f"{several}{first.before[axis]} → {first.after[axis]} outputs"
    else:
        shapes = formatting.shape_of(first.before), formatting.shape_of(first.after)
        change = f"{named(first, 'learned')} {several}{shapes[0]} → {shapes[1]}"
    more = f" ({delta:+,} parameters)" if delta else ""
    return f"{change} in {where}{more}{after(group)}"


def _shapes(shapes: Sequence[Sequence[int]]) -> str:
    return " + ".join(map(formatting.shape_of, shapes)) or "none"


_LISTED: Final = frozenset({"row", "counted"})
"""Relations of compositions whose layers are listed one by one."""

_SIDES: Final = frozenset({"before", "after"})

_LONGEST: Final = 4
"""Operators of a block that its title lists."""

_FEW: Final = 3
"""Outputs that a title lists; of more it gives the number only."""

_TITLES: Final[dict[str, Callable[[Group, LayerPositions], str]]] = {
    "network": _network,
    "attribute": attribute_titles.title,
    "operator": _operator,
    "inserted": _one_sided,
    "deleted": _one_sided,
    "moved": _moved,
    "rewired": _rewired,
    "regrouped": _regrouped,
    "shape": _shape,
    "parameters": _parameters,
}
