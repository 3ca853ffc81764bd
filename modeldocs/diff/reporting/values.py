"""Values of attributes and shapes as text, in titles and in rows of two networks side by side."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from modeldocs import formatting
from modeldocs.diff.diff import Change
from modeldocs.ir import Constant, GraphInput, Layer

Node = Layer | GraphInput
Nodes = Sequence[Node]

_ROUNDING: Final = {"ceil": "rounded up", "floor": "rounded down"}
_LONGEST: Final = 8
"""Elements of a list that are all told; of a longer one, the first."""
_FIRST: Final = 3
_EDGES: Final = ("top", "left", "bottom", "right")
_WIDEST: Final = 60
"""Characters of one side of a difference; longer values are cut."""


def text(value: Any) -> str:
    """A value as text: `1,1` as 1, a missing value as `none`, a constant by type and shape."""
    if isinstance(value, Constant):
        return formatting.constant(value, digest=False)
    if not isinstance(value, tuple | list):
        return "none" if value is None else formatting.number(value)
    if value and isinstance(value[-1], str) and value[-1] in _ROUNDING:
        return f"{text(value[:-1])} {_ROUNDING[value[-1]]}"
    if value and all(item == value[0] for item in value):
        return formatting.number(value[0])
    told = [formatting.number(item) for item in value]
    if len(value) > _LONGEST:
        return f"{','.join(told[:_FIRST])},… ({len(value)})"
    return (",".join(told) or "none") + _one_sided(value)


def _one_sided(value: Any) -> str:
    """The edges of a plane that are padded, where the opposite ones are not."""
    if len(value) != len(_EDGES) or not all(isinstance(item, int) for item in value):
        return ""
    padded = tuple(edge for edge, item in zip(_EDGES, value, strict=True) if item)
    return f" ({' and '.join(padded)} only)" if padded in (_EDGES[:2], _EDGES[2:]) else ""


def both(change: Change, name: str = "") -> str:
    """`epsilon 1e-5 → 2e-5`, with the two values of the change."""
    ours, theirs = (formatting.cut(_text(one), _WIDEST) for one in (change.before, change.after))
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
