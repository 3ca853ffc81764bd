"""Sums and commutative operators in one form: flat, with computed operands first."""

from __future__ import annotations

import onnx_ir as ir

from modeldocs.ir import operators
from modeldocs.normal import values
from modeldocs.normal.builder import GraphBuilder
from modeldocs.normal.data_movement import tracing
from modeldocs.normal.fusions import matching

COMMUTATIVE = operators.named(commutative=True)
SUMS = operators.named(affine="shift", commutative=True)


def sort_operands(node: ir.Node, _: GraphBuilder) -> bool:
    """Sort operands of a commutative operator: computed values, then parameters, then constants."""
    if not values.is_operator(node, *COMMUTATIVE) or None in node.inputs:
        return False
    operands = [value for value in node.inputs if value is not None]
    for slot, value in enumerate(sorted(operands, key=_rank)):
        node.replace_input_with(slot, value)
    return True


def _rank(value: ir.Value) -> int:
    """0 for a computed value, 1 for a parameter or what is composed of it, 2 for a constant."""
    while not values.is_parameter(value):
        node = value.producer()
        if node is None:
            return 2 if value.const_value is not None else 0
        if not values.is_operator(node, *tracing.ARRANGES) or node.inputs[0] is None:
            return 0
        value = node.inputs[0]
    return 1


def flatten(node: ir.Node, _: GraphBuilder) -> bool:
    """A tree of Adds whose partial sums nothing else reads, as one Sum; a Sum of two as an Add."""
    if not _is_sum(node) or _is_sum(values.sole_consumer(node.outputs[0])):
        return False
    nodes, terms = _tree(node)
    operator = "Sum" if len(terms) > 2 else "Add"
    if len(terms) < 2 or (len(nodes) == 1 and operator == node.op_type):
        return False
    matching.replace(nodes, operator, terms, [])
    return True


def _is_sum(node: ir.Node | None) -> bool:
    """Whether a node adds tensors of floating-point numbers."""
    if not values.is_operator(node, *SUMS) or node is None or None in node.inputs:
        return False
    dtype = node.outputs[0].dtype
    return dtype is not None and dtype.is_floating_point()


def _tree(node: ir.Node) -> tuple[list[ir.Node], list[ir.Value]]:
    """The nodes of a tree of sums, the root last, and its terms in order."""
    nodes: list[ir.Node] = [node]
    terms: list[ir.Value] = []
    pending = [(value, node) for value in reversed(node.inputs)]
    while pending:
        value, reader = pending.pop()
        producer = value.producer() if value is not None else None
        if value is None:
            continue
        if producer is not None and _is_sum(producer) and values.sole_consumer(value) is reader:
            nodes.append(producer)
            pending.extend((inner, producer) for inner in reversed(producer.inputs))
        else:
            terms.append(value)
    return nodes[::-1], terms
