"""Inputs and outputs with their channels first in one graph and last in the other."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from modeldocs.diff.alignment.matching import Matching
from modeldocs.diff.changes.finding import Finding
from modeldocs.diff.changes.operand_orders import transpositions
from modeldocs.diff.changes.position import Position
from modeldocs.diff.changes.tensors import difference
from modeldocs.diff.indexing.indexed_graph import IndexedGraph
from modeldocs.diff.parity import Pair
from modeldocs.ir import GraphInput, Layer, Operand, TensorType

_LAST: Final = {side: Position("channels last", side) for side in "AB"}
LAYOUT: Final = "layout"
"""Attribute of findings on inputs and outputs whose axes have another order."""


def findings(matching: Matching) -> Iterator[tuple[int, Finding]]:
    """(node of A, finding) for each input that its readers transpose to the same tensor."""
    for i, j in matching.pairs():
        a, b = matching.a.nodes[i], matching.b.nodes[j]
        if not isinstance(a, GraphInput) or not isinstance(b, GraphInput):
            continue
        if _permuted(a.type, b.type):
            readers = _readers(matching, i, j)
            where = next(iter(readers.values()), _of_one_channel(a.type, b.type))
            if where:
                shapes = a.type.shape, b.type.shape
                pair = (a.id,), (b.id,)
                finding = Finding("shape", "spelling", "input", pair, LAYOUT, *shapes, place=where)
                finding.other_pairs = tuple(readers)
                yield i, finding


def _of_one_channel(a: TensorType, b: TensorType) -> Position | None:
    """Which graph has the channels last, where one channel makes both layouts the same."""
    ours, theirs = a.shape or (), b.shape or ()
    if len(ours) > 2 and [dim for dim in ours if dim != 1] == [dim for dim in theirs if dim != 1]:
        if ours[1] == 1 == theirs[-1]:
            return _LAST["B"]
        if theirs[1] == 1 == ours[-1]:
            return _LAST["A"]
    return None


def of_output(matching: Matching, place: int, other: int) -> Iterator[Finding]:
    """The finding that one graph transposes an output, for two outputs of one value.

    It is spelling where the graphs also take an input in two layouts.
    """
    x, y = matching.a.graph.outputs[place].source, matching.b.graph.outputs[other].source
    turned = transpositions(x.steps), transpositions(y.steps)
    if turned[0] != turned[1] and _permuted(x.type, y.type):
        shapes, pair = (x.type.shape, y.type.shape), ((x.value,), (y.value,))
        where = _side(*turned, 1, -1)
        as_taken = any(True for _ in findings(matching))
        consequence = "spelling" if as_taken else "shape"
        yield Finding("shape", consequence, "output", pair, LAYOUT, *shapes, place=where)


def _permuted(a: TensorType, b: TensorType) -> bool:
    ours, theirs = a.shape or (), b.shape or ()
    return ours != theirs and sorted(map(str, ours[1:])) == sorted(map(str, theirs[1:]))


def _readers(matching: Matching, i: int, j: int) -> dict[Pair, Position]:
    """Pairs that read an input, with the graph that transposes it; none if some read another."""
    pairs: dict[Pair, Position] = {}
    batches = (matching.a.batch_size, matching.b.batch_size)
    theirs = {y: first for first, y in _reached(matching.b, j, matching.to_a)}
    for first, x in _reached(matching.a, i, matching.to_b):
        other = theirs.get(matching.to_b[x], -1)
        a, b = matching.a.nodes[first], matching.b.nodes[other]
        if other < 0 or not isinstance(a, Layer) or not isinstance(b, Layer):
            continue
        seen = _reading(a, matching.a.nodes[i].id), _reading(b, matching.b.nodes[j].id)
        for operand, facing in zip(*seen, strict=False):
            turned = (
                transpositions(operand.steps),
                transpositions(facing.steps),
            )
            shapes = difference(operand.type, facing.type, batches)
            if turned[0] == turned[1] or shapes == "shape":
                return {}
            channels = len(operand.type.shape or ()) - 1
            pairs[(a.id,), (b.id,)] = _side(*turned, channels, 1)
    return pairs


def _reached(graph: IndexedGraph, start: int, counterpart: list[int]) -> Iterator[tuple[int, int]]:
    """(reader of an input, the matched node that it is or leads to) for each of its readers.

    Layers of one side alone between the input and a matched one are preprocessing.
    """
    for first in sorted({user for _, user in graph.users[start]}):
        node = first
        while counterpart[node] < 0 and len(graph.users[node]) == 1:
            node = graph.users[node][0][1]
        if counterpart[node] >= 0:
            yield first, node


def _side(
    ours: list[tuple[int, ...]], theirs: list[tuple[int, ...]], channels: int, place: int
) -> Position:
    """Which side has the channels last, by the axis that one of them turns to a place."""
    turns, sides = (ours, "AB") if ours else (theirs, "BA")
    axes = turns[0]
    last = len(axes) > 1 and axes[place] == channels
    return _LAST[sides[0] if last else sides[1]]


def _reading(layer: Layer, source: str) -> list[Operand]:
    return [operand for operand in layer.inputs if operand.value == source]
