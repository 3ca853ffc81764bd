"""Comparisons that only tell which of two numbers a Where has chosen: its condition again."""

from __future__ import annotations

import operator
from collections.abc import Callable

import onnx_ir as ir

from modeldocs.normal.idioms import algebra, matching

_COMPARISONS: dict[str, Callable[[float, float], bool]] = {
    "Less": operator.lt,
    "LessOrEqual": operator.le,
    "Greater": operator.gt,
    "GreaterOrEqual": operator.ge,
    "Equal": operator.eq,
}


def chosen(value: ir.Value) -> tuple[ir.Value, bool] | None:
    """The condition that booleans are, and whether inverted; None where they are no such thing."""
    node = matching.producer(value, *_COMPARISONS)
    if node is None:
        return None
    where, number = matching.producer(node.inputs[0], "Where"), algebra.uniform(node.inputs[1])
    if where is None or number is None or where.inputs[0] is None:
        return None
    numbers = [algebra.uniform(operand) for operand in where.inputs[1:]]
    told = [None if held is None else _COMPARISONS[node.op_type](held, number) for held in numbers]
    if None in told or told[0] == told[1]:
        return None
    return where.inputs[0], not told[0]
