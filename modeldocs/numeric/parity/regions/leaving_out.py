"""Layers of B left out: those without which B gives A's numbers are what A lacks.

A layer can be left out if it keeps the shape of the one value that it reads: a norm, an activation,
a product with a constant. All of one operator are left out at once.
"""

from __future__ import annotations

import itertools
import time
from collections import defaultdict
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass

import onnx_ir as ir

from modeldocs.diff import Diff, Ids
from modeldocs.normal import values
from modeldocs.numeric.parity import lowering
from modeldocs.numeric.parity.regions.explaining import Decided
from modeldocs.numeric.parity.regions.search import SearchState
from modeldocs.numeric.parity.runnable_graph import RunnableGraph

_SECONDS = 4.0
"""Time for leaving layers out; what is not reached is taken to act with all that differs."""
_MOST = 4
"""Operators of which the layers are left out singly and together: 15 runs at most."""


@dataclass(frozen=True)
class LeftOut:
    """Layers of B without which the groups `numbers` give A's numbers."""

    layers: Ids
    numbers: tuple[int, ...]


def only_in_b(diff: Diff) -> set[str]:
    """The layers of B that the changes of a diff tell to be in B alone."""
    pairs = (pair for change in diff.changes for pair in change.pairs)
    return {layer for ours, theirs in pairs if not ours for layer in theirs}


def from_network(
    state: SearchState, layers: Collection[str], returns_same: Callable[[ir.Model], bool]
) -> list[LeftOut]:
    """The fewest of some layers without which B returns what A does; none where that is not so.

    `returns_same` tells it of B lowered.
    """
    until, graph = time.monotonic() + _SECONDS, state.runs.theirs.graph
    operators = list(_by_operator(graph, layers))
    for chosen in _subsets(operators) if len(operators) <= _MOST else [tuple(operators)]:
        without = tuple(one for some in chosen for one in some)
        if time.monotonic() > until or not without:
            break
        if returns_same(_lowered_without(graph, without)):
            return [LeftOut(some, _behind(state, some)) for some in chosen]
    return []


def from_regions(
    state: SearchState, layers: Collection[str], decided: Decided
) -> tuple[SearchState, list[LeftOut]]:
    """B without some layers of regions that differ, as long as leaving some out makes fewer differ,
    and these.
    """
    until, found = time.monotonic() + _SECONDS, list[LeftOut]()
    graph, gone, frontiers = state.runs.theirs.graph, set[str](), state.runs.frontiers
    inner = {one for number in state.differing for one in frontiers.region(number).inner[1]}
    for some in _by_operator(graph, inner & set(layers)):
        if time.monotonic() > until or not state.differing:
            break
        without = frozenset(gone | {*some})
        new = decided(state.runs.of_model(_lowered_without(graph, without)), without)
        if len(new.not_equal) < len(state.not_equal):
            equal = tuple(sorted(set(state.differing) - new.not_equal))
            found.append(LeftOut(some, equal))
            state, gone = new, gone | {*some}
    return state, found


def _behind(state: SearchState, layers: Collection[str]) -> tuple[int, ...]:
    """The groups that differ and have some of these layers in their regions; else all of those."""
    region = state.runs.frontiers.region
    inside = [n for n in state.differing if not region(n).inner[1].isdisjoint(layers)]
    return tuple(sorted(inside or state.differing))


def _subsets(operators: Collection[Ids]) -> Iterator[tuple[Ids, ...]]:
    for count in range(1, len(operators) + 1):
        yield from itertools.combinations(operators, count)


def _by_operator(graph: RunnableGraph, layers: Collection[str]) -> Iterator[Ids]:
    """Those of some layers that can be left out, all of one operator together."""
    by_operator: dict[str, list[str]] = defaultdict(list)
    for name in sorted(graph.positions.keys() & set(layers), key=graph.positions.__getitem__):
        if _keeps_its_shape(graph, name):
            by_operator[graph.layers[name].operator].append(name)
    yield from map(tuple, by_operator.values())


def _keeps_its_shape(graph: RunnableGraph, name: str) -> bool:
    """Whether a layer reads one value that is computed, and gives one of that shape; of masks, laws
    say what differs.
    """
    node, edges = graph.nodes[name], graph.edges[name]
    if len(edges) != 1 or len([one for one in node.outputs if one.uses()]) != 1:
        return False
    if node.outputs[0].dtype == ir.DataType.BOOL:
        return False
    shape = values.shape(node.outputs[0])
    return shape is not None and shape == values.shape(node.inputs[edges[0].slot])


def _lowered_without(graph: RunnableGraph, layers: Collection[str]) -> ir.Model:
    """A copy of a network, lowered, in which what reads a layer reads what that does."""
    slots = {str(graph.nodes[one].outputs[0].name): graph.edges[one][0].slot for one in layers}
    model = graph.model.clone()
    for node in list(model.graph):
        slot = slots.get(str(node.outputs[0].name)) if node.outputs else None
        source = node.inputs[slot] if slot is not None else None
        if source is not None:
            ir.convenience.replace_all_uses_with(
                node.outputs[0], source, replace_graph_outputs=True
            )
    return lowering.lower(model)
