"""Graphs of nngraph: modules applied to nodes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from modeldocs.loaders.dims import said
from modeldocs.loaders.torch7.containers import Steps, contains, place
from modeldocs.loaders.torch7.layer import Flow, shape_of
from modeldocs.loaders.torch7.recording import Module

if TYPE_CHECKING:
    from modeldocs.loaders.torch7.assembly import Assembly


@contains("gModule")
def graph(assembly: Assembly, module: Module, flow: Flow, path: str, steps: Steps) -> Flow:
    """Modules applied to nodes of nngraph, each once, in the order that they need."""
    held = _given(assembly, module, flow, path)
    nodes = assembly.recording.nodes
    for index, number in enumerate(_ordered(assembly, module)):
        node = nodes[number]
        seen: Flow
        if number in module.inputs:
            seen = held[number]
        elif not node.parents:
            raise assembly.error(
                module, path, "has a node that nothing leads to", "list it among its inputs"
            )
        else:
            read = [held[parent] for parent in node.parents]
            seen = read[0] if len(read) == 1 else read
        if node.select is not None:
            held[number] = _selected(assembly, module, seen, node.select, path)
        else:
            held[number] = assembly.walk(node.module or 0, seen, place(path, index), steps)
    made = [held[number] for number in module.outputs]
    if not made:
        raise assembly.error(module, path, "has no outputs", "list its output nodes")
    return made[0] if len(made) == 1 else made


def _given(assembly: Assembly, module: Module, flow: Flow, path: str) -> dict[int, Flow]:
    count = len(module.inputs)
    items = flow if isinstance(flow, list) and count > 1 else [flow]
    if len(items) != count:
        raise assembly.error(
            module, path, f"has {count} inputs and is given {len(items)}", "give one for each"
        )
    return dict(zip(module.inputs, items, strict=True))


def _ordered(assembly: Assembly, module: Module) -> list[int]:
    """Nodes that the outputs need, each after its parents."""
    ordered: list[int] = []
    seen: set[int] = set()
    waiting = [(number, False) for number in reversed(module.outputs)]
    while waiting:
        number, done = waiting.pop()
        if done:
            ordered.append(number)
        elif number not in seen:
            seen.add(number)
            waiting.append((number, True))
            if number not in module.inputs:
                parents = assembly.recording.nodes[number].parents
                waiting.extend((parent, False) for parent in reversed(parents))
    return ordered


def _selected(assembly: Assembly, module: Module, seen: Flow, index: int, path: str) -> Flow:
    if not isinstance(seen, list) or not 1 <= index <= len(seen):
        told = (
            f"{len(seen)} items"
            if isinstance(seen, list)
            else f"one tensor of {said(shape_of(seen))}"
        )
        raise assembly.error(
            module, path, f"splits {told} at {index}", "split as many as there are"
        )
    made: Flow = seen[index - 1]
    return made
