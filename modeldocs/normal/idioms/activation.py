"""Activations that frameworks spell out of simpler functions."""

from __future__ import annotations

import math

import onnx_ir as ir

from modeldocs.normal import values
from modeldocs.normal.idioms import matching


def gelu(node: ir.Node) -> bool:
    """X * 0.5 * (1 + erf(x / sqrt 2)), its factors in any order."""
    if not values.is_operator(node, "Mul"):
        return False
    factors = _factors(node)
    numbers = [number for value in factors if (number := values.scalar(value)) is not None]
    rest = [value for value in factors if values.scalar(value) is None]
    if numbers != [0.5] or len(rest) != 2:
        return False
    for source, other in (rest, rest[::-1]):
        inner, one = matching.constant_and_rest(matching.producer(other, "Add"))
        erf = matching.producer(inner, "Erf")
        scaled = matching.producer(erf.inputs[0], "Div", "Mul") if erf else None
        if one == 1.0 and erf is not None and scaled is not None and _is_scaled(scaled, source):
            approximate = ir.AttrString("approximate", "none")
            matching.replace([scaled, erf, node], "Gelu", [source], [approximate])
            return True
    return False


def _is_scaled(node: ir.Node, source: ir.Value) -> bool:
    """Whether a node divides `source` by the root of two."""
    if node.op_type == "Div":
        read, factor = node.inputs[0], values.scalar(node.inputs[1])
        wanted = math.sqrt(2)
    else:
        read, factor = matching.constant_and_rest(node)
        wanted = math.sqrt(0.5)
    return read is source and factor is not None and math.isclose(factor, wanted, rel_tol=1e-5)


def _factors(node: ir.Node) -> list[ir.Value]:
    """Operands of a product of at most three, the inner product read by it alone."""
    found: list[ir.Value] = []
    for value in node.inputs:
        inner = matching.producer(value, "Mul")
        if inner is not None and values.sole_consumer(inner.outputs[0]) is node:
            found.extend(operand for operand in inner.inputs if operand is not None)
        elif value is not None:
            found.append(value)
    return found


def swish(node: ir.Node) -> bool:
    """X * sigmoid(x), also known as SiLU."""
    if not values.is_operator(node, "Mul"):
        return False
    for source, other in (tuple(node.inputs), tuple(node.inputs)[::-1]):
        sigmoid = matching.producer(other, "Sigmoid")
        if sigmoid is not None and sigmoid.inputs[0] is source:
            matching.replace([sigmoid, node], "Swish", [source], [])
            return True
    return False
