"""Activations before a Concat or a MaxPool in one graph, and after it in the other."""

from __future__ import annotations

from typing import Final

from modeldocs.diff.fused_group import FusedGroup
from modeldocs.diff.fusion.view import FusionView, read, readers
from modeldocs.diff.indexing.indexed_graph import IndexedGraph
from modeldocs.ir import operators

_UNARY: Final = operators.named(unary=True)
_MONOTONE: Final = operators.named(unary=True, monotone=True)

_MAXIMA: Final = operators.named(over_plane="GlobalMaxPool", channels_first=True)

_COMMUTES: Final = {"Concat": _UNARY, **dict.fromkeys(_MAXIMA, _MONOTONE)}
"""Operators that commute with activations, and the activations."""


def find(view: FusionView) -> None:
    """Group activations before a layer with the one after its counterpart."""
    for x, y in enumerate(view.to_fused):
        operator = view.decomposed.ops[x].operator
        if y >= 0 and operator in _COMMUTES and view.fused_graph.ops[y].operator == operator:
            _group(view, x, y, operator)


def _group(view: FusionView, x: int, y: int, operator: str) -> None:
    after = readers(view.fused_graph, y)
    if len(after) != 1 or after[0] < 0 or not view.are_ungrouped([x], [y, after[0]]):
        return
    activation = view.fused_graph.ops[after[0]]
    sources = read(view.decomposed, x)
    before = [node for node in sources if view.decomposed.ops[node].same_function(activation)]
    if activation.operator not in _COMMUTES[operator] or activation.parameters or not before:
        return
    counterpart = view.to_decomposed[after[0]]
    if (
        counterpart >= 0
        and counterpart not in before
        and view.decomposed.ops[counterpart].same_function(activation)
    ):
        return  # the other graph has both, before and after
    if any(readers(view.decomposed, node) != [x] for node in before):
        return
    if activation.operator != "Relu" and len(before) != len(sources):
        return
    rest = [node for node in sources if node not in before]
    there = read(view.fused_graph, y)
    if any(view.fused_graph.ops[node].same_function(activation) for node in there):
        return
    if not all(_never_negative(view.decomposed, node) for node in rest):
        return
    if not view.are_ungrouped(before, ()):
        return
    both = activation.operator, operator
    compositions = (
        FusedGroup(operators=both, relation="before"),
        FusedGroup(operators=both, relation="after"),
    )
    view.group((*sorted(set(before)), x), (y, after[0]), compositions, "spelling", loose=before)


def _never_negative(graph: IndexedGraph, node: int) -> bool:
    """Whether a node's output is at least zero, by the operators of its nearest ancestors."""
    for _ in range(4):
        operator = operators.of(graph.ops[node].operator)
        if operator.non_negative:
            return True
        if not operator.keeps_sign or len(read(graph, node)) != 1 or graph.ops[node].parameters:
            return False
        node = read(graph, node)[0]
    return False
