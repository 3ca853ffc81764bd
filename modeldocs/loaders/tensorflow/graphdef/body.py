"""The nodes of a graph or of a function in its library, and what their inputs refer to."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from modeldocs.loaders.tensorflow.graphdef import attributes
from modeldocs.loaders.tensorflow.program import LOOP_ENDS, MERGES, GraphDefProgram, Ref


class GraphDefBody:
    """The nodes of a graph or of a function, in which references are spelled differently."""

    def __init__(
        self, program: GraphDefProgram, nodes: Iterable[Any], function: Any = None
    ) -> None:
        self.program = program
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
        """What a node reads, without its control inputs."""
        return [self.ref(text, node) for text in node.input if not text.startswith("^")]

    def ref(self, text: str, reader: Any = None) -> Ref:
        """The output that `name`, `name:1` or, in a function, `name:output:1` refers to.

        Raises:
            ModeldocsError: there is no such node.
        """
        name, *parts = text.split(":")
        if name not in self.nodes and name not in self.arguments:
            who = f"node {reader.name!r} reads" if reader is not None else "an output is"
            raise self.program.error(
                f"{who} {text!r}, which is not there",
                at=reader.name if reader is not None else None,
                fix="save the graph whole, or name other outputs",
            )
        index = parts[-1] if parts else "0"
        if not index.isdecimal() or len(index) > 6 or len(parts) > 2:
            raise self.program.error(f"{text!r} is no output of a node", fix="save it again")
        offset = 0
        if len(parts) == 2 and name in self.nodes:
            offset = _offset(self.nodes[name], parts[0])
        return name, offset + int(index)

    def order(self, wanted: Iterable[str]) -> list[str]:
        """Names of the nodes that `wanted` depends on, each after what it reads.

        A loop of TensorFlow 1 returns through NextIteration; any other cycle is an error.

        Raises:
            ModeldocsError: nodes read each other in a cycle.
        """
        done: dict[str, bool] = {}
        ordered: list[str] = []
        stack = [(name, False) for name in reversed(list(wanted))]
        while stack:
            name, expanded = stack.pop()
            if expanded:
                done[name] = True
                ordered.append(name)
                continue
            if name in done or name in self.arguments:
                continue
            done[name] = False
            stack.append((name, True))
            stack.extend(self._before(name, done))
        return ordered + self._loop_bodies(ordered, done)

    def _before(self, name: str, done: dict[str, bool]) -> list[tuple[str, bool]]:
        node = self.nodes[name]
        sources = []
        for source, _ in reversed(self.inputs(node)):
            if node.op in MERGES and self._is_loop_end(source):
                continue
            if done.get(source) is False:
                raise self.program.error(
                    f"node {name!r} reads {source!r}, which depends on it in turn",
                    at=name,
                    fix="a graph without such cycles can be drawn",
                )
            sources.append((source, False))
        return sources

    def _is_loop_end(self, name: str) -> bool:
        return name in self.nodes and self.nodes[name].op in LOOP_ENDS

    def _loop_bodies(self, ordered: list[str], done: dict[str, bool]) -> list[str]:
        """The nodes that only the ends of loops depend on."""
        ends: list[str] = []
        for name in ordered:
            node = self.nodes[name]
            if node.op in MERGES:
                ends += [s for s, _ in self.inputs(node) if self._is_loop_end(s) and s not in done]
        if not ends:
            return []
        seen = set(ordered)
        return [name for name in self.order([*ordered, *ends]) if name not in seen]


def _offset(node: Any, output: str) -> int:
    """Index of the first tensor of a named output of an operator."""
    from tensorflow.python.framework import op_def_registry

    operator = op_def_registry.get(node.op)
    index = 0
    for argument in operator.output_arg if operator is not None else ():
        if argument.name == output:
            return index
        if argument.number_attr:
            index += max(0, min(attributes.get(node, argument.number_attr).i, 2**16))
        elif argument.type_list_attr:
            index += len(attributes.get(node, argument.type_list_attr).list.type)
        else:
            index += 1
    return 0
