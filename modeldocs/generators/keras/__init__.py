"""Keras as a target of programs."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from modeldocs.generators.keras import (
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
from modeldocs.generators.keras.moves import KerasMoves
from modeldocs.generators.operation import LoweredOperation
from modeldocs.generators.program import Program
from modeldocs.generators.python_target import PythonTarget
from modeldocs.generators.site import Lowering


class Keras(PythonTarget):
    """Programs of layers that are called one after the other."""

    name = "keras"
    title = "Keras"
    framework = "keras"
    channels_last = True
    container = ""
    sequence_members = ""
    moves = KerasMoves()
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
        """Activations in the layers before them."""
        return merging.merged(operations, outputs)

    def members(self, constructors: Sequence[ast.expr]) -> None:  # noqa: ARG002
        """None: members are called where they are made."""
        return

    def sequence(self, constructors: Sequence[ast.expr]) -> None:  # noqa: ARG002
        """None: members are called where they are made."""
        return

    def write(self, program: Program, doc: str) -> str:
        """The file of a program."""
        return writer.write(program, doc)
