"""The intermediate form of a program, the same for every target: blocks with typed arguments."""

from __future__ import annotations

import ast
import dataclasses
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

from modeldocs.generators import identifier
from modeldocs.generators.interface import Interface
from modeldocs.generators.operation import HeldWeight, LoweredOperation, Part


@dataclass(frozen=True)
class BlockArgument:
    """An argument of a block: what differs between its instances.

    `default` is a literal where most instances have the same.
    """

    name: str
    type: str
    default: ast.expr | None = None


@dataclass
class ProgramBlock:
    """A class of the program: its arguments, its members by name, and what it computes.

    `operations` are in order; `inputs` and `outputs` are ids of tensors. An expression in
    `members`, and in `operations`, may use the arguments by name. `operations` use members by
    their names. `variables` are names for tensors by id, where there are better ones than `x`.
    A block that is a sequence of members has `sequence`, and no members of its own.
    """

    name: str
    arguments: tuple[BlockArgument, ...]
    members: dict[str, Part]
    inputs: tuple[str, ...]
    operations: tuple[LoweredOperation, ...]
    outputs: tuple[str, ...]
    variables: Mapping[str, str] = field(default_factory=dict)
    sequence: ast.Call | None = None


@dataclass(frozen=True)
class ProgramInput:
    """An input of the program: its name, shape and ONNX type."""

    name: str
    shape: tuple[int, ...]
    dtype: str


@dataclass
class Program:
    """A program: its blocks, each before those that use it; the last is the network.

    `interface` says in which order of axes it has the source's inputs and outputs.
    """

    blocks: tuple[ProgramBlock, ...]
    inputs: tuple[ProgramInput, ...]
    interface: Interface

    @property
    def root(self) -> ProgramBlock:
        """The network itself."""
        return self.blocks[-1]

    def input_names(self, block: ProgramBlock, taken: Collection[str] = ()) -> dict[str, str]:
        """Names of a block's inputs by their ids; `taken` are no names for those of the network."""
        own: dict[str, str] = {}
        for key, one in zip(self.root.inputs, self.inputs, strict=True):
            name = identifier.variable(one.name, "inputs")
            own[key] = identifier.unique("inputs" if name in taken else name, [*own.values()])
        if block is self.root:
            return own
        few = ["x", "y", "z"]
        count = len(block.inputs)
        names = few if count <= len(few) else [f"x{n + 1}" for n in range(count)]
        if count > 1:
            names = [own.get(key, name) for key, name in zip(block.inputs, names, strict=False)]
        return dict(zip(block.inputs, names, strict=False))

    @property
    def weights(self) -> dict[str, HeldWeight]:
        """All weights, by the path of the attribute that holds them."""
        return {
            ".".join(filter(None, (name, attribute))): weight
            for name, part in self.root.members.items()
            for attribute, weight in part.weights.items()
        }

    @property
    def ties(self) -> list[tuple[str, str]]:
        """Paths of attributes that hold the same parameter alike: the first, and each other."""
        first: dict[HeldWeight, str] = {}
        found = []
        for path, weight in self.weights.items():
            kept = first.setdefault(dataclasses.replace(weight, value=""), path)
            if kept != path:
                found.append((kept, path))
        return found
