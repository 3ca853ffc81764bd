"""Operators of ONNX: a table with an entry for each, and questions to it.

`of` gives what is known of one operator, `named` those with a property. The names of operands,
which need the schemas, are in `operands`.
"""

from __future__ import annotations

import functools
from collections import defaultdict
from typing import Final, get_args

from modeldocs.ir.operators import contributed, layers, tensors
from modeldocs.ir.operators.operator import CONTRIBUTED, Family, Move, OnnxOperator

__all__ = [
    "CONTRIBUTED", "FAMILIES", "OPSET", "TABLE", "OnnxOperator", "family", "is_contributed",
    "is_learned", "moving", "named", "of", "weighted_slot",
]  # fmt: skip

OPSET: Final = 23
"""The operator set that graphs are in: the first with Attention and RMSNormalization."""

TABLE: Final = {one.name: one for one in (*layers.TABLE, *tensors.TABLE, *contributed.TABLE)}
"""Every operator by its name."""

FAMILIES: Final[tuple[Family, ...]] = get_args(Family)

_UNKNOWN: Final = OnnxOperator("")


def of(name: str) -> OnnxOperator:
    """What is known of an operator; of one that is not in the table, nothing."""
    return TABLE.get(name, _UNKNOWN)


def named(**properties: object) -> frozenset[str]:
    """The names of the operators that have all of these properties."""
    groups = (_by_value(name).get(value, frozenset()) for name, value in properties.items())
    return frozenset(TABLE).intersection(*groups)


@functools.cache
def _by_value(name: str) -> dict[object, frozenset[str]]:
    """The operators by the value of one of their properties."""
    names: defaultdict[object, set[str]] = defaultdict(set)
    for one in TABLE.values():
        names[getattr(one, name)].add(one.name)
    return {value: frozenset(group) for value, group in names.items()}


def moving(*kinds: Move) -> frozenset[str]:
    """The names of the operators that move elements in one of these ways."""
    return frozenset[str]().union(*(named(moves=kind) for kind in kinds))


def family(operator: str) -> Family:
    """The family of an operator, `other` for an unknown one."""
    return of(operator).family


def is_contributed(operator: str) -> bool:
    """Whether it is one of onnxruntime's own operators, in the table or not."""
    return operator.startswith(CONTRIBUTED)


def weighted_slot(operator: str) -> int | None:
    """The operand slot that holds an operator's weight; None where it has none."""
    one = of(operator)
    return one.roles.index("weight") if "weight" in one.roles else one.weight


def is_learned(operator: str, slot: int) -> bool:
    """Whether what is stored in a slot is learned, of whatever type: a weight or its bias."""
    one = of(operator)
    return slot in (one.weight, one.bias) or (operator == "DequantizeLinear" and slot == 0)
