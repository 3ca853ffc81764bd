"""How two matched layers differ by themselves: operator, attributes, padding, arrangement."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from modeldocs.diff.attributes import TRAINING
from modeldocs.diff.finding import Finding
from modeldocs.diff.forms import DENSE, Form
from modeldocs.diff.parity import Pair
from modeldocs.graph import Layer, Operand

_CEIL = "ceil_mode"


def findings(a: Layer, b: Layer, ours: Form, theirs: Form) -> Iterator[Finding]:
    """Differences between two matched layers, whatever surrounds them."""
    pair = (a.id,), (b.id,)
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
    """(name, before, after, consequence) of what two layers of one operator state differently."""
    found = {name: rest for name, *rest in _differing(dict(ours.stated), dict(theirs.stated))}
    altering = _altering(ours, theirs, set(found))
    if "pads" in altering and _CEIL in found:
        rounding = found.pop(_CEIL)
        found["pads"] = [
            _rounded(pads, ceil) for pads, ceil in zip(found["pads"], rounding, strict=True)
        ]
    for name, (before, after) in found.items():
        yield name, before, after, "computes" if name in altering else "spelling"


def _altering(ours: Form, theirs: Form, names: set[str]) -> set[str]:
    """Those of the attributes stated differently by which another function is computed."""
    if ours.same_function(theirs):
        return set()
    if ours.operator != theirs.operator:
        return names - TRAINING
    left, right = dict(ours.attributes), dict(theirs.attributes)
    altering = {name for name in names - TRAINING if _parted(left, right, name)}
    counted = "count_include_pad" not in names and _parted(left, right, "count_include_pad")
    if _parted(left, right, "pads") or counted:
        altering |= {"pads"} & names or {_CEIL} & names
    return altering


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


def _arrangements(a: Layer, b: Layer, form: Form, pair: Pair) -> Iterator[Finding]:
    """Operands whose axes are permuted on one side only.

    A dense layer's weights make up for it, and whoever feeds the network does for its inputs.
    """
    before, after = _transposed(a.inputs), _transposed(b.inputs)
    if before != after:
        fed = _fed_otherwise(a.inputs, b.inputs)
        means = "spelling" if fed or form.operator == DENSE else "computes"
        yield Finding("attribute", means, a.operator, pair, "order of axes", before, after)


def _fed_otherwise(a: tuple[Operand, ...], b: tuple[Operand, ...]) -> bool:
    """Whether what is turned are inputs of the network, which the two want in other layouts."""
    turned = [one for one in (*a, *b) if permutations(one.notes)]
    if not all(one.value.startswith("input-") for one in turned):
        return False
    wanted = [[_before(one) for one in side if one.value.startswith("input-")] for side in (a, b)]
    return wanted[0] != wanted[1]


def _before(operand: Operand) -> tuple[Any, ...] | None:
    """The shape that an operand had before it was turned; None where that cannot be told."""
    shape, told = operand.type.shape, permutations(operand.notes)
    if shape is None or not told:
        return shape
    axes = [int(axis) for axis in told[0].split(",") if axis.isdigit()]
    if len(told) > 1 or sorted(axes) != list(range(len(shape))):
        return None
    return tuple(shape[axes.index(axis)] for axis in range(len(axes)))


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
