"""How two matched layers differ by themselves: operator, attributes, padding, arrangement."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from modeldocs.diff.attributes import TRAINING
from modeldocs.diff.finding import Finding
from modeldocs.diff.forms import DENSE, Form
from modeldocs.graph import Layer, Operand

_CEIL = "ceil_mode"


def findings(a: Layer, b: Layer, ours: Form, theirs: Form) -> Iterator[Finding]:
    """Differences between two matched layers, whatever surrounds them."""
    pair = (a.id, b.id)
    if a.operator != b.operator:
        same = ours.same_function(theirs)
        means = "spelling" if same or ours.operator == theirs.operator else "computes"
        yield Finding("operator", means, "", pair, None, a.operator, b.operator)
        if ours.operator == theirs.operator and not same:
            for name, before, after in _differing(dict(ours.attributes), dict(theirs.attributes)):
                yield Finding("attribute", "computes", a.operator, pair, name, before, after)
        return
    for name, before, after, means in _attributes(ours, theirs):
        yield Finding("attribute", means, a.operator, pair, name, before, after)
    if _told_padding(a) != _told_padding(b) and _pads(ours) == _pads(theirs) is not None:
        yield Finding("attribute", "spelling", a.operator, pair, "padding", a.padding, b.padding)
    yield from _arrangements(a, b, ours, pair)


def _attributes(ours: Form, theirs: Form) -> Iterator[tuple[str, Any, Any, str]]:
    left, right = dict(ours.attributes), dict(theirs.attributes)
    same = ours.same_function(theirs)
    found = _differing(dict(ours.stated), dict(theirs.stated))
    names = {name for name, _, _ in found}
    for name, before, after in found:
        if same or name in TRAINING:
            yield name, before, after, "spelling"
        elif name == "pads" and _CEIL in names and _parted(left, right, name):
            rounding = dict(ours.stated).get(_CEIL), dict(theirs.stated).get(_CEIL)
            yield name, _rounded(before, rounding[0]), _rounded(after, rounding[1]), "computes"
        elif name != _CEIL or "pads" not in names or not _parted(left, right, "pads"):
            by = "pads" if name == _CEIL else name
            alters = ours.operator != theirs.operator or _parted(left, right, by)
            yield name, before, after, "computes" if alters else "spelling"


def _parted(left: dict[str, Any], right: dict[str, Any], name: str) -> bool:
    return bool(left.get(name) != right.get(name))


def _rounded(pads: Any, ceil: Any) -> tuple[Any, ...]:
    return (*pads, "ceil" if ceil else "floor")


def _differing(left: dict[str, Any], right: dict[str, Any]) -> list[tuple[str, Any, Any]]:
    return [
        (name, left.get(name), right.get(name))
        for name in sorted(left.keys() | right.keys())
        if left.get(name) != right.get(name)
    ]


def _told_padding(layer: Layer) -> str | None:
    return layer.padding.casefold() if layer.padding else None


def _pads(form: Form) -> Any:
    return dict(form.stated).get("pads")


def _arrangements(
    a: Layer, b: Layer, form: Form, pair: tuple[str | None, str | None]
) -> Iterator[Finding]:
    """Operands whose axes are permuted on one side only; a dense layer's weights make up for it."""
    before, after = _transposed(a.inputs), _transposed(b.inputs)
    if before != after:
        means = "spelling" if form.operator == DENSE else "computes"
        yield Finding("attribute", means, a.operator, pair, "order of axes", before, after)


def _transposed(operands: tuple[Operand, ...]) -> tuple[str, ...]:
    told = [permutation for operand in operands for permutation in permutations(operand.notes)]
    return tuple(sorted(told))


def permutations(notes: tuple[str, ...]) -> list[str]:
    """What is left of the transpositions on an edge once neighbours are made one."""
    found: list[str] = []
    current: tuple[int, ...] | None = None
    for note in (*notes, ""):
        head, _, tail = note.partition(" ")
        axes = tail.replace(" ", "").split(",")
        if head == "Transpose" and all(axis.isdigit() for axis in axes):
            step = tuple(int(axis) for axis in axes)
            fits = current is not None and len(current) == len(step)
            current = tuple(current[axis] for axis in step) if current and fits else step
        elif head == "Transpose":
            found.append(note)
        elif head != "Cast" and current is not None:
            if current != tuple(range(len(current))):
                found.append(",".join(map(str, current)))
            current = None
    return found
