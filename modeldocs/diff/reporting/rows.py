"""What a change shows in one row of two networks side by side: `pads 0,0,1,1 → 1`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from modeldocs import formatting
from modeldocs.diff.diff import Change
from modeldocs.diff.reporting.values import text
from modeldocs.ir import GraphInput, Layer

Node = Layer | GraphInput
Nodes = Sequence[Node]

_LONGEST: Final = 60
"""Characters of one side of a difference; longer values are cut."""


def values(change: Change, name: str = "") -> str:
    """`epsilon 1e-05 → 2e-05`, with the two values of the change."""
    ours, theirs = _cut(_text(change.before)), _cut(_text(change.after))
    difference = f"{ours} → {theirs}" if ours != theirs else f"of other values ({ours})"
    return f"{change.attribute or name} {difference}".strip()


def output(a: Nodes, b: Nodes) -> str:
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


def layers(nodes: Nodes) -> list[Layer]:
    """The nodes without inputs of the network."""
    return [node for node in nodes if isinstance(node, Layer)]


def _text(value: Any) -> str:
    """A value; operators and names of several layers as a sum, orders of axes without brackets."""
    if isinstance(value, list | tuple) and value:
        if all(isinstance(one, str) for one in value):
            return " + ".join(value)
        if all(isinstance(one, list | tuple) for one in value):
            return "; ".join(",".join(map(str, one)) for one in value)
    return text(value).partition(" (")[0]


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"
