"""An activation before each branch of a Concat or before a MaxPool, or one behind it."""

from __future__ import annotations

from typing import Final

from modeldocs.diff.composition import Composition
from modeldocs.diff.indexing.indexed_graph import IndexedGraph
from modeldocs.diff.regrouped.facing import Facing, read, readers

_MONOTONE: Final = frozenset(
    {
        "Relu", "LeakyRelu", "Sigmoid", "HardSigmoid", "Tanh", "Elu", "Selu", "Celu", "Clip",
        "Softplus", "Softsign", "Exp", "Log", "Sqrt", "Erf", "ThresholdedRelu",
    }
)  # fmt: skip
ELEMENTWISE: Final = _MONOTONE | {"Gelu", "Swish", "HardSwish", "Mish", "Abs", "Neg", "Identity"}
"""Operators that bend each number alone."""

_COMMUTES: Final = {"Concat": ELEMENTWISE, "MaxPool": _MONOTONE, "GlobalMaxPool": _MONOTONE}
"""Operators that an activation may stand before or behind, with those activations."""

_KEEPS_SIGN: Final = frozenset({"Concat", "MaxPool", "AveragePool", "GlobalAveragePool", "Slice"})


def find(facing: Facing) -> None:
    """Group activations before a layer with the one behind its counterpart."""
    for x, y in enumerate(facing.to_few):
        operator = facing.many.ops[x].operator
        if y >= 0 and operator in _COMMUTES and facing.few.ops[y].operator == operator:
            _grouped(facing, x, y, operator)


def _grouped(facing: Facing, x: int, y: int, operator: str) -> None:
    behind = readers(facing.few, y)
    if len(behind) != 1 or behind[0] < 0 or not facing.untaken([x], [y, behind[0]]):
        return
    wanted = facing.few.ops[behind[0]]
    sources = read(facing.many, x)
    before = [node for node in sources if facing.many.ops[node].same_function(wanted)]
    if wanted.operator not in _COMMUTES[operator] or wanted.parameters or not before:
        return
    held = facing.to_many[behind[0]]
    if held >= 0 and held not in before and facing.many.ops[held].same_function(wanted):
        return  # it is there before and behind, as another layer
    if any(readers(facing.many, node) != [x] for node in before):
        return
    if wanted.operator != "Relu" and len(before) != len(sources):
        return
    rest = [node for node in sources if node not in before]
    there = read(facing.few, y)
    if any(facing.few.ops[node].same_function(wanted) for node in there):
        return
    if not all(_never_negative(facing.many, node) for node in rest):
        return
    if not facing.untaken(before, ()):
        return
    operators = wanted.operator, operator
    told = (
        Composition(operators=operators, relation="before"),
        Composition(operators=operators, relation="behind"),
    )
    facing.group((*sorted(set(before)), x), (y, behind[0]), told, "spelling", loose=before)


def _never_negative(graph: IndexedGraph, node: int) -> bool:
    """Whether a node's output is at least zero, by what it is made of nearby."""
    for _ in range(4):
        operator = graph.ops[node].operator
        if operator in ("Relu", "Sigmoid", "Softmax", "Abs"):
            return True
        if operator not in _KEEPS_SIGN or len(read(graph, node)) != 1:
            return False
        node = read(graph, node)[0]
    return False
