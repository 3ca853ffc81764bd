"""A port's ONNX with every name another and its nodes in another order."""

from __future__ import annotations

from random import Random

import onnx_ir as ir

from modeldocs.ir import origin


def renamed(model: ir.Model, seed: int) -> ir.Model:
    """The same model under other names; it is changed in place."""
    chance, graph = Random(seed), model.graph
    _reorder(graph, chance)
    values = [*graph.inputs, *graph.initializers.values()]
    values = [*dict.fromkeys(values), *(v for node in graph for v in node.outputs)]
    numbers = chance.sample(range(10 * len(values)), len(values))
    for value, number in zip(values, numbers, strict=True):
        value.name = f"v{number}"
        if value.const_value is not None:
            value.const_value.name = f"v{number}"
    for number, node in enumerate(graph):
        node.name = f"n{number}"
        origin.attach(node, origin.Provenance(padding=origin.read(node).padding))
    return model


def _reorder(graph: ir.Graph, chance: Random) -> None:
    """Put the nodes in any order in which each comes after those that it reads."""
    waiting = {node: {p for v in node.inputs if v and (p := v.producer())} for node in graph}
    users: dict[ir.Node, list[ir.Node]] = {node: [] for node in waiting}
    for node, sources in waiting.items():
        for source in sources:
            users[source].append(node)
    ready = [node for node, sources in waiting.items() if not sources]
    while ready:
        node = ready.pop(chance.randrange(len(ready)))
        graph.remove(node)
        graph.append(node)
        for user in users[node]:
            waiting[user].discard(node)
            if not waiting[user]:
                ready.append(user)
