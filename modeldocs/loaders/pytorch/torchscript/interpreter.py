"""An interpreter of TorchScript graphs in Python.

Numbers, lists and control flow are computed here; operators on tensors are called as torch's own,
so that tracing sees them. Calls of other modules go through those modules.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from modeldocs.loaders.pytorch.torchscript import primitives

Observer = Callable[[Any, Any], None]
"""Called before each operator and method: the node, and the module called (None for operators)."""


def run(graph: Any, arguments: list[Any], unit: Any, observer: Observer) -> Any:
    """What a graph returns for these arguments, of which the first is the module itself.

    `unit` is the compilation unit with the functions that the graph calls.

    Raises:
        NotImplementedError: an instruction is not supported.
    """
    names = [value.debugName() for value in graph.inputs()]
    results = _Interpreter(unit, observer).block(graph, dict(zip(names, arguments, strict=True)))
    return results[0] if len(results) == 1 else tuple(results)


class _Interpreter:
    """Runs blocks of a graph; `values` are those computed so far, by name."""

    def __init__(self, unit: Any, observer: Observer) -> None:
        self.unit, self.observer = unit, observer

    def block(self, block: Any, values: dict[str, Any]) -> list[Any]:
        for node in block.nodes():
            results = self.node(node, values)
            outputs = list(node.outputs())
            if len(outputs) == 1:
                values[outputs[0].debugName()] = results
            elif outputs:
                names = [value.debugName() for value in outputs]
                values.update(zip(names, results, strict=True))
        return [values[value.debugName()] for value in block.outputs()]

    def node(self, node: Any, values: dict[str, Any]) -> Any:
        kind = node.kind()
        if kind == "prim::If":
            return self.branch(node, values)
        if kind == "prim::Loop":
            return self.loop(node, values)
        if kind == "prim::Constant":
            output = node.output()
            is_function = output.type().kind() == "FunctionType"
            return output.type().annotation_str if is_function else output.toIValue()
        args = [values[value.debugName()] for value in node.inputs()]
        if kind == "prim::GetAttr":
            return getattr(args[0], node.s("name"))
        if kind == "prim::CallMethod":
            return self.method(node, args)
        if kind == "prim::CallFunction":
            function = self.unit.find_function(args[0])
            return run(function.graph, args[1:], self.unit, self.observer)
        if kind in primitives.PRIMITIVES:
            return primitives.PRIMITIVES[kind](*args)
        if kind.startswith("aten::"):
            self.observer(node, None)
            return primitives.call_operator(node.schema(), kind.removeprefix("aten::"), args)
        raise NotImplementedError(f"the TorchScript instruction {kind}")

    def method(self, node: Any, args: list[Any]) -> Any:
        owner, name = args[0], node.s("name")
        if not hasattr(owner, "method"):
            raise NotImplementedError(f"a call of {name} of an object that is no module")
        self.observer(node, owner)
        if name.startswith("forward"):  # `forward__0`: one of several that differ in their types
            return owner(*args[1:], _method=name)
        return owner.method(name, args[1:])

    def branch(self, node: Any, values: dict[str, Any]) -> Any:
        first, second = node.blocks()
        condition = values[node.input().debugName()]
        results = self.block(first if bool(condition) else second, values)
        return results[0] if len(results) == 1 else results

    def loop(self, node: Any, values: dict[str, Any]) -> Any:
        (body,) = node.blocks()
        limit, proceed, *state = (values[value.debugName()] for value in node.inputs())
        names = [value.debugName() for value in body.inputs()]
        iteration = 0
        while iteration < limit and bool(proceed):
            values.update(zip(names, [iteration, *state], strict=True))
            proceed, *state = self.block(body, values)
            iteration += 1
        return state[0] if len(state) == 1 else state
