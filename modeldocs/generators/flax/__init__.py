"""Flax as a target of programs."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from modeldocs.generators import containers
from modeldocs.generators.flax import (
    attention,
    elements,
    functions,
    images,
    indexing,
    layers,
    merging,
    pools,
    recurrent,
    reductions,
    spectra,
    writer,
)
from modeldocs.generators.flax.moves import FlaxMoves
from modeldocs.generators.operation import LoweredOperation
from modeldocs.generators.program import Program
from modeldocs.generators.python_target import PythonTarget
from modeldocs.generators.site import Lowering
from modeldocs.generators.target import ProgramRunner


class Flax(PythonTarget):
    """Programs of `nnx.Module`s."""

    name = "flax"
    title = "Flax"
    framework = ""
    runner = ProgramRunner(module="modeldocs.numeric.proof.runners.flax", environment="flax")
    channels_last = True
    container = "nnx.Sequential"
    sequence_members = "layers"
    moves = FlaxMoves()
    table: dict[str, Lowering] = (
        layers.TABLE
        | pools.TABLE
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
        self, operations: Sequence[LoweredOperation], outputs: Sequence[str]
    ) -> tuple[list[LoweredOperation], dict[str, str]]:
        """Means over images without axes of size 1, where nothing reads these."""
        return merging.merged(operations, outputs)

    def members(self, constructors: Sequence[ast.expr]) -> ast.expr:
        """`nnx.List`."""
        return containers.members("nnx.List", constructors)

    def sequence(self, constructors: Sequence[ast.expr]) -> ast.expr:
        """`nnx.Sequential`."""
        return containers.sequence(self.container, constructors)

    def write(self, program: Program, doc: str) -> str:
        """The file of a program."""
        return writer.write(program, doc)
