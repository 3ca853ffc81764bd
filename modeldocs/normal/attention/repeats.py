"""Masks that each attention computes anew of the same inputs: computed once, as one mask is.

Only what is made of inputs and constants by arithmetic: layers with parameters, and all that reads
them, stay as many as they are.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator

import onnx_ir as ir

from modeldocs.ir import origin
from modeldocs.normal import values, views

_SLOT = 3
"""The operand of an Attention that is its mask."""

_MADE_OF = (
    *views.MOVES,
    *("Cast", "Expand", "Slice", "Gather", "CumSum", "Where", "Not", "And", "Or", "Min", "Max"),
    *("Add", "Sub", "Mul", "Div", "Neg", "Abs", "Equal", "Less", "LessOrEqual"),
    *("Greater", "GreaterOrEqual", "ReduceMin", "ReduceMax", "ReduceSum"),
)


def unite(graph: ir.Graph) -> None:
    """Put the first in place of every other that masks are made of and that gives the same."""
    alike: dict[Hashable, list[ir.Node]] = {}
    for node in _of_masks(graph):
        found = alike.setdefault(_told(node), [node])
        if found[0] is not node and not node.outputs[0].is_graph_output():
            found.append(node)
            ir.convenience.replace_all_uses_with(node.outputs[0], found[0].outputs[0])
    for first, *others in alike.values():
        if others:
            origin.merge(first, first, *others)
            graph.remove(others, safe=True)


def _of_masks(graph: ir.Graph) -> Iterator[ir.Node]:
    """The nodes that make masks of inputs and constants alone, in order."""
    makers = _above(
        mask
        for node in graph
        if values.is_operator(node, "Attention") and (mask := values.operand(node, _SLOT))
    )
    made: set[ir.Value] = set()
    for node in list(graph):
        operands = [value for value in node.inputs if value is not None]
        if node in makers and all(value in made or _is_given(value) for value in operands):
            made.update(node.outputs)
            yield node


def _above(masks: Iterable[ir.Value]) -> set[ir.Node]:
    """What masks may be made of, up to the nodes that are something else."""
    found: set[ir.Node] = set()
    waiting = list(masks)
    while waiting:
        node = waiting.pop().producer()
        if node is None or node in found or not values.is_operator(node, *_MADE_OF):
            continue
        found.add(node)
        waiting.extend(value for value in node.inputs if value is not None)
    return found


def _is_given(value: ir.Value) -> bool:
    return value.is_graph_input() or values.constant(value) is not None


def _told(node: ir.Node) -> Hashable:
    """What a node computes and of which values; the same for two that give the same."""
    settings = {name: str(held.value) for name, held in node.attributes.items()}
    operands = tuple(_identity(value) for value in node.inputs)
    return node.op_type, tuple(sorted(settings.items())), operands


def _identity(value: ir.Value | None) -> Hashable:
    """A value, or the elements of a constant."""
    array = values.constant(value)
    return value if array is None else (str(array.dtype), array.shape, array.tobytes())
