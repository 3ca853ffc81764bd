"""The output head: changes of what follows the last layer that two networks have in common.

One port ends in a Softmax, another gives the logits, a third their logarithms: frameworks differ in
where they put the activation (in the network, or in the loss), and nothing else depends on it. So
do networks of which one ends before its classifier, or returns more.
"""

from __future__ import annotations

from typing import Final

from modeldocs.diff import Change, Diff
from modeldocs.ir import LayerGraph, operators

ACTIVATIONS: Final = frozenset({"Softmax", "LogSoftmax", "Sigmoid", "Log"})
"""Operators that turn the last layer's numbers into probabilities, or these into logarithms."""

_PASSING: Final = operators.moving("identity", "reshape", "transpose", "cut", "join") | {"Dropout"}
"""Operators that only pass on what an output activation gives, or join it with other outputs."""


def changes(diff: Diff, graphs: tuple[LayerGraph, LayerGraph]) -> frozenset[int]:
    """The numbers, from 1, of the changes that are of the output head alone.

    By structure such a change inserts, deletes or exchanges layers, all of them output activations
    behind which no layer computes anything further: no path leads from them to a layer with
    parameters, or to another operator than an output activation or one that passes values on. Where
    both were run, it is any that only one has and behind which only outputs are.
    """
    measured = _measured(diff)
    candidates = [n for n, one in enumerate(diff.changes, start=1) if _may_be(one)]
    if not candidates:
        return measured
    heads = tuple(_head(graph) for graph in graphs)
    return measured | frozenset(
        number
        for number in candidates
        if all(
            set(ids) <= head
            for pair in diff.changes[number - 1].pairs
            for ids, head in zip(pair, heads, strict=True)
        )
    )


def _measured(diff: Diff) -> frozenset[int]:
    """Changes of layers and outputs that only one has, with only outputs behind them."""
    parity = diff.parity
    if parity is None or parity.verdict == "not run":
        return frozenset()
    ending = {number for direction in parity.directions for number in direction.ending}
    return frozenset(
        number
        for number, change in enumerate(diff.changes, start=1)
        if change.consequence != "spelling"
        and (
            (change.operator == "output" and change.kind == "rewired")
            or (number in ending and change.kind in ("inserted", "deleted"))
        )
    )


def _may_be(change: Change) -> bool:
    """Whether a change has the form of one of the head, wherever its layers are."""
    if change.consequence == "spelling" or change.parameter_delta or change.followers:
        return False
    return change.kind in ("inserted", "deleted", "operator", "regrouped")


def _head(graph: LayerGraph) -> set[str]:
    """Ids of the output activations of a graph, behind which nothing is computed."""
    computed_on: set[str] = set()
    head: set[str] = set()
    for layer in reversed(graph.layers):
        ends = layer.operator in ACTIVATIONS | _PASSING and not layer.parameters
        if ends and layer.id not in computed_on:
            if layer.operator in ACTIVATIONS:
                head.add(layer.id)
        else:
            computed_on.update(operand.value for operand in layer.inputs)
    return head
