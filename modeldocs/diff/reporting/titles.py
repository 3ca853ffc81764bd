"""The title of a change, in the words of a person who ports models."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from modeldocs.diff.changes.accounts import FOLLOWS
from modeldocs.diff.changes.biases import PIECES
from modeldocs.diff.changes.finding import Finding
from modeldocs.diff.changes.findings import ROW, TURNED
from modeldocs.diff.changes.parameters import is_sharing
from modeldocs.diff.changes.shape_propagation import LAID_OUT
from modeldocs.diff.changes.unmatched import PREPROCESSING, UNREAD
from modeldocs.diff.composition import Composition
from modeldocs.diff.reporting import attribute_titles, values
from modeldocs.diff.reporting.phrases import (
    after,
    difference,
    layers,
    named,
    operator,
    parts,
    side,
    times,
    within,
)
from modeldocs.diff.reporting.places import Places
from modeldocs.ir.operators import family

Group = Sequence[Finding]


def title(group: Group, places: Places) -> str:
    """The title of the findings of one line."""
    first = group[0]
    special = attribute_titles.SPECIAL.get(first.attribute or "")
    if special is not None and first.kind != "moved":
        return special(group, places)
    return _TITLES[first.kind](group, places)


def _operator(group: Group, places: Places) -> str:
    first = group[0]
    where = layers(group, places)
    if first.consequence == "spelling":
        return f"{first.before} spelled as {first.after} in {where}"
    if isinstance(first.before, tuple):
        ours, theirs = _shortened(first.before), _shortened(first.after)
        replaced = f"{ours} in A replaced by {theirs} in B{times(group)}"
        return f"{replaced}{difference(group)}{after(group)}"
    return f"{first.before} → {first.after} in {where}{difference(group)}{after(group)}"


def _one_sided(group: Group, _: Places) -> str:
    first = group[0]
    held = abs(sum(finding.delta for finding in group))
    tail = (f" ({held:,} parameters)" if held else "") + after(group)
    if first.operator == PREPROCESSING:
        return f"preprocessing only in {side(first)}: {first.before or first.after}{tail}"
    if not first.operator:
        return f"{_block(group)} only in {side(first)}{tail}"
    if len(group) > 1:
        unread = f" {UNREAD}" if first.where == UNREAD else ""
        return f"{first.operator} × {len(group):,}{unread} only in {side(first)}{tail}"
    if first.where == "at the end":
        return f"ends in {first.operator} only in {side(first)}{tail}"
    place = f" {first.where}" if first.where else ""
    return f"{first.operator}{place} only in {side(first)}{tail}"


def _network(group: Group, _: Places) -> str:
    """How many layers two different networks have in common."""
    first = group[0]
    shared = sum(count for _, count in first.amount)
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
    told = _shortened(operators)
    if len(group) > 1:
        return f"{len(group):,} blocks of {size:,} layers ({told})"
    place = f" {first.where}" if first.where else ""
    return f"a block of {size:,} layers ({told}){place}"


def _shortened(operators: Sequence[str]) -> str:
    """The first of operators in a row."""
    return " + ".join(operators[:_LONGEST]) + (" + …" if len(operators) > _LONGEST else "")


def _moved(group: Group, places: Places) -> str:
    first = group[0]
    if first.amount is not None:
        same = first.before == first.after
        blocks = "one block" if len(group) == 1 else f"{len(group):,} blocks"
        return (
            f"stride {values.text(first.amount)} moved from {'one' if same else 'the'}"
            f" {first.before} to the {'next' if same else first.after} {first.where} in {blocks}"
            f"{within(group, places)}"
        )
    where = f"behind {first.before or 'nothing'} in A, behind {first.after or 'nothing'} in B"
    if first.alike is not None and first.alike[0] == ROW:
        ours, theirs = (
            " or ".join(dict.fromkeys(told))
            for told in ([f.before for f in group], [f.after for f in group])
        )
        where = f"behind {ours} in A, behind {theirs} in B"
    elif first.alike is not None and len(group) > 1:
        where = f"behind other {first.alike[1]} layers"
    return f"{operator(first)} moved: {where}{times(group, ', ')}{after(group)}"


def _rewired(group: Group, places: Places) -> str:
    first = group[0]
    if first.operator == "output":
        return _output(group, places)
    if first.alike == TURNED:
        return f"operands in another order in {layers(group, places)}{after(group)}"
    if len(group) > 1:
        return f"{layers(group, places)} read other layers{after(group)}"
    ours, theirs = (_named(told, places, x) for x, told in enumerate((first.before, first.after)))
    name = places.label(0, first.pair[0][0])
    if ours and theirs:
        told = f"{ours} in A, {theirs} in B"
    else:
        told = f"{ours or theirs} only in {'A' if ours else 'B'}"
    return f"{operator(first)} {name} reads {told}{after(group)}"


def _named(ids: Sequence[str], places: Places, side: int) -> str:
    return ", ".join(places.label(side, one) for one in ids)


def _output(group: Group, places: Places) -> str:
    first = group[0]
    if first.consequence == "spelling":
        return "outputs in another order"
    place = "AB".index(side(first))
    names = [_named(finding.pair[place], places, place) for finding in group]
    if len(names) == 1:
        return f"output of {names[0]} only in {side(first)}"
    told = f" ({', '.join(names)})" if len(names) <= _FEW else ""
    return f"{len(names):,} outputs{told} only in {side(first)}"


def _regrouped(group: Group, _: Places) -> str:
    first = group[0]
    tail = f"{times(group, ', ')}{difference(group)}"
    pieces, whole, sides = parts(first)
    if whole.relation in _LISTED and whole.terms[0] in pieces.terms:
        return f"{pieces.text} in {sides[0]} where {sides[1]} has {whole.text}{tail}"
    return f"{first.before.text} in A, {_briefly(first.before, first.after)} in B{tail}"


def _briefly(before: Composition, told: Composition) -> str:
    """`behind it` for `Relu behind Concat` after `Relu before Concat`."""
    same = before.operators == told.operators and {before.relation, told.relation} == _SIDES
    return f"{told.relation} it" if same else told.text


def _shape(group: Group, places: Places) -> str:
    first = group[0]
    change = f"{values.shape(first.before)} → {values.shape(first.after)}"
    if first.operator == "input":
        return f"input {change}{times(group)}{after(group)}"
    why = f": {LAID_OUT[first.alike]}" if first.alike in LAID_OUT else ""
    if len(group) == 1:
        return f"output {change} of {layers(group, places)}{after(group)}{why}"
    return f"output of {layers(group, places)}, first {change}{after(group)}{why}"


def _parameters(group: Group, places: Places) -> str:
    first = group[0]
    delta = sum(finding.delta for finding in group)
    where = layers(group, places)
    if first.alike == FOLLOWS:
        return f"weights follow the other shapes that {where} read ({delta:+,} parameters)"
    alike = "first " if len({(f.before, f.after) for f in group}) > 1 else ""
    if first.alike is not None and first.alike[0] == PIECES:
        held = (_shapes(first.before), _shapes(first.after))
        return f"{first.attribute}: {alike}{held[0]} → {held[1]} in {where} ({delta:+,} parameters)"
    if isinstance(first.before, str):
        tail = f" ({delta:+,} parameters)" if delta else ""
        name = f"{first.attribute} sharing" if is_sharing(first) else first.attribute
        return f"{name}: {alike}{first.before} → {first.after} in {where}{tail}"
    if first.before is None or first.after is None:
        told = named(first, "learned")
        return f"{told} only in {side(first)} in {where} ({abs(delta):,} parameters)"
    axis = 1 if first.operator == "ConvTranspose" else 0
    if first.attribute == "weight" and first.before[axis] != first.after[axis]:
        change = f"{alike}{first.before[axis]} → {first.after[axis]} outputs"
    else:
        shapes = values.shape(first.before), values.shape(first.after)
        change = f"{named(first, 'learned')} {alike}{shapes[0]} → {shapes[1]}"
    more = f" ({delta:+,} parameters)" if delta else ""
    return f"{change} in {where}{more}{after(group)}"


def _shapes(shapes: Sequence[Sequence[int]]) -> str:
    return " + ".join(map(values.shape, shapes)) or "none"


_LISTED: Final = frozenset({"row", "counted"})
"""Relations of layers that are listed one by one."""

_SIDES: Final = frozenset({"before", "behind"})

_LONGEST: Final = 4
"""Operators of a block that are named."""

_FEW: Final = 3
"""Outputs that are named one by one."""

_TITLES: Final[dict[str, Callable[[Group, Places], str]]] = {
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
