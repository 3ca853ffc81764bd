"""The instructions of a TorchScript graph, run one by one in Python.

Numbers, lists and control flow are computed here; operators on tensors are called as torch's own,
so that tracing sees them. Calls of other modules go through those modules.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from modeldocs.loaders.pytorch import primitives

Seen = Callable[[Any, Any], None]
"""Told of each operator and call: the node, and the module that is called (None for operators)."""


def run(graph: Any, arguments: list[Any], unit: Any, seen: Seen) -> Any:
    """What a graph returns for these arguments, of which the first is the module itself.

    `unit` holds the functions that the graph calls.

    Raises:
        NotImplementedError: an instruction is none of those known here.
    """
    names = [value.debugName() for value in graph.inputs()]
    results = _Run(unit, seen).block(graph, dict(zip(names, arguments, strict=True)))
    return results[0] if len(results) == 1 else tuple(results)


class _Run:
    """One run of a graph; `held` is what each value is, by name."""

    def __init__(self, unit: Any, seen: Seen) -> None:
        self.unit, self.seen = unit, seen

    def block(self, block: Any, held: dict[str, Any]) -> list[Any]:
        for node in block.nodes():
            results = self.node(node, held)
            outputs = list(node.outputs())
            if len(outputs) == 1:
                held[outputs[0].debugName()] = results
            elif outputs:
                names = [value.debugName() for value in outputs]
                held.update(zip(names, results, strict=True))
        return [held[value.debugName()] for value in block.outputs()]

    def node(self, node: Any, held: dict[str, Any]) -> Any:
        kind = node.kind()
        if kind == "prim::If":
            return self.branch(node, held)
        if kind == "prim::Loop":
            return self.loop(node, held)
        if kind == "prim::Constant":
            output = node.output()
            function = output.type().kind() == "FunctionType"
            return output.type().annotation_str if function else output.toIValue()
        args = [held[value.debugName()] for value in node.inputs()]
        if kind == "prim::GetAttr":
            return getattr(args[0], node.s("name"))
        if kind == "prim::CallMethod":
            return self.method(node, args)
        if kind == "prim::CallFunction":
            function = self.unit.find_function(args[0])
            return run(function.graph, args[1:], self.unit, self.seen)
        if kind in primitives.PRIMITIVES:
            return primitives.PRIMITIVES[kind](*args)
        if kind.startswith("aten::"):
            self.seen(node, None)
            return primitives.operate(node.schema(), kind.removeprefix("aten::"), args)
        raise NotImplementedError(f"the TorchScript instruction {kind}")

    def method(self, node: Any, args: list[Any]) -> Any:
        owner, name = args[0], node.s("name")
        if not hasattr(owner, "method"):
            raise NotImplementedError(f"a call of {name} of an object that is no module")
        self.seen(node, owner)
        if name.startswith("forward"):  # `forward__0`: one of several that differ in their types
            return owner(*args[1:], _method=name)
        return owner.method(name, args[1:])

    def branch(self, node: Any, held: dict[str, Any]) -> Any:
        first, second = node.blocks()
        condition = held[node.input().debugName()]
        results = self.block(first if bool(condition) else second, held)
        return results[0] if len(results) == 1 else results

    def loop(self, node: Any, held: dict[str, Any]) -> Any:
        (body,) = node.blocks()
        limit, going, *carried = (held[value.debugName()] for value in node.inputs())
        names = [value.debugName() for value in body.inputs()]
        turn = 0
        while turn < limit and bool(going):
            held.update(zip(names, [turn, *carried], strict=True))
            going, *carried = self.block(body, held)
            turn += 1
        return carried[0] if len(carried) == 1 else carried
