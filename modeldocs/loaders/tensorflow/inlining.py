"""Functions put in place of their calls: a graph as one list of operations."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from modeldocs.loaders.tensorflow import attributes
from modeldocs.loaders.tensorflow.bodies import Body
from modeldocs.loaders.tensorflow.program import MAX_OPERATIONS, Flat, Operation, Program, Ref

CALLS = ("PartitionedCall", "StatefulPartitionedCall", "TPUPartitionedCall")
MAX_DEPTH = 60


def inline(program: Program) -> Flat:
    """The operations that a program's outputs depend on, no call among them.

    Raises:
        ModeldocsError: a node or function is missing, reads itself, or calls itself.
    """
    inliner = Inliner(program)
    body = Body(program, program.graph.node)
    for fetch in program.fetches:
        body.ref(f"{fetch.ref[0]}:{fetch.ref[1]}")
    outputs = inliner.expand(body, [fetch.ref for fetch in program.fetches], {}, ())
    flat = Flat(inliner.operations, outputs)
    for feed in program.feeds:
        if feed.node in flat.operations:
            flat.operations[feed.node].inputs = []  # queues, readers, what a default is made of
    flat.prune()
    return flat


def inline_function(
    program: Program,
    name: str,
    arguments: Sequence[Ref],
    given: dict[str, Operation] | None = None,
) -> Flat:
    """The operations of one function, such as a branch, whose arguments are `arguments`.

    `given` are operations that those are outputs of, to stand before the function's own.

    Raises:
        ModeldocsError: as `inline`.
    """
    inliner = Inliner(program)
    for held in (given or {}).values():
        inliner.give(held)
    outputs = inliner.call(name, list(arguments), ())
    return Flat(inliner.operations, outputs)


class Inliner:
    """The operations so far, under names that no two have."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.functions = {held.signature.name: held for held in program.graph.library.function}
        self.operations: dict[str, Operation] = {}
        self._taken: set[str] = set()
        self._numbers: dict[str, int] = {}

    def give(self, operation: Operation) -> None:
        """Let an operation stand before all others, under its own name."""
        self._taken.add(operation.name)
        self.operations[operation.name] = operation

    def expand(
        self, body: Body, wanted: Sequence[Ref], known: dict[Ref, Ref], within: tuple[str, ...]
    ) -> list[Ref]:
        """Add what `wanted` of a body depends on; the references that they became.

        `known` holds what the body's arguments are, `within` the calls that led here.
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
            self._add(Operation(names[name], node.op, inputs, node))
        return [self._mapped(ref, known, names) for ref in wanted]

    def call(
        self, function: str, arguments: list[Ref], within: tuple[str, ...], caller: Any = None
    ) -> list[Ref]:
        """Add a function's operations; the references of its outputs."""
        held = self.functions.get(function)
        fix = "save the graph with its function library"
        if held is None:
            raise self.program.error(
                f"calls the function {function!r}, which is not there", fix=fix
            )
        if len(within) > MAX_DEPTH:
            raise self.program.error(
                f"the function {function!r} calls itself, or calls go deeper than {MAX_DEPTH}",
                fix="a network without recursion can be drawn",
            )
        body = Body(self.program, _specialised(held, caller), held)
        if len(body.arguments) != len(arguments):
            raise self.program.error(
                f"the function {function!r} takes {len(body.arguments)} arguments, "
                f"{len(arguments)} are given",
                fix="save it again",
            )
        known = {(name, 0): ref for name, ref in zip(body.arguments, arguments, strict=True)}
        wanted = []
        for output in held.signature.output_arg:
            if output.name not in held.ret:
                raise self.program.error(
                    f"the function {function!r} does not say what it returns", fix=fix
                )
            wanted.append(body.ref(held.ret[output.name]))
        return self.expand(body, wanted, known, within)

    def _called(self, node: Any) -> str | None:
        if node.op in CALLS:
            return str(attributes.get(node, "f").func.name)
        return str(node.op) if node.op in self.functions else None

    @staticmethod
    def _mapped(ref: Ref, known: dict[Ref, Ref], names: dict[str, str]) -> Ref:
        return known[ref] if ref in known else (names.get(ref[0], ref[0]), ref[1])

    def _add(self, operation: Operation) -> None:
        if len(self.operations) >= MAX_OPERATIONS:
            raise self.program.error(
                f"has more than {MAX_OPERATIONS:,} operations with its functions inlined",
                fix="draw a part of it: name its outputs",
            )
        self.operations[operation.name] = operation

    def _free(self, name: str, within: tuple[str, ...]) -> str:
        """The node's own name, after the call's where another has it already."""
        stem = f"{within[-1]}/{name}" if name in self._taken and within else name
        made = stem
        while made in self._taken:
            self._numbers[stem] = self._numbers.get(stem, 1) + 1
            made = f"{stem}_{self._numbers[stem]}"
        self._taken.add(made)
        return made


def _specialised(function: Any, caller: Any) -> list[Any]:
    """A function's nodes, with the caller's types for those that it leaves open."""
    nodes = []
    for node in function.node_def:
        if caller is not None and any(held.placeholder for held in node.attr.values()):
            copied = type(node)()
            copied.CopyFrom(node)
            for held in copied.attr.values():
                if held.placeholder and held.placeholder in caller.attr:
                    held.CopyFrom(caller.attr[held.placeholder])
            node = copied
        nodes.append(node)
    return nodes
