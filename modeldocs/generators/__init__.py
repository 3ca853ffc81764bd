"""Generators: programs of a framework, from a network in normal form.

The layers of a network become operations by the target's table (`site`). They are nested as the
source nests its modules, or as the fold does (`scope`); what repeats becomes a class with arguments
for what differs (`blocks`, `sequences`, `factories`); and the target writes it down.

A target is a class named in the entry-point group `modeldocs.generators`, of this package or any
other: see `target.Target`.
"""

from __future__ import annotations

from dataclasses import replace

from modeldocs.generators import identifier, layouts, syntax
from modeldocs.generators.blocks import BlockMaker
from modeldocs.generators.factories import extract
from modeldocs.generators.identifier import variable
from modeldocs.generators.interface import Order, channels_first
from modeldocs.generators.layouts import Layouts
from modeldocs.generators.network import Network
from modeldocs.generators.program import Program, ProgramBlock, ProgramInput
from modeldocs.generators.scope import nested
from modeldocs.generators.sequences import Sequences
from modeldocs.generators.site import lower
from modeldocs.generators.target import GROUP, Target, entry_point, target, targets
from modeldocs.ir import GraphInput

__all__ = [
    "GROUP",
    "Network",
    "Program",
    "Target",
    "entry_point",
    "generate",
    "target",
    "targets",
    "variable",
]


def generate(network: Network, chosen: Target, name: str) -> Program:
    """A network as a program of a target; `name` is what the network is called.

    Raises:
        NoProgramError: a layer has no program in the target; the error names it.
    """
    graph, interface = channels_first(network.graph)
    network = replace(network, graph=graph)
    orders = layouts.channels_last(network) if chosen.channels_last else Layouts()
    lowered = lower(network, chosen.table, chosen.moves, orders)
    results = [layouts.result(one.source, orders) for one in graph.outputs]
    outputs = [
        syntax.values_of(lowered.read(one.source, one.source.value, order))[0]
        for one, order in zip(graph.outputs, results, strict=True)
    ]
    operations, renamed = chosen.merged(lowered.operations, outputs)
    outputs = [renamed.get(one, one) for one in outputs]
    root = nested(graph, operations)
    blocks = BlockMaker(Sequences(chosen), lowered.variables)
    inputs = [one.id for one in graph.inputs]
    blocks.add_network(root, identifier.class_name(name, "Network"), inputs, outputs)
    return Program(
        tuple(extract(blocks.made, chosen.container)),
        tuple(_input(one, orders.tensor(one.id)) for one in graph.inputs),
        interface.then([orders.tensor(one.id) for one in graph.inputs], results),
        _ties(blocks.made[-1]),
    )


def _input(one: GraphInput, order: Order) -> ProgramInput:
    shape = tuple(dim if isinstance(dim, int) else 1 for dim in one.type.shape or ())
    return ProgramInput(one.name, layouts.in_order(shape, order), one.type.dtype)


def _ties(root: ProgramBlock) -> tuple[tuple[str, str], ...]:
    """Paths of members that hold the same parameter: the first, and each other."""
    first: dict[str, str] = {}
    found = []
    for name, part in root.members.items():
        for attribute, source in part.weights.items():
            path = ".".join(filter(None, (name, attribute)))
            if first.setdefault(source, path) != path:
                found.append((first[source], path))
    return tuple(found)
