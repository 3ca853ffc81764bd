"""The nodes of a graph or of a function in it, by name, and what their inputs refer to."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from modeldocs.loaders.tensorflow import attributes
from modeldocs.loaders.tensorflow.program import Program, Ref


class Body:
    """A graph's own nodes, or a function's: the two spell what a node reads differently."""

    def __init__(self, program: Program, nodes: Iterable[Any], function: Any = None) -> None:
        self.program = program
        self.function = function
        self.nodes: dict[str, Any] = {}
        for node in nodes:
            if node.name in self.nodes:
                raise program.error(
                    f"has two nodes of the name {node.name!r}", at=node.name, fix="save it again"
                )
            self.nodes[node.name] = node
        self.arguments: list[str] = (
            [argument.name for argument in function.signature.input_arg] if function else []
        )

    def inputs(self, node: Any) -> list[Ref]:
        """What a node reads, but for what it only waits for."""
        return [self.ref(text, node) for text in node.input if not text.startswith("^")]

    def ref(self, text: str, reader: Any = None) -> Ref:
        """The output that `name`, `name:1` or, in a function, `name:output:1` refers to.

        Raises:
            ModeldocsError: there is no such node.
        """
        name, *rest = text.split(":")
        if name not in self.nodes and name not in self.arguments:
            who = f"node {reader.name!r} reads" if reader is not None else "an output is"
            raise self.program.error(
                f"{who} {text!r}, which is not there",
                at=reader.name if reader is not None else None,
                fix="save the graph whole, or name other outputs",
            )
        index = rest[-1] if rest else "0"
        if not index.isdecimal() or len(index) > 6 or len(rest) > 2:
            raise self.program.error(f"{text!r} is no output of a node", fix="save it again")
        offset = 0
        if len(rest) == 2 and name in self.nodes:
            offset = _offset(self.nodes[name], rest[0])
        return name, offset + int(index)

    def order(self, wanted: Iterable[str]) -> list[str]:
        """Names of the nodes that the wanted ones depend on, each after what it reads.

        A loop of TensorFlow 1 goes round through NextIteration, any other is an error.

        Raises:
            ModeldocsError: nodes read each other in a circle.
        """
        done: dict[str, bool] = {}
        found: list[str] = []
        stack = [(name, False) for name in reversed(list(wanted))]
        while stack:
            name, left = stack.pop()
            if left:
                done[name] = True
                found.append(name)
                continue
            if name in done or name in self.arguments:
                continue
            done[name] = False
            stack.append((name, True))
            stack.extend(self._before(name, done))
        return found + self._round(found, done)

    def _before(self, name: str, done: dict[str, bool]) -> list[tuple[str, bool]]:
        node = self.nodes[name]
        before = []
        for source, _ in reversed(self.inputs(node)):
            if node.op in MERGES and self._goes_round(source):
                continue
            if done.get(source) is False:
                raise self.program.error(
                    f"node {name!r} reads {source!r}, which depends on it in turn",
                    at=name,
                    fix="a graph without such circles can be drawn",
                )
            before.append((source, False))
        return before

    def _goes_round(self, name: str) -> bool:
        return name in self.nodes and self.nodes[name].op in ("NextIteration", "RefNextIteration")

    def _round(self, found: list[str], done: dict[str, bool]) -> list[str]:
        """What only the way round a loop depends on."""
        more: list[str] = []
        for name in found:
            node = self.nodes[name]
            if node.op in MERGES:
                more += [s for s, _ in self.inputs(node) if self._goes_round(s) and s not in done]
        if not more:
            return []
        seen = set(found)
        return [name for name in self.order([*found, *more]) if name not in seen] if more else []


MERGES = ("Merge", "RefMerge")


def _offset(node: Any, output: str) -> int:
    """Number of the first tensor of a named output of an operator."""
    from tensorflow.python.framework import op_def_registry

    known = op_def_registry.get(node.op)
    place = 0
    for argument in known.output_arg if known is not None else ():
        if argument.name == output:
            return place
        if argument.number_attr:
            place += max(0, min(attributes.get(node, argument.number_attr).i, 2**16))
        elif argument.type_list_attr:
            place += len(attributes.get(node, argument.type_list_attr).list.type)
        else:
            place += 1
    return 0
