"""The line of a change, in the words of a person who ports models."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from modeldocs.diff.changes.finding import Finding
from modeldocs.diff.words import attribute_titles, values
from modeldocs.diff.words.phrases import after, difference, layers, side, times, within
from modeldocs.diff.words.places import Places

Group = Sequence[Finding]


def title(group: Group, places: Places) -> str:
    """One line for findings that are told alike."""
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
    if any(len(ids) > 1 for ids in first.pair):
        replaced = f"{first.before} in A replaced by {first.after} in B{times(group)}"
        return f"{replaced}{difference(group)}{after(group)}"
    return f"{first.before} → {first.after} in {where}{difference(group)}{after(group)}"


def _one_sided(group: Group, _: Places) -> str:
    first = group[0]
    held = abs(sum(finding.delta for finding in group))
    tail = (f" ({held:,} parameters)" if held else "") + after(group)
    if len(group) > 1:
        return f"{first.operator} × {len(group):,} only in {side(first)}{tail}"
    if first.where == "at the end":
        return f"ends in {first.operator} only in {side(first)}{tail}"
    place = f" {first.where}" if first.where else ""
    return f"{first.operator}{place} only in {side(first)}{tail}"


def _moved(group: Group, places: Places) -> str:
    first = group[0]
    if first.amount is not None:
        blocks = "one block" if len(group) == 1 else f"{len(group):,} blocks"
        return (
            f"stride {values.told(first.amount)} moved from the {first.before}"
            f" to the {first.after} {first.where} in {blocks}{within(group, places)}"
        )
    where = f"behind {first.before or 'nothing'} in A, behind {first.after or 'nothing'} in B"
    count = f", × {len(group):,}" if len(group) > 1 else ""
    return f"{first.operator} moved: {where}{count}{after(group)}"


def _rewired(group: Group, places: Places) -> str:
    first = group[0]
    if first.operator == "output":
        return _output(group)
    if len(group) == 1:
        reads = f"reads {values.told(first.before)} in A, {values.told(first.after)} in B"
        return f"{first.operator} {first.pair[0][0]} {reads}{after(group)}"
    return f"{layers(group, places)} read other layers{after(group)}"


def _output(group: Group) -> str:
    first = group[0]
    if first.consequence == "spelling":
        return "outputs in another order"
    name = first.before if first.after is None else first.after
    if len(group) == 1:
        return f"output of {name} only in {side(first)}"
    return f"{len(group):,} outputs only in {side(first)}"


def _regrouped(group: Group, _: Places) -> str:
    first = group[0]
    before, behind = first.before.split(" + "), first.after.split(" + ")
    fewer, more, where = (
        (behind, before, "B") if len(before) > len(behind) else (before, behind, "A")
    )
    if set(fewer) < set(more):
        rest = " + ".join(name for name in more if name not in fewer)
        count = f"{len(group):,} places" if len(group) > 1 else "one place"
        folded = f"{rest} folded into {' + '.join(fewer)} in {where} in {count}"
        return f"{folded}{difference(group)}"
    count = f", × {len(group):,}" if len(group) > 1 else ""
    told = _briefly(first.before, first.after)
    return f"{first.before} in A, {told} in B{count}{difference(group)}"


def _briefly(before: str, told: str) -> str:
    """`behind it` for `Relu behind Concat` after `Relu before Concat`."""
    ours, theirs = before.split(" "), told.split(" ")
    same = len(ours) == len(theirs) == 3 and ours[::2] == theirs[::2]
    return f"{theirs[1]} it" if same else told


def _shape(group: Group, places: Places) -> str:
    first = group[0]
    change = f"{values.shape(first.before)} → {values.shape(first.after)}"
    if first.operator == "input":
        return f"input {change}{times(group)}{after(group)}"
    if len(group) == 1:
        return f"output {change} of {layers(group, places)}{after(group)}"
    return f"output of {layers(group, places)}, first {change}{after(group)}"


def _parameters(group: Group, places: Places) -> str:
    first = group[0]
    delta = sum(finding.delta for finding in group)
    where = layers(group, places)
    if isinstance(first.before, str):
        tail = f" ({delta:+,} parameters)" if delta else ""
        return f"{first.attribute}: {first.before} → {first.after} in {where}{tail}"
    if first.before is None or first.after is None:
        return f"{first.attribute} only in {side(first)} in {where} ({abs(delta):,} parameters)"
    alike = "first " if len({(f.before, f.after) for f in group}) > 1 else ""
    if first.attribute == "weight" and first.before[:1] != first.after[:1]:
        change = f"{alike}{first.before[0]} → {first.after[0]} outputs"
    else:
        shapes = values.shape(first.before), values.shape(first.after)
        change = f"{first.attribute} {alike}{shapes[0]} → {shapes[1]}"
    return f"{change} in {where} ({delta:+,} parameters){after(group)}"


_TITLES: Final[dict[str, Callable[[Group, Places], str]]] = {
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
