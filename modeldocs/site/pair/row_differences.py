"""What differs in one row of two networks side by side, in a few words: `pads 0,0,1,1 → 1`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from modeldocs import formatting
from modeldocs.diff import Change
from modeldocs.diff.reporting import values
from modeldocs.ir import GraphInput, Layer
from modeldocs.struct import Struct

Node = Layer | GraphInput

LONGEST = 60
"""Characters of one side of a difference; longer values are cut."""


class RowDifference(Struct, frozen=True):
    """One difference of a row, and the number of the change that it is part of.

    The number is 0 where the row differs only because of a change in other rows.
    """

    change: int
    text: str


def describe(change: Change, a: Sequence[Node], b: Sequence[Node]) -> str:
    """A change as it shows in one of its rows, whose nodes are `a` and `b`."""
    if not a or not b:
        return _one_sided(change, a or b, "B" if not a else "A")
    if change.kind == "parameters":
        return _parameters(change, a, b)
    if change.kind == "shape":
        return output(a, b) or _shapes(change)
    if change.kind == "moved":
        return _moved(change, a, b)
    if change.kind == "rewired":
        return (
            "reads other layers"
            if change.consequence != "spelling"
            else "operands in another order"
        )
    if change.kind == "body":
        return change.title.partition(": ")[2]
    if change.attribute == "padding":
        return _padding(a, b)
    return _values(change.attribute or "", change)


def output(a: Sequence[Node], b: Sequence[Node]) -> str:
    """The shapes of what a row gives, `output 1×64×56×56 → 1×64×28×28`; empty where equal."""
    if len(a) != 1 or len(b) != 1:
        return ""
    ours, theirs = shape(a[0]), shape(b[0])
    noun = "input" if isinstance(a[0], GraphInput) else "output"
    return f"{noun} {ours} → {theirs}" if ours != theirs else ""


def shape(node: Node) -> str:
    """The shape of an input, or of a layer's first output; empty where it has none."""
    if isinstance(node, GraphInput):
        return formatting.shape(node.type)
    return formatting.shape(node.outputs[0]) if node.outputs else ""


def _shapes(change: Change) -> str:
    """The two shapes of the change, where the row itself gives equal ones: those of its input."""
    ours, theirs = (
        formatting.dims(one) if isinstance(one, list | tuple) else values.text(one)
        for one in (change.before, change.after)
    )
    return f"layout of the input {ours} → {theirs}"


def _one_sided(change: Change, nodes: Sequence[Node], side: str) -> str:
    if change.operator == "output":
        return f"output only in {side}"
    count = sum(
        p.elements for n in nodes if isinstance(n, Layer) for p in n.parameters if p.trainable
    )
    noun = "parameter" if count == 1 else "parameters"
    return f"only in {side}" + (f", {count:,} {noun}" if count else "")


def _moved(change: Change, a: Sequence[Node], b: Sequence[Node]) -> str:
    if change.attribute is None:
        ours, theirs = (values.text(one) for one in (change.before, change.after))
        return f"moved: after {ours} → after {theirs}"
    ours, theirs = (
        values.text(nodes[0].attributes.get(change.attribute))
        if isinstance(nodes[0], Layer)
        else ""
        for nodes in (a, b)
    )
    return f"{change.attribute} {ours} → {theirs}, moved" if ours != theirs else change.title


def _attribute(node: Node, name: str) -> str:
    return values.text(node.attributes.get(name)) if isinstance(node, Layer) else ""


def _padding(a: Sequence[Node], b: Sequence[Node]) -> str:
    """The strategies of the source, which compute the same."""
    ours, theirs = (
        (side[0].padding if isinstance(side[0], Layer) else None) or "explicit" for side in (a, b)
    )
    return f"padding {ours} → {theirs}" if ours != theirs else "padding by other explicit pads"


def _parameters(change: Change, a: Sequence[Node], b: Sequence[Node]) -> str:
    """The shapes of the weight that differs: those of this row, not of the change's first."""
    if isinstance(change.before, str) or isinstance(change.after, str):
        return _values(change.attribute or "", change)
    ours, theirs = (_weight(nodes, change.attribute) for nodes in (a, b))
    if ours == theirs:
        return _values(change.attribute or "weights", change)
    return f"{change.attribute} {ours} → {theirs}"


def _weight(nodes: Sequence[Node], role: str | None) -> str:
    """The shapes of the parameters of a role, `none` where there is none."""
    shapes = [
        formatting.dims(one.shape)
        for node in nodes
        if isinstance(node, Layer)
        for one in node.parameters
        if one.role == role
    ]
    return " + ".join(shapes) or "none"


def _values(name: str, change: Change) -> str:
    """`epsilon 1e-05 → 2e-05`, with the two values of the change."""
    ours, theirs = _cut(_text(change.before)), _cut(_text(change.after))
    difference = f"{ours} → {theirs}" if ours != theirs else f"of other values ({ours})"
    return f"{name} {difference}".strip()


def _text(value: Any) -> str:
    """A value; operators and names of several layers as a sum, orders of axes without brackets."""
    if isinstance(value, list | tuple) and value:
        if all(isinstance(one, str) for one in value):
            return " + ".join(value)
        if all(isinstance(one, list | tuple) for one in value):
            return "; ".join(",".join(map(str, one)) for one in value)
    return values.text(value).partition(" (")[0]


def _cut(text: str) -> str:
    return text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"
