"""Comparisons of a Where of two numbers with a number: they are its condition, or the inverse."""

from __future__ import annotations

import operator
from collections.abc import Callable

import onnx_ir as ir

from modeldocs.normal import values
from modeldocs.normal.fusions import matching

_COMPARISONS: dict[str, Callable[[float, float], bool]] = {
    "Less": operator.lt,
    "LessOrEqual": operator.le,
    "Greater": operator.gt,
    "GreaterOrEqual": operator.ge,
    "Equal": operator.eq,
}
"""What each compares numbers by."""


def condition(value: ir.Value) -> tuple[ir.Value, bool] | None:
    """The condition that a comparison is equal to, and whether inverted; None for others."""
    node = matching.producer(value, *_COMPARISONS)
    if node is None:
        return None
    where, number = matching.producer(node.inputs[0], "Where"), values.uniform(node.inputs[1])
    if where is None or number is None or where.inputs[0] is None:
        return None
    numbers = [values.uniform(operand) for operand in where.inputs[1:]]
    compare = _COMPARISONS[node.op_type]
    results = [None if one is None else compare(one, number) for one in numbers]
    if None in results or results[0] == results[1]:
        return None
    return where.inputs[0], not results[0]
