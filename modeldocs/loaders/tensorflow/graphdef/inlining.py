"""Function calls replaced by the functions' nodes, so that a graph is one list of nodes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from modeldocs.loaders.tensorflow.graphdef import attributes
from modeldocs.loaders.tensorflow.graphdef.body import GraphDefBody
from modeldocs.loaders.tensorflow.program import (
    MAX_NODES,
    FlatGraph,
    GraphDefProgram,
    GraphNode,
    Ref,
)

CALLS = ("PartitionedCall", "StatefulPartitionedCall", "TPUPartitionedCall")
MAX_DEPTH = 60


def inline(program: GraphDefProgram) -> FlatGraph:
    """The nodes that a program's outputs depend on, without function calls.

    Raises:
        ModeldocsError: a node or function is missing, reads itself, or calls itself.
    """
    inliner = Inliner(program)
    body = GraphDefBody(program, program.graph.node)
    for fetch in program.fetches:
        body.ref(f"{fetch.ref[0]}:{fetch.ref[1]}")
    outputs = inliner.expand(body, [fetch.ref for fetch in program.fetches], {}, ())
    flat = FlatGraph(inliner.nodes, outputs)
    for feed in program.feeds:
        if feed.node in flat.nodes:
            flat.nodes[feed.node].inputs = []  # queues, readers, what a default is made of
    flat.prune()
    return flat


def inline_function(
    program: GraphDefProgram,
    name: str,
    arguments: Sequence[Ref],
    given: dict[str, GraphNode] | None = None,
) -> FlatGraph:
    """The nodes of one function, such as a branch, called with `arguments`.

    `given` are nodes that those are outputs of; they stand before the function's own.

    Raises:
        ModeldocsError: as `inline`.
    """
    inliner = Inliner(program)
    for node in (given or {}).values():
        inliner.give(node)
    outputs = inliner.call(name, list(arguments), ())
    return FlatGraph(inliner.nodes, outputs)


class Inliner:
    """The nodes so far, under unique names."""

    def __init__(self, program: GraphDefProgram) -> None:
        self.program = program
        self.functions = {
            function.signature.name: function for function in program.graph.library.function
        }
        self.nodes: dict[str, GraphNode] = {}
        self._taken: set[str] = set()
        self._numbers: dict[str, int] = {}

    def give(self, node: GraphNode) -> None:
        """Add a node before all others, under its own name."""
        self._taken.add(node.name)
        self.nodes[node.name] = node

    def expand(
        self,
        body: GraphDefBody,
        wanted: Sequence[Ref],
        known: dict[Ref, Ref],
        within: tuple[str, ...],
    ) -> list[Ref]:
        """Add the nodes of a body that `wanted` depends on; the references that those became.

        `known` are the values of the body's arguments, `within` the names of the enclosing calls.
        """
        order = body.order(name for name, _ in wanted)
        names = {name: self._free(name, within) for name in order}
        for name in order:
            node = body.nodes[name]
            function = self._called(node)
            if function is not None:
                inputs = [self._mapped(ref, known, names) for ref in body.inputs(node)]
                results = self.call(function, inputs, (*within, name), node)
                known |= {(name, index): ref for index, ref in enumerate(results)}
                continue
            inputs = [self._mapped(ref, known, names) for ref in body.inputs(node)]
            self._add(GraphNode(names[name], node.op, inputs, node))
        return [self._mapped(ref, known, names) for ref in wanted]

    def call(
        self, function: str, arguments: list[Ref], within: tuple[str, ...], caller: Any = None
    ) -> list[Ref]:
        """Add a function's nodes; the references of its outputs."""
        definition = self.functions.get(function)
        fix = "save the graph with its function library"
        if definition is None:
            raise self.program.error(
                f"calls the function {function!r}, which is not there", fix=fix
            )
        if len(within) > MAX_DEPTH:
            raise self.program.error(
                f"the function {function!r} calls itself, or calls go deeper than {MAX_DEPTH}",
                fix="a network without recursion can be drawn",
            )
        body = GraphDefBody(self.program, _specialised(definition, caller), definition)
        if len(body.arguments) != len(arguments):
            raise self.program.error(
                f"the function {function!r} takes {len(body.arguments)} arguments, "
                f"{len(arguments)} are given",
                fix="save it again",
            )
        known = {(name, 0): ref for name, ref in zip(body.arguments, arguments, strict=True)}
        wanted = []
        for output in definition.signature.output_arg:
            if output.name not in definition.ret:
                raise self.program.error(
                    f"the function {function!r} does not say what it returns", fix=fix
                )
            wanted.append(body.ref(definition.ret[output.name]))
        return self.expand(body, wanted, known, within)

    def _called(self, node: Any) -> str | None:
        if node.op in CALLS:
            return str(attributes.get(node, "f").func.name)
        return str(node.op) if node.op in self.functions else None

    @staticmethod
    def _mapped(ref: Ref, known: dict[Ref, Ref], names: dict[str, str]) -> Ref:
        return known[ref] if ref in known else (names.get(ref[0], ref[0]), ref[1])

    def _add(self, node: GraphNode) -> None:
        if len(self.nodes) >= MAX_NODES:
            raise self.program.error(
                f"has more than {MAX_NODES:,} operations with its functions inlined",
                fix="draw a part of it: name its outputs",
            )
        self.nodes[node.name] = node

    def _free(self, name: str, within: tuple[str, ...]) -> str:
        """The node's own name, or with the call's before it where that is taken."""
        stem = f"{within[-1]}/{name}" if name in self._taken and within else name
        unique = stem
        while unique in self._taken:
            self._numbers[stem] = self._numbers.get(stem, 1) + 1
            unique = f"{stem}_{self._numbers[stem]}"
        self._taken.add(unique)
        return unique


def _specialised(function: Any, caller: Any) -> list[Any]:
    """A function's nodes, with types that it leaves open set by the caller."""
    nodes = []
    for node in function.node_def:
        if caller is not None and any(attribute.placeholder for attribute in node.attr.values()):
            copied = type(node)()
            copied.CopyFrom(node)
            for attribute in copied.attr.values():
                if attribute.placeholder and attribute.placeholder in caller.attr:
                    attribute.CopyFrom(caller.attr[attribute.placeholder])
            node = copied
        nodes.append(node)
    return nodes
