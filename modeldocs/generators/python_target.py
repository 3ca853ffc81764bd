"""Targets whose programs are Python files: a table of layers, and a writer."""

from __future__ import annotations

import ast
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from modeldocs.generators import identifier, layouts, syntax
from modeldocs.generators.blocks import BlockMaker
from modeldocs.generators.factories import extract
from modeldocs.generators.interface import Interface, Order, channels_first
from modeldocs.generators.layouts import Layouts
from modeldocs.generators.lowering import lower
from modeldocs.generators.moves import Moves
from modeldocs.generators.network import Network
from modeldocs.generators.operation import LoweredOperation
from modeldocs.generators.program import Program, ProgramInput
from modeldocs.generators.scope import nested
from modeldocs.generators.sequences import Sequences
from modeldocs.generators.site import Lowering
from modeldocs.generators.target import ProgramFile, ProgramRunner
from modeldocs.ir import GraphInput


class PythonTarget(ABC):
    """A framework of Python: each layer is an expression, and what repeats is a class or function.

    What every target has is told by `Target`. `channels_last` is whether it has the channels of
    images last. `table` has a function for each operator of normal form: the expression that
    computes a layer. `moves` writes what lies on edges. `container` is the function that makes a
    sequence of members, which `sequence` writes; `sequence_members` is the attribute of a sequence
    that holds them, "" where it is the sequence itself. `members` writes a list of members.
    """

    name: str
    title: str
    framework: str
    suffix = ".py"
    runner: ProgramRunner | None = None
    channels_last: bool
    container: str
    sequence_members: str
    moves: Moves
    table: Mapping[str, Lowering]

    @abstractmethod
    def merged(
        self, operations: Sequence[LoweredOperation], outputs: Sequence[str]
    ) -> tuple[list[LoweredOperation], dict[str, str]]:
        """Operations, with those as one that a layer of the target computes together.

        `outputs` are ids of tensors. Returns the tensors that took the place of others, too.
        """

    @abstractmethod
    def members(self, constructors: Sequence[ast.expr]) -> ast.expr | None:
        """The constructor of a list of members; None where the target has none."""

    @abstractmethod
    def sequence(self, constructors: Sequence[ast.expr]) -> ast.expr | None:
        """The constructor of a sequence of members; None where the target has none."""

    @abstractmethod
    def write(self, program: Program, doc: str) -> str:
        """The file of a program; `doc` is the text of its docstring."""

    def draft(self, network: Network, name: str) -> PythonDraft:
        """The program of a network, without docstring.

        Raises:
            NoProgramError: a layer has no program in the target; the error names it.
        """
        return PythonDraft(self, self.program(network, name))

    def program(self, network: Network, name: str) -> Program:
        """The intermediate form of a network's program; `name` is what the network is called.

        Raises:
            NoProgramError: a layer has no program in the target; the error names it.
        """
        graph, interface = channels_first(network.graph)
        network = replace(network, graph=graph)
        orders = layouts.channels_last(network) if self.channels_last else Layouts()
        lowered = lower(network, self.table, self.moves, orders)
        results = [layouts.result(one.source, orders) for one in graph.outputs]
        outputs = [
            syntax.values_of(lowered.read(one.source, one.source.value, order))[0]
            for one, order in zip(graph.outputs, results, strict=True)
        ]
        operations, renamed = self.merged(lowered.operations, outputs)
        outputs = [renamed.get(one, one) for one in outputs]
        root = nested(graph, operations)
        blocks = BlockMaker(Sequences(self), lowered.variables)
        inputs = [one.id for one in graph.inputs]
        blocks.add_network(root, identifier.class_name(name, "Network"), inputs, outputs)
        return Program(
            tuple(extract(blocks.made, self.container)),
            tuple(_input(one, orders.tensor(one.id)) for one in graph.inputs),
            interface.then([orders.tensor(one.id) for one in graph.inputs], results),
        )


@dataclass(frozen=True)
class PythonDraft:
    """A Python program without its docstring."""

    target: PythonTarget
    program: Program

    @property
    def interface(self) -> Interface:
        """The orders of axes of its inputs and outputs."""
        return self.program.interface

    def file(self, doc: str) -> ProgramFile:
        """The program with a docstring."""
        text = self.target.write(self.program, doc)
        return ProgramFile(text, text.encode())


def _input(one: GraphInput, order: Order) -> ProgramInput:
    shape = tuple(dim if isinstance(dim, int) else 1 for dim in one.type.shape or ())
    return ProgramInput(one.name, layouts.in_order(shape, order), one.type.dtype)
