"""The order of a weight's rows where several things are packed in them: q, k and v, heads, gates.

Each output of a projection is numbered, and the numbers follow operators that only move elements,
in both networks, to the layers that compute with them. Where layers that correspond read other
numbers, the rows are in another order.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

import numpy as np

from modeldocs.diff.parity import Ids
from modeldocs.ir import operators
from modeldocs.normal import values
from modeldocs.numeric.parity.feature_tracking import moved
from modeldocs.numeric.parity.runnable_graph import RunnableGraph


@dataclass(frozen=True)
class _ReadRows:
    """The number of the output in each place of what is read, and the activations before it."""

    numbers: np.ndarray
    activations: tuple[str, ...] = ()


@dataclass(frozen=True)
class _Readings:
    """What is read of a layer's outputs, by layer and slot; `passed` are the layers on the way."""

    at: dict[str, dict[int, _ReadRows]] = field(default_factory=dict)
    passed: list[str] = field(default_factory=list)


_ACTIVATIONS = operators.named(family="activation", unary=True)
"""Activations that map each value by itself."""

_MOVING = operators.moving("cut") | {"Gather"}
"""Layers that only move elements."""

Operand = tuple[str, int]
"""A layer, and the slot of one of its operands."""

MAX_ELEMENTS = 2**22
"""Elements of the largest output that is numbered."""


@dataclass(frozen=True)
class PackedRowOrder:
    """For each output of a layer of B, its index among those of its counterpart in A.

    `passed` are the layers of A between it and the layers that read its outputs.
    """

    positions: np.ndarray
    passed: tuple[str, ...]


def row_order(
    a: RunnableGraph,
    b: RunnableGraph,
    ours: str,
    theirs: str,
    counterpart: Mapping[str, tuple[str, ...]],
) -> PackedRowOrder | None:
    """The order of B's outputs; None where it is A's, or where it cannot be followed."""
    if not (_moves(a, ours) or _moves(b, theirs)):
        return None
    left, right = _readings(a, ours), _readings(b, theirs)
    if left is None or right is None:
        return None
    count = _outputs(b, theirs)
    positions = np.full(count, -1)
    for layer, slots in left.at.items():
        for other in counterpart.get(layer, ()):
            for read, there in _pairs(a, b, (layer, slots), (other, right.at.get(other, {}))):
                if read.shape != there.shape:
                    continue
                known = positions[there]
                if bool(((known != -1) & (known != read)).any()):
                    return None
                positions[there] = read
                if not np.array_equal(positions[there], read):
                    return None
    is_order = sorted(positions.tolist()) == list(range(count))
    if not is_order or bool((np.diff(positions) == 1).all()):
        return None
    return PackedRowOrder(positions, tuple(left.passed))


def row_sets(graph: RunnableGraph, layer: str, end: Ids) -> list[np.ndarray]:
    """The outputs of a layer that lead to different operands of the layers `end`, as numbers.

    Empty where all of them lead to the same, or where they cannot be followed.
    """
    readings = _readings(graph, layer)
    if readings is None:
        return []
    leading = _operands(graph, layer, end)
    found: dict[frozenset[Operand], set[int]] = {}
    for reader, slots in readings.at.items():
        for slot, read in slots.items():
            operands = {(reader, slot)} if reader in end else leading.get(reader, set())
            numbers = found.setdefault(frozenset(operands), set())
            numbers |= set(np.unique(read.numbers).tolist())
    sets = list(found.values())
    apart = len(sets) > 1 and sum(map(len, sets)) == len(set().union(*sets))
    return [np.array(sorted(one)) for one in sets] if apart else []


def rows_read(graph: RunnableGraph, layer: str, readers: Collection[str]) -> set[frozenset[int]]:
    """The outputs of a layer that an operand of some other layers has, as numbers."""
    readings = _readings(graph, layer)
    at = {} if readings is None else readings.at
    return {
        frozenset(np.unique(read.numbers).tolist())
        for reader in at.keys() & set(readers)
        for read in at[reader].values()
    }


def _operands(graph: RunnableGraph, start: str, end: Ids) -> dict[str, set[Operand]]:
    """The operands of the layers `end` that each layer behind `start` leads to."""
    found: dict[str, set[Operand]] = {}
    for name in end:
        for edge in graph.edges[name]:
            waiting = [edge.producer]
            while waiting:
                layer = waiting.pop()
                operands = found.setdefault(layer, set())
                if layer not in (start, *end) and (name, edge.slot) not in operands:
                    operands.add((name, edge.slot))
                    waiting += [one.producer for one in graph.edges.get(layer, [])]
    return found


def _pairs(
    a: RunnableGraph,
    b: RunnableGraph,
    ours: tuple[str, Mapping[int, _ReadRows]],
    theirs: tuple[str, Mapping[int, _ReadRows]],
) -> list[tuple[np.ndarray, np.ndarray]]:
    """What two layers read in slots that correspond.

    Operands of a sum or product may be exchanged: they are told by the activations before them.
    """
    operator = a.layers[ours[0]].operator
    if operator != b.layers[theirs[0]].operator:
        return []
    left, right = (
        {str(slot): read.numbers for slot, read in one[1].items()} for one in (ours, theirs)
    )
    if operators.of(operator).commutative:
        named = [
            {str(read.activations): read.numbers for read in one[1].values()}
            for one in (ours, theirs)
        ]
        if len(named[0]) == len(left) and named[0].keys() == named[1].keys():
            left, right = named
    return [(left[slot], right[slot]) for slot in left if slot in right]


def _outputs(graph: RunnableGraph, layer: str) -> int:
    """The number of outputs of a projection or convolution."""
    shape = values.shape(graph.nodes[layer].outputs[0]) or (0,)
    return shape[_axis(graph, layer)] if len(shape) > 1 else shape[-1]


def _axis(graph: RunnableGraph, layer: str) -> int:
    return 1 if graph.layers[layer].operator == "Conv" else -1


def _moves(graph: RunnableGraph, layer: str) -> bool:
    """Whether anything moves a layer's outputs before a layer computes with them."""
    waiting = [str(graph.nodes[layer].outputs[0].name)]
    while waiting:
        for edge in graph.readers.get(waiting.pop(), []):
            operator = graph.layers[edge.layer].operator
            if edge.path.steps or edge.path.steps is None or operator in _MOVING:
                return True
            if operator in _ACTIVATIONS:
                waiting.append(str(graph.nodes[edge.layer].outputs[0].name))
    return False


def _readings(graph: RunnableGraph, layer: str) -> _Readings | None:
    """The numbers of a layer's outputs where layers compute with them; None where it is unknown."""
    output = graph.nodes[layer].outputs[0]
    shape = values.shape(output)
    if shape is None or len(shape) < 2 or np.prod(shape) > MAX_ELEMENTS:
        return None
    axis = _axis(graph, layer) % len(shape)
    wide = [1] * len(shape)
    wide[axis] = shape[axis]
    numbers = np.broadcast_to(np.arange(shape[axis]).reshape(wide), shape)
    readings = _Readings()
    waiting = [(str(output.name), _ReadRows(numbers))]
    while waiting:
        name, before = waiting.pop()
        if name in graph.output_layers:
            return None
        for edge in graph.readers.get(name, []):
            if edge.path.steps is None:
                return None
            read = _ReadRows(edge.path.forward(before.numbers), before.activations)
            onwards = _onwards(graph, edge.layer, edge.slot, read)
            if onwards is None:
                readings.at.setdefault(edge.layer, {})[edge.slot] = read
            else:
                readings.passed.append(edge.layer)
                waiting += onwards
    return readings


def _onwards(
    graph: RunnableGraph, layer: str, slot: int, read: _ReadRows
) -> list[tuple[str, _ReadRows]] | None:
    """What is in each output of a layer that only moves values, or maps each by itself."""
    node, operator = graph.nodes[layer], graph.layers[layer].operator
    if slot or graph.weights[layer] or len(graph.edges[layer]) != 1:
        return None
    if operator in _ACTIVATIONS:
        passed = _ReadRows(read.numbers, (*read.activations, operator))
        return [(str(node.outputs[0].name), passed)]
    if not values.is_operator(node, *_MOVING):
        return None
    found = moved(node, read.numbers)
    if found is None:
        return None
    return [(str(value.name), _ReadRows(array, read.activations)) for value, array in found]
