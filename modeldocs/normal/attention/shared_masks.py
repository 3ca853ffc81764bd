"""Masks that every attention computes again from the same inputs: they are computed once.

This concerns masks that are computed from inputs and constants by arithmetic. Layers with
parameters, and all that reads them, are not merged.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator

import onnx_ir as ir

from modeldocs.ir import operators, origin
from modeldocs.normal import values

_MASK_SLOT = 3

_MASK_OPERATORS = (
    operators.named(elementwise=True)
    | operators.moving("identity", "cast", "reshape", "transpose", "join", "copy")
    | operators.named(reduces="axes")
    | {"Slice", "Gather", "CumSum"}
)
"""Arithmetic of one output."""


def unite(graph: ir.Graph) -> None:
    """Merge equal nodes of masks into the first of them."""
    equal: dict[Hashable, list[ir.Node]] = {}
    for node in _mask_nodes(graph):
        nodes = equal.setdefault(_key(node), [node])
        if nodes[0] is not node and not node.outputs[0].is_graph_output():
            nodes.append(node)
            ir.convenience.replace_all_uses_with(node.outputs[0], nodes[0].outputs[0])
    for first, *others in equal.values():
        if others:
            origin.merge(first, first, *others)
            graph.remove(others, safe=True)


def _mask_nodes(graph: ir.Graph) -> Iterator[ir.Node]:
    """The nodes that compute masks from inputs and constants alone, in order."""
    candidates = _ancestors(
        mask
        for node in graph
        if values.is_operator(node, "Attention") and (mask := values.operand(node, _MASK_SLOT))
    )
    computed: set[ir.Value] = set()
    for node in list(graph):
        operands = [value for value in node.inputs if value is not None]
        if node in candidates and all(one in computed or _is_source(one) for one in operands):
            computed.update(node.outputs)
            yield node


def _ancestors(masks: Iterable[ir.Value]) -> set[ir.Node]:
    """The nodes that masks are computed by, up to other operators than those of masks."""
    nodes: set[ir.Node] = set()
    pending = list(masks)
    while pending:
        node = pending.pop().producer()
        if node is None or node in nodes or not values.is_operator(node, *_MASK_OPERATORS):
            continue
        nodes.add(node)
        pending.extend(value for value in node.inputs if value is not None)
    return nodes


def _is_source(value: ir.Value) -> bool:
    return value.is_graph_input() or values.constant(value) is not None


def _key(node: ir.Node) -> Hashable:
    """A node's operator, attributes and operands: equal for nodes that compute the same."""
    settings = {name: str(attribute.value) for name, attribute in node.attributes.items()}
    operands = tuple(_identity(value) for value in node.inputs)
    return node.op_type, tuple(sorted(settings.items())), operands


def _identity(value: ir.Value | None) -> Hashable:
    """The value itself, or the elements of a constant."""
    array = values.constant(value)
    return value if array is None else (str(array.dtype), array.shape, array.tobytes())
