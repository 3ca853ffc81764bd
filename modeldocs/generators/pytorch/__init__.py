"""PyTorch as a target of programs."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from modeldocs.generators import containers
from modeldocs.generators.operation import LoweredOperation
from modeldocs.generators.program import Program
from modeldocs.generators.python_target import PythonTarget
from modeldocs.generators.pytorch import (
    attention,
    elements,
    functions,
    images,
    indexing,
    layers,
    recurrent,
    reductions,
    spectra,
    writer,
)
from modeldocs.generators.pytorch.moves import PyTorchMoves
from modeldocs.generators.site import Lowering


class PyTorch(PythonTarget):
    """Programs of `nn.Module`s."""

    name = "pytorch"
    title = "PyTorch"
    framework = "pytorch"
    channels_last = False
    container = "nn.Sequential"
    sequence_members = ""
    moves = PyTorchMoves()
    table: dict[str, Lowering] = (
        layers.TABLE
        | images.TABLE
        | functions.TABLE
        | reductions.TABLE
        | spectra.TABLE
        | indexing.TABLE
        | elements.TABLE
        | attention.TABLE
        | recurrent.TABLE
    )

    def merged(
        self,
        operations: Sequence[LoweredOperation],
        outputs: Sequence[str],  # noqa: ARG002
    ) -> tuple[list[LoweredOperation], dict[str, str]]:
        """The operations as they are: a member computes one layer."""
        return list(operations), {}

    def members(self, constructors: Sequence[ast.expr]) -> ast.expr:
        """`nn.ModuleList`."""
        return containers.members("nn.ModuleList", constructors)

    def sequence(self, constructors: Sequence[ast.expr]) -> ast.expr:
        """`nn.Sequential`."""
        return containers.sequence(self.container, constructors)

    def write(self, program: Program, doc: str) -> str:
        """The file of a program."""
        return writer.write(program, doc)
